"""Threads that run queries, each on its own read-only connection."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import local
from typing import TypeVar

from workroom.stores.sqlite.connection import open_reader

T = TypeVar("T")
_THREADS = 2


class Readers:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = ThreadPoolExecutor(_THREADS, "workroom-reader")
        self._own = local()
        self._opened: list[sqlite3.Connection] = []

    def run(self, query: Callable[[sqlite3.Connection], T]) -> Awaitable[T]:
        return asyncio.get_running_loop().run_in_executor(self._threads, self.run_here, query)

    def close(self) -> None:
        self._threads.shutdown()
        for connection in self._opened:
            connection.close()

    def run_here(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Run a query in the current thread: a lookup takes less time than a thread switch."""
        if not hasattr(self._own, "connection"):
            self._own.connection = open_reader(self._path)
            self._opened.append(self._own.connection)
        return query(self._own.connection)
