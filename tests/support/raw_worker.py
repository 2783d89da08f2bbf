"""A worker that writes its own packets, so that it can send anything a client can."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, NamedTuple

import websocket
from websocket import ABNF, WebSocket

from support.users import Document, Person, fence

ACK = "43"
NONCE = "a nonce of some length"


class Closed(NamedTuple):
    """The server has closed the connection."""

    code: int
    reason: str


class RawSocket:
    """A Socket.IO connection that knows only the digits in front of each packet."""

    def __init__(self, person: Person) -> None:
        url = person.url.replace("http", "ws")
        self.socket: WebSocket = websocket.create_connection(
            f"{url}/socket.io/?EIO=4&transport=websocket", timeout=20
        )
        assert self._text().startswith("0")
        self.socket.send("40" + json.dumps({"token": person.token, "user_events": False}))
        assert self._text().startswith("40")
        self._number = 0
        self._assigned: list[Document] = []

    def send(self, text: str) -> None:
        self.socket.send(text)

    def send_binary(self, payload: bytes) -> None:
        self.socket.send_frame(ABNF.create_frame(payload, ABNF.OPCODE_BINARY))

    def call(self, event: str, body: Any) -> Any:
        """Emit an event; return the reply, or how the connection was closed."""
        return self.call_raw(event, json.dumps(body))

    def call_raw(self, event: str, body: str, kind: str = "42", parts: tuple[bytes, ...] = ()) -> Any:
        """`call` with a body that need not be JSON, followed by binary frames."""
        self._number += 1
        self.send(f'{kind}{self._number}["{event}",{body}]')
        for part in parts:
            self.send_binary(part)
        return self.answer(self._number)

    def answer(self, number: int) -> Any:
        head = f"{ACK}{number}["
        while True:
            packet = self.next()
            if isinstance(packet, Closed):
                return packet
            if packet.startswith(head):
                return json.loads(packet[len(head) - 1 :])[0]

    def next(self) -> str | Closed:
        """The next packet; replies to pings and keeps assignments."""
        while True:
            opcode, payload = self.socket.recv_data(control_frame=True)
            if opcode == ABNF.OPCODE_CLOSE:
                return Closed(int.from_bytes(payload[:2]), payload[2:].decode())
            text: str = payload.decode()
            if text == "2":
                self.send("3")
            elif text.startswith("42") and '["job:assigned",' in text:
                number, _, body = text[2:].partition("[")
                self._assigned += json.loads(f"[{body}")[1]
                self.send(f"{ACK}{number}[true]")
                return text
            else:
                return text

    def take(self) -> Document:
        """Wait for the next assignment."""
        while not self._assigned:
            assert not isinstance(self.next(), Closed)
        return self._assigned.pop(0)

    def close(self) -> None:
        with suppress(OSError):
            self.socket.shutdown()

    def _text(self) -> str:
        return str(self.socket.recv())


class RawWorker(RawSocket):
    """Sends `worker:hello` and runs one submitted job."""

    def __init__(self, person: Person, worker_id: str) -> None:
        super().__init__(person)
        self.id = worker_id
        answer = self.call("worker:hello", {"worker_id": worker_id, "boot_id": "the first boot"})
        self.session = answer["session"]

    def begin(self) -> Document:
        item = self.take()
        assert self.call("job:start", [{**fence(item), "nonce": NONCE}]) == {"answers": [None]}
        return item

    def finish(self, item: Document, status: str = "completed", **report: Any) -> Any:
        return self.call("job:finish", [{**fence(item), "status": status, **report}])
