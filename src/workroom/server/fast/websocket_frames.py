"""The part of the WebSocket framing that is needed to find text messages in a single frame."""

from __future__ import annotations

from collections.abc import Callable

try:
    from websockets.speedups import apply_mask
except ImportError:  # where the C extension is missing
    from websockets.utils import apply_mask

_TEXT = 0x81  # a final text frame without extensions
_MASKED = 0x80
_LENGTH = 0x7F
_LENGTH_16, _LENGTH_64 = 126, 127  # the length follows in 2 or 8 bytes
_MASK_BYTES = 4


class FrameSplitter:
    """Splits a byte stream at frame boundaries. Passes whole text messages to one callback and all other
    bytes, unchanged, to another.
    """

    def __init__(
        self, on_text: Callable[[bytes], bool], on_other: Callable[[bytes], None], max_size: int
    ) -> None:
        """`on_text` returns whether it took the message; if not, the frame goes to `on_other`."""
        self._on_text = on_text
        self._on_other = on_other
        self.max_size = max_size
        self._is_held = False
        self._buffer = b""
        self._passing = 0  # bytes still to come of a frame whose beginning was passed on

    def hold(self) -> None:
        """Buffer what comes until `release`."""
        self._is_held = True

    def release(self) -> None:
        self._is_held = False
        self.feed(b"")

    def feed(self, data: bytes) -> None:
        if self._is_held:
            self._buffer += data
        else:
            self._split(self._buffer + data)

    def _split(self, data: bytes) -> None:
        self._buffer = b""
        if self._passing:
            rest, data = data[: self._passing], data[self._passing :]
            self._passing -= len(rest)
            self._on_other(rest)
        start = 0
        while start < len(data):
            found = _payload_range(data, start)
            if found is None:
                self._buffer = data[start:]
                return
            payload, end = found
            if end > len(data):
                self._passing = end - len(data)
                self._on_other(data[start:])
                return
            if not (self._is_text(data, start, end - payload) and self._take(data, payload, end)):
                self._on_other(data[start:end])
            start = end
            if self._is_held:
                self._buffer = data[start:]
                return

    def _is_text(self, data: bytes, start: int, size: int) -> bool:
        return data[start] == _TEXT and bool(data[start + 1] & _MASKED) and size <= self.max_size

    def _take(self, data: bytes, payload: int, end: int) -> bool:
        return self._on_text(apply_mask(data[payload:end], data[payload - _MASK_BYTES : payload]))


def _payload_range(data: bytes, start: int) -> tuple[int, int] | None:
    """Where the payload of the frame at `start` begins and ends. None if its header is incomplete."""
    if len(data) < start + 2:
        return None
    size, payload = data[start + 1] & _LENGTH, start + 2
    if size in (_LENGTH_16, _LENGTH_64):
        payload += 2 if size == _LENGTH_16 else 8
        if len(data) < payload:
            return None
        size = int.from_bytes(data[start + 2 : payload])
    if data[start + 1] & _MASKED:
        payload += _MASK_BYTES
    return payload, payload + size


def text_frame(text: str) -> bytes:
    """A text message as a server sends it: one frame, unmasked."""
    payload = text.encode()
    size = len(payload)
    if size < _LENGTH_16:
        return bytes((_TEXT, size)) + payload
    if size < 1 << 16:
        return bytes((_TEXT, _LENGTH_16)) + size.to_bytes(2) + payload
    return bytes((_TEXT, _LENGTH_64)) + size.to_bytes(8) + payload
