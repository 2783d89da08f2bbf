"""A stream of bytes is cut where frames end, wherever the network cut it."""

from __future__ import annotations

import struct

import pytest

from workroom.server.frames import Frames, text_frame

LONGEST = 100_000
TEXT, MORE, BINARY, CLOSE, PING = 0x81, 0x01, 0x82, 0x88, 0x89


def frame(first: int, payload: bytes, *, masked: bool = True) -> bytes:
    size, flag = len(payload), 0x80 if masked else 0
    if size < 126:
        head = struct.pack("!BB", first, size | flag)
    elif size < 1 << 16:
        head = struct.pack("!BBH", first, 126 | flag, size)
    else:
        head = struct.pack("!BBQ", first, 127 | flag, size)
    if not masked:
        return head + payload
    mask = b"\x37\xfa\x21\x3d"
    return head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


class Taker:
    def __init__(self, *refused: bytes) -> None:
        self.texts: list[bytes] = []
        self.others = b""
        self._refused = refused
        self.frames = Frames(self._take, self._pass_on, LONGEST)

    def _take(self, text: bytes) -> bool:
        if text in self._refused:
            return False
        self.texts.append(text)
        return True

    def _pass_on(self, data: bytes) -> None:
        self.others += data


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536, LONGEST])
def test_a_whole_text_is_taken(size: int) -> None:
    taker, text = Taker(), b"x" * size
    taker.frames.feed(frame(TEXT, text))

    assert taker.texts == [text]
    assert taker.others == b""


def test_texts_that_come_together_are_taken_one_by_one() -> None:
    taker = Taker()
    taker.frames.feed(b"".join(frame(TEXT, text) for text in (b"one", b"two" * 100, b"three")))

    assert taker.texts == [b"one", b"two" * 100, b"three"]


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 7, 11, 64])
def test_nothing_is_lost_wherever_it_is_cut(piece: int) -> None:
    """A text that does not come in one piece is passed on, all of it."""
    taker = Taker()
    long, short = frame(TEXT, b"long" * 100), frame(TEXT, b"")
    stream = long + frame(PING, b"?") + long + short
    for at in range(0, len(stream), piece):
        taker.frames.feed(stream[at : at + piece])
    taken = b"".join(text for text in taker.texts)

    assert taken == b""
    assert taker.others + short * len(taker.texts) == stream


@pytest.mark.parametrize(
    "other",
    [
        frame(PING, b"are you there"),
        frame(CLOSE, struct.pack("!H", 1000)),
        frame(BINARY, b"\x00\x01"),
        frame(MORE, b"half of") + frame(0x80, b" a text"),
        frame(TEXT, b"a server does not mask", masked=False),
        frame(TEXT | 0x40, b"compressed, says a flag"),
        frame(TEXT, b"x" * (LONGEST + 1)),
    ],
    ids=["ping", "close", "binary", "fragments", "no mask", "compressed", "too long"],
)
def test_everything_else_is_passed_on_as_it_came(other: bytes) -> None:
    taker = Taker()
    taker.frames.feed(frame(TEXT, b"before") + other + frame(TEXT, b"after"))

    assert taker.texts == [b"before", b"after"]
    assert taker.others == other


def test_a_text_that_nobody_takes_is_passed_on() -> None:
    taker, refused = Taker(b"no"), frame(TEXT, b"no")
    taker.frames.feed(frame(TEXT, b"yes") + refused)

    assert taker.texts == [b"yes"]
    assert taker.others == refused


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_a_server_says_a_text_without_a_mask(size: int) -> None:
    assert text_frame("x" * size) == frame(TEXT, b"x" * size, masked=False)
