"""Threads that read, each by a connection of its own that cannot write."""

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

    def ask(self, question: Callable[[sqlite3.Connection], T]) -> Awaitable[T]:
        return asyncio.get_running_loop().run_in_executor(self._threads, self._answer, question)

    def tell(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """At once, in the thread that asks: for what is quickly looked up."""
        return self._answer(question)

    def close(self) -> None:
        self._threads.shutdown()
        for connection in self._opened:
            connection.close()

    def _answer(self, question: Callable[[sqlite3.Connection], T]) -> T:
        if not hasattr(self._own, "connection"):
            self._own.connection = open_reader(self._path)
            self._opened.append(self._own.connection)
        return question(self._own.connection)
