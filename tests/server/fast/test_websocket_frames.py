"""A byte stream is split at frame boundaries, however the network chunks it."""

from __future__ import annotations

import struct

import pytest

from workroom.server.fast.websocket_frames import FrameSplitter, text_frame

pytestmark = pytest.mark.either_mode

MAX_SIZE = 100_000
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


class Receiver:
    def __init__(self, *refused: bytes) -> None:
        self.texts: list[bytes] = []
        self.others = b""
        self._refused = refused
        self.splitter = FrameSplitter(self._take, self._pass_on, MAX_SIZE)

    def _take(self, text: bytes) -> bool:
        if text in self._refused:
            return False
        self.texts.append(text)
        return True

    def _pass_on(self, data: bytes) -> None:
        self.others += data


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536, MAX_SIZE])
def test_a_whole_text_is_taken(size: int) -> None:
    receiver, text = Receiver(), b"x" * size
    receiver.splitter.feed(frame(TEXT, text))

    assert receiver.texts == [text]
    assert receiver.others == b""


def test_texts_in_one_chunk_are_taken_one_by_one() -> None:
    receiver = Receiver()
    receiver.splitter.feed(b"".join(frame(TEXT, text) for text in (b"one", b"two" * 100, b"three")))

    assert receiver.texts == [b"one", b"two" * 100, b"three"]


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 7, 11, 64])
def test_nothing_is_lost_however_the_stream_is_chunked(piece: int) -> None:
    """A text that arrives in several chunks is passed on, all of it."""
    receiver = Receiver()
    long, short = frame(TEXT, b"long" * 100), frame(TEXT, b"")
    stream = long + frame(PING, b"?") + long + short
    for at in range(0, len(stream), piece):
        receiver.splitter.feed(stream[at : at + piece])
    taken = b"".join(text for text in receiver.texts)

    assert taken == b""
    assert receiver.others + short * len(receiver.texts) == stream


@pytest.mark.parametrize(
    "other",
    [
        frame(PING, b"are you there"),
        frame(CLOSE, struct.pack("!H", 1000)),
        frame(BINARY, b"\x00\x01"),
        frame(MORE, b"half of") + frame(0x80, b" a text"),
        frame(TEXT, b"a server does not mask", masked=False),
        frame(TEXT | 0x40, b"compressed, says a flag"),
        frame(TEXT, b"x" * (MAX_SIZE + 1)),
    ],
    ids=["ping", "close", "binary", "fragments", "no mask", "compressed", "too long"],
)
def test_all_other_bytes_are_passed_on_unchanged(other: bytes) -> None:
    receiver = Receiver()
    receiver.splitter.feed(frame(TEXT, b"before") + other + frame(TEXT, b"after"))

    assert receiver.texts == [b"before", b"after"]
    assert receiver.others == other


def test_a_text_that_is_not_taken_is_passed_on() -> None:
    receiver, refused = Receiver(b"no"), frame(TEXT, b"no")
    receiver.splitter.feed(frame(TEXT, b"yes") + refused)

    assert receiver.texts == [b"yes"]
    assert receiver.others == refused


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_a_server_sends_a_text_without_a_mask(size: int) -> None:
    assert text_frame("x" * size) == frame(TEXT, b"x" * size, masked=False)
