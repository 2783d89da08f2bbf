"""The socket, by hand: whatever way a message is cut, it is answered, and in its order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import websocket
from people import Person
from websocket import ABNF, WebSocket

Answer = tuple[str, Any]


class Wire:
    """A client that knows no more than the protocol's page."""

    def __init__(self, person: Person) -> None:
        url = person.url.replace("http", "ws")
        self.socket: WebSocket = websocket.create_connection(
            f"{url}/socket.io/?EIO=4&transport=websocket", timeout=10
        )
        assert self.hear().startswith("0")
        self.socket.send("40" + json.dumps({"token": person.token}))
        assert self.hear().startswith("40")

    def hear(self) -> str:
        return str(self.socket.recv())

    def answer(self) -> Answer:
        """The next one; events and pings are passed over."""
        while not (text := self.hear()).startswith("43"):
            pass
        number, _, rest = text[2:].partition("[")
        return number, json.loads("[" + rest)[0]


@pytest.fixture
def wire(ada: Person) -> Iterator[Wire]:
    wire = Wire(ada)
    yield wire
    wire.socket.shutdown()


def asking(number: int, name: str, **fields: Any) -> str:
    return f"42{number}" + json.dumps([name, fields])


def unwatch(number: int, padding: int = 0) -> str:
    return asking(number, "job:unwatch", job_id="nothing", padding="x" * padding)


def test_an_event_in_fragments_is_answered(wire: Wire) -> None:
    text = unwatch(7)
    wire.socket.send_frame(ABNF.create_frame(text[:9], ABNF.OPCODE_TEXT, fin=0))
    wire.socket.ping("in between")
    wire.socket.send_frame(ABNF.create_frame(text[9:], ABNF.OPCODE_CONT, fin=1))

    assert wire.answer() == ("7", {"job_id": "nothing"})


def test_large_and_small_events_are_answered_in_their_order(wire: Wire) -> None:
    sizes = [0, 400_000, 0, 70_000, 0, 0, 300_000, 10]
    for number, size in enumerate(sizes):
        wire.socket.send(unwatch(number, size))

    assert [wire.answer()[0] for _ in sizes] == [str(number) for number in range(len(sizes))]


@pytest.mark.parametrize(
    "nonsense",
    ["42", "42{}", "42[]", "42[1]", "43[true]", "4399[true]", "4212", "42x[]", "42/other,1[]", "45", "4"],
)
def test_nonsense_does_no_harm_to_others(wire: Wire, ada: Person, nonsense: str) -> None:
    wire.socket.send(nonsense)
    other = Wire(ada)
    other.socket.send(unwatch(1))

    assert other.answer() == ("1", {"job_id": "nothing"})
    other.socket.shutdown()


def test_an_event_that_is_not_there_is_answered_so(wire: Wire) -> None:
    wire.socket.send(asking(3, "no:such"))
    number, answer = wire.answer()

    assert (number, answer["error"]["code"]) == ("3", "not_found")


@pytest.mark.parametrize("name", ["connect", "disconnect", "message", "*"])
def test_nobody_can_say_what_the_library_says_to_itself(wire: Wire, name: str) -> None:
    wire.socket.send(asking(1, name))
    number, answer = wire.answer()
    wire.socket.send(unwatch(2))

    assert (number, answer["error"]["code"]) == ("1", "not_found")
    assert wire.answer()[0] == "2"


def test_who_has_not_been_let_in_gets_no_answer(ada: Person) -> None:
    url = ada.url.replace("http", "ws")
    socket = websocket.create_connection(f"{url}/socket.io/?EIO=4&transport=websocket", timeout=10)
    assert str(socket.recv()).startswith("0")
    socket.send(unwatch(1))
    socket.send("40" + json.dumps({"token": ada.token}))
    first = str(socket.recv())
    socket.send(unwatch(2))
    second = str(socket.recv())

    assert first.startswith("40")
    assert second.startswith("432")
    socket.shutdown()


def test_a_text_that_is_not_utf8_ends_the_connection(wire: Wire) -> None:
    wire.socket.send_frame(ABNF.create_frame(b"42\xff\xfe[]", ABNF.OPCODE_TEXT))

    opcode, _ = wire.socket.recv_data(control_frame=True)
    assert opcode == ABNF.OPCODE_CLOSE
