"""A server and a worker without any logic, for `idle_path.py`. They forward and store lines.

    python benchmarks/idle_links.py server FOLDER    prints its port
    python benchmarks/idle_links.py worker PORT      prints a line once the server knows it

One job at a time:

    caller  --submit-->  server  --job-->     worker
                         server  <--start--   worker
            commits      server  --go-->      worker, whose thread then stamps the time
                         server  <--finish--  worker
    caller  <--result--  server  commits
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Self, cast

import uvloop

BYTES = {
    b"hello": 150,
    b"welcome": 150,
    b"submit": 200,
    b"job": 400,
    b"start": 150,
    b"go": 150,
    b"finish": 150,
    b"result": 150,
}
KEPT, UNKEPT = b"kept", b"unkept"
NO_STAMP = b"0"
ROW = bytes(300)
LOG_BYTES = 16_000_000  # more than a run writes

Hear = Callable[["Link", bytes, bytes, bytes], None]


class Link(asyncio.Protocol):
    """One end of a connection. A line has a verb, a flag for storage, a timestamp and padding."""

    def __init__(self, hear: Hear) -> None:
        self._hear = hear
        self._rest = b""

    @classmethod
    async def to(cls, port: int, hear: Hear) -> Self:
        loop = asyncio.get_running_loop()
        _, link = await loop.create_connection(lambda: cls(hear), "127.0.0.1", port)
        return link

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            word, kept, stamp = line.split()
            self._hear(self, word, kept, stamp)

    def say(self, word: bytes, kept: bytes, stamp: bytes = NO_STAMP) -> None:
        line = b" ".join((word, kept, stamp))
        self._transport.write(line.ljust(BYTES[word] - 1) + b"\n")


class Journal:
    """A SQLite file that is written like Workroom's.

    Its log has been full and is written over: to grow a file makes a commit dearer, and Workroom's log, which
    is moved into the file after some hundred commits, seldom grows.
    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA wal_autocheckpoint = 0")
        self._connection.execute("CREATE TABLE steps (n INTEGER PRIMARY KEY, body BLOB)")
        self._connection.execute("INSERT INTO steps (body) VALUES (zeroblob(?))", (LOG_BYTES,))
        self._connection.execute("PRAGMA wal_checkpoint(RESTART)")

    def write(self) -> None:
        """One row, one commit, one fdatasync."""
        self._connection.execute("INSERT INTO steps (body) VALUES (?)", (ROW,))

    def read(self) -> object:
        return self._connection.execute("SELECT n FROM steps WHERE n = 1").fetchone()


class Server:
    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._caller: Link
        self._worker: Link

    def hear(self, link: Link, word: bytes, kept: bytes, stamp: bytes) -> None:
        match word:
            case b"hello":
                self._worker = link
                link.say(b"welcome", kept)
            case b"submit":
                self._caller = link
                self._worker.say(b"job", kept)
            case b"start":
                self._keep(kept)
                link.say(b"go", kept)
            case b"finish":
                self._keep(kept)
                self._caller.say(b"result", kept, stamp)

    def _keep(self, kept: bytes) -> None:
        if kept == KEPT:
            self._journal.write()


class Worker:
    """Jobs run in a thread, as user code does."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._granted: SimpleQueue[tuple[Link, bytes]] = SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def hear(self, link: Link, word: bytes, kept: bytes, stamp: bytes) -> None:
        match word:
            case b"welcome":
                print("welcome", flush=True)
            case b"job":
                link.say(b"start", kept)
            case b"go":
                self._granted.put((link, kept))

    def _run(self) -> None:
        while True:
            link, kept = self._granted.get()
            stamp = time.monotonic_ns()
            self._loop.call_soon_threadsafe(link.say, b"finish", kept, b"%d" % stamp)


async def serve(folder: Path) -> None:
    server = Server(Journal(folder / "journal.sqlite"))
    listening = await asyncio.get_running_loop().create_server(lambda: Link(server.hear), "127.0.0.1", 0)
    print(listening.sockets[0].getsockname()[1], flush=True)
    await until_left()


async def work(port: int) -> None:
    link = await Link.to(port, Worker().hear)
    link.say(b"hello", UNKEPT)
    await until_left()


async def until_left() -> None:
    """Wait until standard input closes, because the parent process has ended."""
    left = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin, left.set)
    await left.wait()


if __name__ == "__main__":
    role, where = sys.argv[1:]
    uvloop.run(serve(Path(where)) if role == "server" else work(int(where)))
