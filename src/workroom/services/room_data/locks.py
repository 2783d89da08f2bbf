"""Locks: acquired at once or after a wait, kept alive, released, broken, expired."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog

from workroom.domain.identity import Principal
from workroom.domain.permissions import Permission
from workroom.domain.queries import FindExpiredLocks, FindLocks
from workroom.domain.room_data.locks import Acquired, Lock, LockLimits, LockRequest, digest_of
from workroom.domain.rules.refusals import lock_queue, locked
from workroom.errors import WorkroomError
from workroom.ports import Clock, ReadableStore
from workroom.services.identity.access import Access
from workroom.services.room_data.data_steps import DataSteps

log = structlog.get_logger()

_SECOND_US = 1_000_000
_EXPIRY_SECONDS = 1.0
_IDLE_SECONDS = 60.0  # without locks that this server granted
_POLL_SECONDS = 0.5  # another server may have freed the lock; and the place in the queue is kept alive


@dataclass(frozen=True, slots=True)
class Acquisition:
    """What a client sends to acquire a lock. `wait_s` is how long it waits for its turn."""

    room: str
    target: str
    token: str
    message: str
    ttl_s: float
    wait_s: float


class Locks:
    def __init__(
        self,
        store: ReadableStore,
        steps: DataSteps,
        access: Access,
        clock: Clock,
        limits: LockLimits,
    ) -> None:
        self._store = store
        self._steps = steps
        self._access = access
        self._clock = clock
        self._limits = limits
        self._held_until_us = 0
        self._granted = asyncio.Event()
        self._waiting: dict[tuple[str, str], set[asyncio.Event]] = {}
        steps.on_free(self._wake)

    async def acquire(
        self, who: Principal, wanted: Acquisition, is_gone: Callable[[], Awaitable[bool]]
    ) -> Lock:
        """Wait for the caller's turn as long as they wait for it. Raises Locked if it did not come.

        A caller who is not granted the lock in time keeps their place in the queue for some seconds, so
        that they can ask again.
        """
        deadline = self._clock.monotonic() + wanted.wait_s
        request = self._request(who, wanted)
        async with self._woken(wanted.room, wanted.target) as woken:
            while True:
                woken.clear()
                await self._access.room(who, wanted.room, Permission.EDIT_DATA)
                acquired = await self._steps.acquire(request)
                left = deadline - self._clock.monotonic()
                if acquired.is_granted and acquired.lock is not None:
                    self._note(acquired.lock)
                    return await self._keep(request, acquired.lock, is_gone)
                if left <= 0:
                    raise self._refusal(wanted.target, acquired)
                if await is_gone():
                    await self._steps.release(request.room, request.target, request.digest)
                    raise self._refusal(wanted.target, acquired)
                await _wait(woken, min(left, _POLL_SECONDS))

    async def _keep(self, request: LockRequest, lock: Lock, is_gone: Callable[[], Awaitable[bool]]) -> Lock:
        """Release a lock whose client disconnected while it waited: nobody would use it."""
        if request.waits and await is_gone():
            await self._steps.release(request.room, request.target, request.digest)
        return lock

    def _request(self, who: Principal, wanted: Acquisition) -> LockRequest:
        return LockRequest(
            wanted.room,
            wanted.target,
            digest_of(who.user, wanted.token),
            who.user,
            who.job,
            wanted.message,
            int(wanted.ttl_s * _SECOND_US),
            wanted.wait_s > 0,
            self._limits,
        )

    def _refusal(self, target: str, acquired: Acquired) -> WorkroomError:
        lock = acquired.lock
        if lock is None:
            return lock_queue(target, acquired.ahead)
        age_us = self._clock.now_us() - lock.acquired_us
        refusal = locked(target, lock.user, lock.job_id, lock.message, age_us)
        refusal.fields["ahead"] = acquired.ahead
        return refusal

    async def refresh(
        self, who: Principal, room: str, target: str, token: str, ttl_s: float | None, message: str | None
    ) -> Lock:
        ttl_us = None if ttl_s is None else int(ttl_s * _SECOND_US)
        lock = await self._steps.refresh(room, target, digest_of(who.user, token), ttl_us, message)
        self._note(lock)
        return lock

    async def release(self, who: Principal, room: str, target: str, token: str) -> bool:
        """Release a lock or leave its queue. Return whether it was held."""
        return await self._steps.release(room, target, digest_of(who.user, token))

    async def break_lock(self, room: str, target: str) -> Lock | None:
        return await self._steps.break_lock(room, target)

    async def of_room(self, room: str) -> list[Lock]:
        return await self._store.read(FindLocks(room, self._clock.now_us()))

    async def run(self) -> None:
        """Publish the end of locks that expire: soon if this server granted them, else within a minute."""
        while True:
            try:
                expired = await self._store.read(FindExpiredLocks(self._clock.now_us()))
                if expired:
                    await self._steps.expire(expired)
            except WorkroomError as error:
                log.warning("locks_not_expired", reason=error.detail)
            if self._clock.now_us() < self._held_until_us + 2 * _EXPIRY_SECONDS * _SECOND_US:
                await asyncio.sleep(_EXPIRY_SECONDS)
            else:
                self._granted.clear()
                await _wait(self._granted, _IDLE_SECONDS)

    def _note(self, lock: Lock) -> None:
        self._held_until_us = max(self._held_until_us, lock.expires_us)
        self._granted.set()

    @asynccontextmanager
    async def _woken(self, room: str, target: str) -> AsyncIterator[asyncio.Event]:
        """An event that is set when this server frees the lock."""
        event = asyncio.Event()
        waiting = self._waiting.setdefault((room, target), set())
        waiting.add(event)
        try:
            yield event
        finally:
            waiting.discard(event)
            if not waiting:
                self._waiting.pop((room, target), None)

    def _wake(self, room: str, target: str) -> None:
        for event in self._waiting.get((room, target), ()):
            event.set()


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
