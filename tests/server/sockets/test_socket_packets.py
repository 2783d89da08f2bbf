"""Socket.IO packets over a plain WebSocket: each gets its reply, however it is framed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import websocket
from websocket import ABNF, WebSocket

from support.users import Person

Reply = tuple[str, Any]


class PacketClient:
    """Sends and receives packets as docs/protocol.md describes them."""

    def __init__(self, person: Person) -> None:
        url = person.url.replace("http", "ws")
        self.socket: WebSocket = websocket.create_connection(
            f"{url}/socket.io/?EIO=4&transport=websocket", timeout=10
        )
        assert self.receive().startswith("0")
        self.socket.send("40" + json.dumps({"token": person.token}))
        assert self.receive().startswith("40")

    def receive(self) -> str:
        return str(self.socket.recv())

    def reply(self) -> Reply:
        """The next reply, without events and pings."""
        while not (text := self.receive()).startswith("43"):
            pass
        number, _, rest = text[2:].partition("[")
        return number, json.loads("[" + rest)[0]


@pytest.fixture
def client(ada: Person) -> Iterator[PacketClient]:
    client = PacketClient(ada)
    yield client
    client.socket.shutdown()


def request(number: int, name: str, **fields: Any) -> str:
    return f"42{number}" + json.dumps([name, fields])


def unwatch(number: int, padding: int = 0) -> str:
    return request(number, "job:unwatch", job_id="nothing", padding="x" * padding)


def test_an_event_in_fragments_gets_a_reply(client: PacketClient) -> None:
    text = unwatch(7)
    client.socket.send_frame(ABNF.create_frame(text[:9], ABNF.OPCODE_TEXT, fin=0))
    client.socket.ping("in between")
    client.socket.send_frame(ABNF.create_frame(text[9:], ABNF.OPCODE_CONT, fin=1))

    assert client.reply() == ("7", {"job_id": "nothing"})


def test_large_and_small_events_get_their_replies_in_order(client: PacketClient) -> None:
    sizes = [0, 400_000, 0, 70_000, 0, 0, 300_000, 10]
    for number, size in enumerate(sizes):
        client.socket.send(unwatch(number, size))

    assert [client.reply()[0] for _ in sizes] == [str(number) for number in range(len(sizes))]


@pytest.mark.parametrize(
    "packet",
    ["42", "42{}", "42[]", "42[1]", "43[true]", "4399[true]", "4212", "42x[]", "42/other,1[]", "45", "4"],
)
def test_an_invalid_packet_affects_no_other_client(client: PacketClient, ada: Person, packet: str) -> None:
    client.socket.send(packet)
    other = PacketClient(ada)
    other.socket.send(unwatch(1))

    assert other.reply() == ("1", {"job_id": "nothing"})
    other.socket.shutdown()


def test_an_unknown_event_is_not_found(client: PacketClient) -> None:
    client.socket.send(request(3, "no:such"))
    number, reply = client.reply()

    assert (number, reply["error"]["code"]) == ("3", "not_found")


@pytest.mark.parametrize("name", ["connect", "disconnect", "message", "*"])
def test_a_client_cannot_send_the_reserved_events_of_the_library(client: PacketClient, name: str) -> None:
    client.socket.send(request(1, name))
    number, reply = client.reply()
    client.socket.send(unwatch(2))

    assert (number, reply["error"]["code"]) == ("1", "not_found")
    assert client.reply()[0] == "2"


def test_an_event_before_connect_closes_the_socket(ada: Person) -> None:
    url = ada.url.replace("http", "ws")
    socket = websocket.create_connection(f"{url}/socket.io/?EIO=4&transport=websocket", timeout=10)
    assert str(socket.recv()).startswith("0")
    socket.send(unwatch(1))

    opcode, payload = socket.recv_data(control_frame=True)
    assert opcode == ABNF.OPCODE_CLOSE
    assert payload[2:] == b"connect to the namespace '/' first"
    socket.shutdown()


def test_a_text_that_is_not_utf8_ends_the_connection(client: PacketClient) -> None:
    client.socket.send_frame(ABNF.create_frame(b"42\xff\xfe[]", ABNF.OPCODE_TEXT))

    opcode, _ = client.socket.recv_data(control_frame=True)
    assert opcode == ABNF.OPCODE_CLOSE
