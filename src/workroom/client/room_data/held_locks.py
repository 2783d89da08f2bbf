"""The locks that a client holds: acquired in order, refreshed in the background, released at the end."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self

from workroom.client.requests import Request
from workroom.client.room_data import data_requests as requests
from workroom.errors import Locked, LockLost, NotFound, WorkroomError

Send = Callable[[Request], Awaitable[Any]]
_WAIT_SECONDS = 15.0  # of one request; below the time after which another server is tried
_RETRY_SECONDS = 0.2
_RELEASE_SECONDS = 5.0


class HeldLock:
    """A lock that this client holds, however often it entered it."""

    def __init__(self, room: str, target: str, send: Send, ttl: float) -> None:
        self.target = target
        self.token = secrets.token_urlsafe(24)
        self.fence = 0
        self.entered = 0
        self.is_lost = False
        self._room = room
        self._send = send
        self._ttl = ttl
        self._refreshing: asyncio.Task[None] | None = None

    async def acquire(self, message: str, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        try:
            document = await self._wait(message, deadline)
        except BaseException:
            await self._withdraw()
            raise
        self.fence = document["fence"]
        self._refreshing = loop.create_task(self._refresh(), name=f"workroom-lock-{self.target}")

    async def _wait(self, message: str, deadline: float) -> Any:
        loop = asyncio.get_running_loop()
        while True:
            left = max(0.0, deadline - loop.time())
            wait = min(left, _WAIT_SECONDS)
            request = requests.acquire_lock(self._room, self.target, self.token, message, self._ttl, wait)
            try:
                return await self._send(request)
            except WorkroomError as error:
                if not error.retryable or loop.time() >= deadline:
                    raise
                if not isinstance(error, Locked):
                    await asyncio.sleep(_RETRY_SECONDS)

    async def _withdraw(self) -> None:
        """Leave the queue: the reply that granted the lock may be lost, too."""
        release = asyncio.ensure_future(
            self._send(requests.release_lock(self._room, self.target, self.token))
        )
        with contextlib.suppress(WorkroomError, TimeoutError, asyncio.CancelledError):
            await asyncio.wait_for(asyncio.shield(release), _RELEASE_SECONDS)
        release.add_done_callback(_retrieve_exception)

    async def message(self, text: str) -> None:
        """Change what others read about this lock."""
        await self._send(requests.refresh_lock(self._room, self.target, self.token, text))

    async def release(self) -> None:
        if self._refreshing is not None:
            self._refreshing.cancel()
            await asyncio.gather(self._refreshing, return_exceptions=True)
        await self._withdraw()

    async def _refresh(self) -> None:
        """Refresh three times per lifetime. After a lifetime without success, the lock is lost."""
        loop = asyncio.get_running_loop()
        expires, pause = loop.time() + self._ttl, self._ttl / 3
        while not self.is_lost:
            await asyncio.sleep(min(pause, max(0.0, expires - loop.time())))
            began = loop.time()
            try:
                async with asyncio.timeout_at(max(expires, began + 1)):
                    await self._send(requests.refresh_lock(self._room, self.target, self.token))
                expires, pause = began + self._ttl, self._ttl / 3
            except (LockLost, NotFound):
                self.is_lost = True
            except (WorkroomError, TimeoutError):
                pause = min(self._ttl / 10, 1.0)
                self.is_lost = loop.time() >= expires


class HeldLocks:
    """The locks of one client, by target. A target that is held is entered again without a request."""

    def __init__(self, room: str, send: Send) -> None:
        self._room = room
        self._send = send
        self._held: dict[str, HeldLock] = {}
        self._acquiring: dict[str, asyncio.Lock] = {}

    async def enter(self, target: str, message: str, seconds: float, ttl: float) -> HeldLock:
        async with self._acquiring.setdefault(target, asyncio.Lock()):
            lock = self._held.get(target)
            if lock is None:
                lock = HeldLock(self._room, target, self._send, ttl)
                await lock.acquire(message, seconds)
                self._held[target] = lock
            _valid(lock).entered += 1
            return lock

    async def leave(self, lock: HeldLock) -> None:
        lock.entered -= 1
        if lock.entered == 0:
            self._held.pop(lock.target, None)
            await lock.release()

    def header(self, key: str) -> dict[str, str]:
        """The header with which the holder of a document's lock writes it. Raises LockLost."""
        lock = self._held.get(key.partition(".")[0])
        return {} if lock is None else {"Lock-Token": _valid(lock).token}

    def headers(self) -> dict[str, str]:
        """The same, for a change of several documents."""
        tokens = [_valid(lock).token for lock in self._held.values()]
        return {"Lock-Token": ", ".join(tokens)} if tokens else {}

    async def release_all(self) -> None:
        held, self._held = [*self._held.values()], {}
        await asyncio.gather(*(lock.release() for lock in held))


class AsyncLock:
    """Use it as `async with room.lock("frames", message="Uploading 1000 frames", timeout=30):`."""

    def __init__(self, locks: HeldLocks, target: str, message: str, timeout: float, ttl: float) -> None:
        self.target = target
        self._locks = locks
        self._options = (message, timeout, ttl)
        self._entered: list[HeldLock] = []

    @property
    def fence(self) -> int:
        """A number that is higher for each later holder."""
        return self._lock.fence

    @property
    def is_lost(self) -> bool:
        """Whether the lock expired or was broken, as far as is known."""
        return self._lock.is_lost

    @property
    def _lock(self) -> HeldLock:
        if not self._entered:
            raise RuntimeError("this lock is not held: use it as `with room.lock(...) as lock:`")
        return self._entered[-1]

    async def message(self, text: str) -> None:
        """Change what others read about this lock."""
        await self._lock.message(text)

    async def __aenter__(self) -> Self:
        self._entered.append(await self._locks.enter(self.target, *self._options))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._locks.leave(self._entered.pop())


def _valid(lock: HeldLock) -> HeldLock:
    if lock.is_lost:
        raise LockLost(f"the lock on '{lock.target}' has expired or was broken", target=lock.target)
    return lock


def _retrieve_exception(done: asyncio.Future[Any]) -> None:
    """Mark the exception as retrieved: what cannot be released expires."""
    if not done.cancelled():
        done.exception()
