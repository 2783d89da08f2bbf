"""WebSocket frames, as far as one must know them to tell a short text in one piece from everything else."""

from __future__ import annotations

from collections.abc import Callable

try:
    from websockets.speedups import apply_mask
except ImportError:  # where there is no compiled part
    from websockets.utils import apply_mask

_WHOLE_TEXT = 0x81
_MASKED = 0x80
_SIZE = 0x7F
_TWO_BYTES, _EIGHT_BYTES = 126, 127  # that say the size, if it does not fit among the flags
_MASK = 4


class Frames:
    """Cuts what is received where frames end. What is no whole text is passed on as it came."""

    def __init__(self, text: Callable[[bytes], bool], other: Callable[[bytes], None], longest: int) -> None:
        """`text` says whether it took the message; if not, it is passed on too."""
        self._text = text
        self._other = other
        self._longest = longest
        self._begun = b""
        self._owed = 0  # bytes of a frame whose beginning was passed on

    def feed(self, data: bytes) -> None:
        if self._owed:
            rest, data = data[: self._owed], data[self._owed :]
            self._owed -= len(rest)
            self._other(rest)
        data, self._begun = self._begun + data, b""
        at = 0
        while at < len(data):
            found = _head(data, at)
            if found is None:
                self._begun = data[at:]
                return
            payload, end = found
            if end > len(data):
                self._owed = end - len(data)
                self._other(data[at:])
                return
            if not (self._is_text(data, at, end - payload) and self._take(data, payload, end)):
                self._other(data[at:end])
            at = end

    def _is_text(self, data: bytes, at: int, size: int) -> bool:
        return data[at] == _WHOLE_TEXT and bool(data[at + 1] & _MASKED) and size <= self._longest

    def _take(self, data: bytes, payload: int, end: int) -> bool:
        return self._text(apply_mask(data[payload:end], data[payload - _MASK : payload]))


def _head(data: bytes, at: int) -> tuple[int, int] | None:
    """Where the payload of the frame begins and ends, if enough of the frame is there to say so."""
    if len(data) < at + 2:
        return None
    size, begin = data[at + 1] & _SIZE, at + 2
    if size in (_TWO_BYTES, _EIGHT_BYTES):
        begin += 2 if size == _TWO_BYTES else 8
        if len(data) < begin:
            return None
        size = int.from_bytes(data[at + 2 : begin])
    if data[at + 1] & _MASKED:
        begin += _MASK
    return begin, begin + size


def text_frame(text: str) -> bytes:
    """As a server sends it."""
    payload = text.encode()
    size = len(payload)
    if size < _TWO_BYTES:
        return bytes((_WHOLE_TEXT, size)) + payload
    if size < 1 << 16:
        return bytes((_WHOLE_TEXT, _TWO_BYTES)) + size.to_bytes(2) + payload
    return bytes((_WHOLE_TEXT, _EIGHT_BYTES)) + size.to_bytes(8) + payload
