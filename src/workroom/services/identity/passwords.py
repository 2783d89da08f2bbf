"""Hashes and verifies passwords in a small thread pool."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from workroom.errors import InvalidRequest
from workroom.services.limits.fair_queue import FairQueue

T = TypeVar("T")
MIN_PASSWORD = 8


class Passwords:
    """A check takes 0.1 s of a core, so the queue is bounded, in all and per address."""

    def __init__(self, threads: int = 2, max_waiting: int = 40, max_per_address: int = 4) -> None:
        self._hasher = PasswordHasher()
        self._nobody = self._hasher.hash(secrets.token_hex())
        self._queue = FairQueue("password checks", threads, max_waiting, max_per_address)
        self._threads = ThreadPoolExecutor(threads, "passwords")

    async def hash(self, password: str, address: str = "") -> str:
        return await self._run(address, lambda: self._hasher.hash(password))

    async def verify(self, hashed: str | None, password: str, address: str = "") -> bool:
        """Without a hash the check takes as long, and fails."""
        is_right = await self._run(address, lambda: self._matches(hashed or self._nobody, password))
        return is_right and hashed is not None

    async def _run(self, address: str, work: Callable[[], T]) -> T:
        async with self._queue.turn(address):
            done = asyncio.get_running_loop().run_in_executor(self._threads, work)
            try:
                return await asyncio.shield(done)
            except asyncio.CancelledError:
                await asyncio.wait([done])  # a thread cannot be stopped: its turn ends with it
                raise

    def _matches(self, hashed: str, password: str) -> bool:
        try:
            return self._hasher.verify(hashed, password)
        except (Argon2Error, InvalidHashError):
            return False


def strong(password: str) -> str:
    if len(password) < MIN_PASSWORD:
        raise InvalidRequest(f"a password needs at least {MIN_PASSWORD} characters")
    return password
