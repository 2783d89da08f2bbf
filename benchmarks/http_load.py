"""Many keep-alive connections; each sends the next request when its response arrives.

Written for this one question, because a client that costs as much as the server would be what is measured.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any

END_OF_HEAD = b"\r\n\r\n"
LENGTH = b"content-length:"


@dataclass(frozen=True, slots=True)
class Target:
    port: int
    path: str
    body: Any
    headers: dict[str, str] = field(default_factory=dict)

    def request(self) -> bytes:
        body = json.dumps(self.body).encode()
        own = {"Host": "127.0.0.1", "Content-Type": "application/json", "Content-Length": str(len(body))}
        lines = [f"POST {self.path} HTTP/1.1", *(f"{k}: {v}" for k, v in (own | self.headers).items())]
        return "\r\n".join(lines).encode() + END_OF_HEAD + body


class Caller(asyncio.Protocol):
    def __init__(self, request: bytes, deadline: float) -> None:
        self._request = request
        self._deadline = deadline
        self._received = b""
        self._transport: asyncio.Transport | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.answers = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(END_OF_HEAD)
        if found and len(body) >= _length(head):
            self._answered(head, body)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_exception(exc or ConnectionError("the server closed a connection"))

    def _answered(self, head: bytes, body: bytes) -> None:
        if head[9:10] != b"2":
            self.ended.set_exception(RuntimeError(f"{head!r}: {body!r}"))
            return
        self.answers += 1
        self._received = b""
        self._ask()

    def _ask(self) -> None:
        assert self._transport is not None
        if time.perf_counter() < self._deadline:
            self._transport.write(self._request)
        else:
            self.ended.set_result(None)
            self._transport.close()


def _length(head: bytes) -> int:
    _, found, rest = head.lower().partition(LENGTH)
    assert found, f"an answer without a length: {head!r}"
    return int(rest.partition(b"\r\n")[0])


@dataclass(frozen=True, slots=True)
class Answered:
    count: int
    seconds: float


async def load(target: Target, *, connections: int, seconds: float) -> Answered:
    loop, request = asyncio.get_running_loop(), target.request()
    begun = time.perf_counter()
    pairs = [
        await loop.create_connection(lambda: Caller(request, begun + seconds), "127.0.0.1", target.port)
        for _ in range(connections)
    ]
    callers = [caller for _, caller in pairs]
    await asyncio.wait_for(asyncio.gather(*(caller.ended for caller in callers)), seconds + 60)
    return Answered(sum(caller.answers for caller in callers), time.perf_counter() - begun)
