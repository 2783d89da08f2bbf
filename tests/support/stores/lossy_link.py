"""A link to Valkey that loses replies: commands are executed, but their replies do not arrive."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

_CHUNK = 65536


class LossyLink:
    """A socket in front of another one. On request, every other reply is lost with its connection.

    A link that is deaf takes what it is given and answers nothing.
    """

    def __init__(self, upstream: Path, path: Path) -> None:
        self._upstream = upstream
        self._path = path
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._loses_next = False
        self._is_losing = False
        self.is_deaf = False
        self.lost = 0

    @property
    def url(self) -> str:
        return f"unix://{self._path}"

    async def open(self) -> None:
        self._server = await asyncio.start_unix_server(self._serve, self._path)

    def lose_every_other(self) -> None:
        self._is_losing = self._loses_next = True

    def lose_next(self) -> None:
        self._loses_next = True

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await self._link(reader, writer)
        writer.close()

    async def _link(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_unix_connection(self._upstream)
        asked = asyncio.Event()
        asking = asyncio.ensure_future(self._pass_on(reader, there_writer, asked))
        try:
            await self._answer(there_reader, writer, asked)
        finally:
            asking.cancel()
            there_writer.close()

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: asyncio.Event
    ) -> None:
        while chunk := await reader.read(_CHUNK):
            if b"EVALSHA" in chunk:
                asked.set()
            writer.write(chunk)
            await writer.drain()
        writer.close()

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: asyncio.Event
    ) -> None:
        """Only replies to scripts are lost, not those of the handshake."""
        while chunk := await reader.read(_CHUNK):
            if self.is_deaf:
                continue
            if asked.is_set():
                asked.clear()
                if self._loses_next:
                    self._loses_next = False
                    self.lost += 1
                    return
                self._loses_next = self._is_losing
            writer.write(chunk)
            await writer.drain()
