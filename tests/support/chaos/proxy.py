"""A TCP proxy that fails on request: it closes connections, drops messages or holds all bytes back."""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
from collections import Counter
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Self

from support.chaos.frames import without_acks
from support.chaos.history import Journal

CUT = "connection cut"
SWALLOWED = "message swallowed"
ACK_SWALLOWED = "ack swallowed"
HELD_BACK = "bytes held back"
_CHUNK = 65536

Upstream = int | Path
_TURNS = 10
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class FaultProxy:
    """Listens on its own port, with its own event loop.

    Each connection goes to the first upstream that takes it: a port, or the path of a Unix socket.
    `seen` counts what happened, `swallowed` the messages since the last request to swallow some.
    """

    def __init__(self, *upstreams: Upstream, journal: Journal, words: tuple[bytes, ...] = ()) -> None:
        self._upstreams = upstreams
        self._journal = journal
        self._words = words
        self.seen: Counter[str] = Counter()
        self.swallowed = 0
        self._cut_after: tuple[int, int] | None = None
        self._chance = random.Random(0)
        self._swallowing: bytes | None = None
        self._swallowing_acks = False
        self._may_pass = asyncio.Event()
        self._may_pass.set()
        self._replies_may_pass = asyncio.Event()
        self._replies_may_pass.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fault-proxy", daemon=True)
        self._thread.start()
        self._server = self._do(asyncio.start_server(self._serve, "127.0.0.1", 0))

    @property
    def port(self) -> int:
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut_after(self, least: int, most: int, seed: int) -> None:
        """Close each new connection after a random number of bytes, in either direction."""
        self._chance = random.Random(seed)
        self._cut_after = (least, most)

    def swallow(self, word: bytes = b"") -> None:
        """Drop chunks from the server that contain `word`; the connection stays open."""
        self.swallowed = 0
        self._swallowing = word

    def swallow_acks(self) -> None:
        """Pass pushed jobs to the worker, and drop its acks."""
        self.swallowed = 0
        self._swallowing_acks = True

    def hold(self) -> None:
        """Hold back all bytes in both directions while connections stay open; pass them on later."""
        self._loop.call_soon_threadsafe(self._may_pass.clear)

    def hold_replies(self) -> None:
        """Hold back the bytes from the server, and pass those to it."""
        self._loop.call_soon_threadsafe(self._replies_may_pass.clear)

    def heal(self) -> None:
        self._cut_after = None
        self._swallowing_acks = False
        self._swallowing = None
        self._loop.call_soon_threadsafe(self._may_pass.set)
        self._loop.call_soon_threadsafe(self._replies_may_pass.set)

    def cut_all(self) -> int:
        """Abort all connections; return how many there were."""
        return int(self._do(self._cut_all()))

    def close(self) -> None:
        self._do(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _cut_all(self) -> int:
        connections = len(self._writers) // 2
        for _ in range(connections):
            self._cut()
        for writer in list(self._writers):
            writer.transport.abort()
        return connections

    async def _close(self) -> None:
        self._server.close()
        for _ in range(_TURNS):  # connections that were just accepted get to start, and are closed too
            await asyncio.sleep(0)
        await self._cut_all()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._join(reader, writer)
        except (OSError, asyncio.CancelledError):
            self.seen["broken"] += 1
        finally:
            writer.transport.abort()
            self._tasks.discard(task)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await self._reach()
        self.seen["connected"] += 1
        budget = [self._chance.randint(*self._cut_after)] if self._cut_after else []
        both = {writer, server_writer}
        self._writers |= both
        up = asyncio.create_task(self._pump(reader, server_writer, budget, is_down=False))
        down = asyncio.create_task(self._pump(server_reader, writer, budget, is_down=True))
        try:
            await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._writers -= both
            for pump in (up, down):
                pump.cancel()
            await asyncio.gather(up, down, return_exceptions=True)
            server_writer.transport.abort()

    async def _reach(self) -> Streams:
        for upstream in self._upstreams:
            with contextlib.suppress(OSError):
                return await _opened(upstream)
        raise ConnectionRefusedError("nobody is there")

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, budget: list[int], *, is_down: bool
    ) -> None:
        with contextlib.suppress(OSError):
            while chunk := await reader.read(_CHUNK):
                await self._pass()
                if is_down and not self._replies_may_pass.is_set():
                    chunk += await self._held_replies(reader)
                kept = self._kept_of_server(chunk) if is_down else self._kept_of_worker(chunk)
                if budget and len(kept) >= budget[0]:
                    writer.write(kept[: budget[0]])
                    self._cut()
                    return
                if budget:
                    budget[0] -= len(kept)
                writer.write(kept)
                await writer.drain()

    async def _pass(self) -> None:
        if not self._may_pass.is_set():
            self._journal.witness(HELD_BACK)
            self.seen["held"] += 1
            await self._may_pass.wait()

    async def _held_replies(self, reader: asyncio.StreamReader) -> bytes:
        """What the server sent until replies may pass, in one piece."""
        self._journal.witness(HELD_BACK)
        self.seen["held"] += 1
        await self._replies_may_pass.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.1):
                return await reader.read(_CHUNK)
        return b""

    def _kept_of_server(self, chunk: bytes) -> bytes:
        self.seen.update(word.decode() for word in self._words if word in chunk)
        if self._swallowing is None or self._swallowing not in chunk:
            return chunk
        self._swallow(SWALLOWED)
        return b""

    def _kept_of_worker(self, chunk: bytes) -> bytes:
        if not self._swallowing_acks:
            return chunk
        kept = without_acks(chunk)
        if len(kept) < len(chunk):
            self._swallow(ACK_SWALLOWED)
        return kept

    def _swallow(self, fault: str) -> None:
        self._journal.witness(fault)
        self.swallowed += 1

    def _cut(self) -> None:
        self._journal.witness(CUT)
        self.seen["cut"] += 1


async def _opened(upstream: Upstream) -> Streams:
    if isinstance(upstream, Path):
        return await asyncio.open_unix_connection(upstream)
    return await asyncio.open_connection("127.0.0.1", upstream)
