"""Readers of server-sent events, and readers that stall."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import httpx
from httpx_sse import ServerSentEvent, connect_sse

from workroom.testing.processes import eventually

Document = dict[str, Any]


def events(
    url: str, path: str, token: str, last_id: str = "", **params: Any
) -> Generator[ServerSentEvent, None, None]:
    """Read one stream until it ends or the caller closes the generator."""
    headers = {"Authorization": f"Bearer {token}", **({"Last-Event-ID": last_id} if last_id else {})}
    with (
        httpx.Client(base_url=url, timeout=30, headers=headers) as client,
        connect_sse(client, "GET", path, params=params) as source,
    ):
        source.response.raise_for_status()
        if source.response.status_code == 200:
            yield from source.iter_sse()


class Listener:
    """Reads a stream in the background, without reconnecting."""

    def __init__(self, url: str, path: str, token: str, last_id: str = "", **params: Any) -> None:
        self.heard: list[ServerSentEvent] = []
        self.is_over = False
        self._source = events(url, path, token, last_id, **params)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        try:
            self.heard.extend(iter(self._receive, None))
        except httpx.HTTPError:
            pass
        finally:
            self.is_over = True

    def _receive(self) -> ServerSentEvent | None:
        return next(self._source, None)

    def wait_open(self) -> None:
        eventually(lambda: self.heard, what="the first event of the stream")

    def wait_over(self) -> None:
        eventually(lambda: self.is_over, what="the end of the stream")

    def named(self, name: str) -> list[Document]:
        return [event.json() for event in list(self.heard) if event.event == name]

    def expect(self, name: str, /, **fields: Any) -> Document:
        def found() -> list[Document]:
            return [each for each in self.named(name) if all(each[key] == fields[key] for key in fields)]

        return eventually(found, 20, f"{name} with {fields}")[0]


class StalledReader:
    """A reader that requests a stream and then reads nothing."""

    def __init__(self, url: str, path: str, token: str) -> None:
        address = urlsplit(url)
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.connect((address.hostname, address.port))
        request = f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n"
        self._socket.sendall(request.encode())

    @property
    def is_closed(self) -> bool:
        """Whether the server has closed the connection, checked without reading."""
        try:
            self._socket.send(b"\r\n")
            return self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0
        except OSError:
            return True

    def close(self) -> None:
        self._socket.close()


class Crowd:
    """Many streams, read by one loop."""

    def __init__(self) -> None:
        self.heard = 0
        self.open = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._writers: list[asyncio.StreamWriter] = []

    async def listen(self, url: str, path: str, token: str, word: bytes) -> None:
        """Open one more stream; it counts once it has received `word`."""
        address = urlsplit(url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        request = f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n"
        writer.write(request.encode())
        await reader.readuntil(b"event: open")
        self.open += 1
        self._writers.append(writer)
        self._tasks.append(asyncio.get_running_loop().create_task(self._receive(reader, word)))

    async def _receive(self, reader: asyncio.StreamReader, word: bytes) -> None:
        await reader.readuntil(word)
        self.heard += 1

    async def all_heard(self, seconds: float) -> None:
        async with asyncio.timeout(seconds):
            await asyncio.gather(*self._tasks)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for writer in self._writers:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


@contextmanager
def stalled_reader(url: str, path: str, token: str) -> Iterator[StalledReader]:
    reader = StalledReader(url, path, token)
    try:
        yield reader
    finally:
        reader.close()
