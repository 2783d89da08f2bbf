"""Parses the WebSocket frames of a worker, as far as the proxy needs it."""

from __future__ import annotations

from collections.abc import Iterator

_TEXT = 0x81
_MASKED = 0x80
_TWO_BYTES = 126
_ACK = b"43"  # Engine.IO's message, Socket.IO's ack


def without_acks(chunk: bytes) -> bytes:
    """Remove the acks of pushed jobs from a chunk."""
    return b"".join(raw for raw, text in _frames(chunk) if not text.startswith(_ACK))


def _frames(chunk: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield each masked text frame with its text; other bytes are passed through."""
    while len(chunk) > 6 and chunk[0] == _TEXT and chunk[1] & _MASKED:
        size, head = chunk[1] & ~_MASKED, 2
        if size == _TWO_BYTES:
            size, head = int.from_bytes(chunk[2:4]), 4
        elif size > _TWO_BYTES:
            break
        end = head + 4 + size
        mask, masked = chunk[head : head + 4], chunk[head + 4 : end]
        yield chunk[:end], bytes(byte ^ mask[place % 4] for place, byte in enumerate(masked))
        chunk = chunk[end:]
    yield chunk, b""
