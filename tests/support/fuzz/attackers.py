"""Clients that send random data. The server must reply to each exchange or close the connection."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
from abc import ABC, abstractmethod
from typing import Any

import httpx

from support.fuzz.connections import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    SECONDS,
    TEXT,
    Closed,
    Connection,
    Unanswered,
    connected,
    frame,
)
from support.fuzz.requests import Requests, quick
from support.fuzz.schemas import Schemas
from support.fuzz.target import ROOM, Target
from support.fuzz.values import Json, Values

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "BREW")
_WORKER_EVENTS = ("worker:hello", "worker:heartbeat", "worker:ask", "job:start", "job:finish")
_EVENTS = (
    *_WORKER_EVENTS,
    *("job:progress", "job:log", "token:renew", "room:join", "room:leave", "job:watch", "job:unwatch"),
    *("job:external", "job:intend", "job:ask", "job:suspend", "job:release"),
    *("lock:acquire", "lock:refresh", "lock:message", "lock:release", "lock:break"),
    *("job:submit", "job:wait", "fleet:watch", "connect", "disconnect", "nonsense"),
)
REPLY_SECONDS = 1.0  # for the reply to what may not be a message
_PLAIN = {"type": "object", "properties": {"n": {"type": "integer"}}}


class Attacker(ABC):
    """A client with random input. `prepare` is called once, before the first `act`."""

    def __init__(self, target: Target, seed: str) -> None:
        self.target = target
        self.rng = random.Random(f"{seed} {type(self).__name__}")
        self.values = Values(self.rng)
        self.schemas = Schemas(self.rng)
        self.token = target.log_in(f"fuzz-{type(self).__name__.lower()}")
        self.prepare()

    def prepare(self) -> None:
        return

    @abstractmethod
    async def act(self) -> None: ...

    def post(self, path: str, body: Json) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.post(f"{self.target.server.url}{path}", json=body, headers=headers, timeout=30)

    async def request(self, method: str, path: str, body: bytes, what: str) -> tuple[int, bytes]:
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self.target.host}\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        async with connected(self.target.port, what) as connection:
            await connection.send(head.encode() + body)
            return await connection.answer()


class SchemaAttacker(Attacker):
    """Registers random schemas and submits random values."""

    async def act(self) -> None:
        schema = self.schemas.extension()
        name = f"S{self.rng.randrange(20)}"
        offered = {"room": ROOM, "category": "analysis", "name": name, "schema": schema}
        body = {"worker_id": f"fuzz-schemas-{name}", "extensions": [offered]}
        await self._call("/api/workers/register", body)
        for _ in range(3):
            data = {"x": self.values.value()} if self.rng.random() < 0.8 else self.values.value()
            await self._call(f"/api/rooms/{ROOM}/extensions/analysis/{name}/submit", {"data": data})

    async def _call(self, path: str, body: Json) -> None:
        data = self.values.encode(body)
        try:
            status, answer = await self.request("POST", path, data, f"POST {path} {data[:500]!r}")
        except Closed:
            return
        assert status < 500 or status == 503, (status, answer, data[:1000])


class HttpAttacker(Attacker):
    """Sends random requests, and bytes that are not a request."""

    def prepare(self) -> None:
        self.requests = Requests(self.rng, self.target.document, ROOM)

    async def act(self) -> None:
        head, body = self._fitting() if self.rng.random() < 0.6 else self._request()
        what = f"{head[:300]!r} + {body[:300]!r}"
        async with connected(self.target.port, what) as connection:
            try:
                await connection.send(head + body)
                if self.rng.random() < 0.1:
                    return  # the client disconnects
                connection.writer.write_eof()
                status, answer = await connection.answer()
            except (Closed, OSError):
                return
            assert status < 500 or status == 503, (status, answer[:500], what)
            self.requests.learn(answer)

    def _fitting(self) -> tuple[bytes, bytes]:
        """A request that may well succeed."""
        method, path, media_type, body = self.requests.request()
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self.target.host}",
            f"Authorization: Bearer {self.token}",
            f"Content-Type: {media_type}",
            f"Content-Length: {len(body)}",
        ]
        return "\r\n".join([*lines, "", ""]).encode(), body

    def _request(self) -> tuple[bytes, bytes]:
        method, path = self.rng.choice(self.target.routes)
        if path.endswith("/stream"):
            path += "?limit=0"  # an endless response would never finish
        if self.rng.random() < 0.1:
            method = self.rng.choice(_METHODS)
        body = self.values.encode(self.values.value()) if method in ("POST", "PUT", "PATCH") else b""
        lines = [f"{method} {self._filled(path)} HTTP/1.1".encode(), f"Host: {self.target.host}".encode()]
        if self.rng.random() < 0.7:
            lines.append(f"Authorization: Bearer {self.token}".encode())
        lines.append(f"Content-Length: {len(body)}".encode())
        lines += [self._header() for _ in range(self.rng.randrange(4))]
        head = b"\r\n".join(lines) + b"\r\n\r\n"
        return (self.values.damaged(head) if self.rng.random() < 0.3 else head), body

    def _filled(self, path: str) -> str:
        """Fill the path's parameters with bytes that are valid in a request line."""
        while "{" in path:
            before, _, rest = path.partition("{")
            given = self.rng.choice(
                (ROOM, "analysis", "S1", "room", secrets.token_hex(8), self.values.text())
            )
            quoted = "".join(f"%{byte:02x}" for byte in given.encode("utf-8", "surrogatepass")[:200])
            path = before + quoted + rest.partition("}")[2]
        return path + self.rng.choice(("", "", "?limit=1", "?limit=x", "?after=%00", "?a=b&a=c"))

    def _header(self) -> bytes:
        return self.rng.choice(
            (
                b"Transfer-Encoding: chunked",
                b"Content-Length: 7",
                b"Content-Type: " + self.rng.choice((b"text/plain", b"application/json", b"\xff")),
                b"Cookie: " + b"a=b; " * self.rng.randrange(2000),
                b"X-Long: " + b"x" * self.rng.randrange(100_000),
                b"Origin: " + self.rng.choice((b"null", b"http://[::1", b"http://evil.example")),
                b"Upgrade: websocket\r\nConnection: Upgrade",
                b"Idempotency-Key: " + self.rng.randbytes(20).hex().encode(),
                b"Range: bytes=-1,5-2,99999999999999999999-",
                b"Expect: 100-continue",
                b": no name",
                b"bad\x00header: x",
            )
        )


class FrameAttacker(Attacker):
    """Sends invalid WebSocket, Engine.IO and Socket.IO messages, with and without a login."""

    async def act(self) -> None:
        async with connected(self.target.port, "frames") as connection:
            try:
                await connection.handshake(self.target.host)
                if self.rng.random() < 0.5:
                    await connect(connection, self.token)
                for _ in range(self.rng.randrange(1, 6)):
                    await connection.send(self._frame())
                await connection.send_frame(b'4277["room:leave",{"room":"fuzzed"}]')
                await self._finish(connection)
            except (Closed, UnicodeDecodeError):
                return

    async def _finish(self, connection: Connection) -> None:
        """The last message gets a reply, unless it was read as the rest of an unfinished frame."""
        try:
            async with asyncio.timeout(REPLY_SECONDS):
                while not (await connection.receive_text()).startswith("4377"):
                    pass
        except TimeoutError:
            connection.writer.write_eof()
            while True:
                await connection.receive_text()

    def _frame(self) -> bytes:
        kind = self.rng.random()
        if kind < 0.15:
            return self.rng.randbytes(self.rng.randrange(1, 200))
        if kind < 0.3:
            opcode = self.rng.choice((TEXT, BINARY, CLOSE, PING, PONG, 0, 3, 11))
            first = self.rng.choice((0x80, 0x00, 0xC0, 0xF0))
            return frame(self.rng.randbytes(self.rng.randrange(200)), opcode, first)
        if kind < 0.4:
            size = self.rng.choice((5_000_000, 2**31, 2**63 - 1))
            return bytes((0x81, 0xFF)) + size.to_bytes(8) + self.rng.randbytes(1000)
        if kind < 0.6:
            return frame(
                self.rng.choice("0123456789abc").encode() + self.values.text().encode(errors="replace")
            )
        return frame(self._packet())

    def _packet(self) -> bytes:
        """A Socket.IO packet of any type, with random attachments, namespace and number."""
        kind = self.rng.choice((b"0", b"1", b"2", b"3", b"4", b"51-", b"61-", b"5999999-", b"9"))
        where = self.rng.choice((b"", b"", b"", b"/elsewhere,", b"/,"))
        number = self.rng.choice((b"", b"1", b"99999999999999999999", b"-1"))
        body = self.values.encode([self.rng.choice(_EVENTS), self.values.value()])
        return b"4" + kind + where + number + body


class MessageAttacker(Attacker):
    """A worker that receives real jobs and sends random reports."""

    def prepare(self) -> None:
        self.worker = secrets.token_hex(8)
        extension = {"room": ROOM, "category": "analysis", "name": "Fuzz", "schema": _PLAIN}
        body = {"worker_id": self.worker, "slots": 8, "extensions": [extension]}
        self.post("/api/workers/register", body).raise_for_status()
        self.fences: list[dict[str, Any]] = []
        self.number = 0

    async def act(self) -> None:
        """Send some dozens of messages over one connection."""
        async with connected(self.target.port, "messages") as connection:
            try:
                await connection.handshake(self.target.host)
                await connect(connection, self.token)
                await self._call(connection, "worker:hello", self._template("worker:hello"))
                for _ in range(self.rng.randrange(5, 30)):
                    event = self.rng.choice(_EVENTS)
                    body = quick(self.values.spoilt(self._template(event)))
                    await self._call(connection, event, body)
            except Closed:
                return

    async def _call(self, connection: Connection, event: str, body: Json) -> None:
        self.number += 1
        data = self.values.encode([event, body])
        connection.what = f"{event} {data[:1000]!r}"
        await connection.send_frame(b"42%d" % self.number + data)
        try:
            async with asyncio.timeout(SECONDS):
                await self._receive_reply(connection)
        except TimeoutError:
            raise Unanswered(f"no reply to {connection.what}") from None

    async def _receive_reply(self, connection: Connection) -> None:
        """A damaged message may begin with digits, which the server takes for the end of its number."""
        while not (text := await connection.receive_text()).startswith(f"43{self.number}"):
            await self._notice(connection, text)

    async def _notice(self, connection: Connection, text: str) -> None:
        """Keep assigned jobs and ignore other messages."""
        number = text[2:].partition("[")[0]
        if text.startswith("42") and '"job:assigned"' in text:
            self.fences = json.loads(text[2 + len(number) :])[1][:8]
            await connection.send_frame(b"43%b[true]" % number.encode())

    def _template(self, event: str) -> Json:
        """A valid message of a worker."""
        fences = [{key: each[key] for key in ("job_id", "attempt", "token")} for each in self.fences] or [
            {"job_id": "none", "attempt": 1, "token": "none"}
        ]
        job = fences[0]["job_id"]
        lock = {"room": ROOM, "target": f"t{self.rng.randrange(20)}", "token": "a-token-of-sixteen"}
        line = {"seq": 1, "at": "2026-01-20T12:00:00.000Z", "stream": "stdout", "text": "hello"}
        templates: dict[str, Json] = {
            "worker:hello": {"worker_id": self.worker, "boot_id": "a" * 16, "holds": [], "seen": 0},
            "worker:heartbeat": {"session": 1, "holds": [], "seen": 0},
            "worker:ask": {"session": 1},
            "job:start": [{**each, "nonce": "n" * 16} for each in fences],
            "job:finish": [{**each, "status": "completed", "result": 1, "run_ms": 1.0} for each in fences],
            "job:progress": [{**each, "fraction": 0.5, "message": "half"} for each in fences],
            "job:log": [{**each, "lines": [line]} for each in fences],
            "job:external": [{**each, "provider": "leonardo", "id": "g-1"} for each in fences],
            "job:intend": [{**each, "provider": "leonardo", "digest": "d-1"} for each in fences],
            "job:ask": [
                {**each, "key": "k", "text": "t", "schema": {"type": "object"}, "timeout_ms": 5.0}
                for each in fences
            ],
            "job:suspend": [{**each, "waits": {"code": "answer", "of": "1"}} for each in fences],
            "job:release": [{**each, "nonce": "n" * 16} for each in fences],
            "lock:acquire": {**lock, "message": "mine", "ttl": 1.0, "wait": 0.1},
            "lock:refresh": lock,
            "lock:message": {**lock, "message": "still mine"},
            "lock:release": lock,
            "lock:break": {"room": ROOM, "target": lock["target"]},
            "token:renew": {"token": self.token},
            "room:join": {"room": ROOM},
            "room:leave": {"room": ROOM},
            "job:watch": {"job_id": job},
            "job:unwatch": {"job_id": job},
            "job:wait": {"job_id": job, "seconds": 0.1},
            "job:submit": {"room": ROOM, "category": "analysis", "name": "Fuzz", "data": {"n": 1}},
        }
        return templates.get(event, {})


async def connect(connection: Connection, token: str) -> None:
    """Connect by Socket.IO."""
    await connection.receive_text()
    await connection.send_frame(b"40" + json.dumps({"token": token}).encode())
    if not (await connection.receive_text()).startswith("40"):
        raise Closed


ATTACKERS = (SchemaAttacker, HttpAttacker, FrameAttacker, MessageAttacker)
