"""Sends items in batches: those that arrive while a batch is under way form the next one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

from workroom.client.transport.problems import problem
from workroom.domain.job import Fence
from workroom.errors import StaleAttempt, WorkroomError
from workroom.runtime.outcome import to_text

log = logging.getLogger(__name__)

T = TypeVar("T")
Refusals = Sequence[WorkroomError | None]  # for each item why it was refused, or None
_BATCH_ITEMS = 256
_BATCH_BYTES = 3_500_000  # a message may have 4 MB
_RETRY_SECONDS = 0.5
_MAX_RETRY_SECONDS = 30.0
_CLOSE_SECONDS = 5.0
_FLUSH_SECONDS = 10.0


class Outbox(Generic[T]):
    """Sends each item until it is accepted or refused for good; the server recognises repeats.

    `refused` gets the items that were refused for good. A batch that is refused as a whole is sent again item
    by item, so that one bad item does not affect the others.
    """

    def __init__(
        self,
        send: Callable[[list[T]], Awaitable[Refusals]],
        refused: Callable[[T, WorkroomError], None],
        size: Callable[[T], int] | None = None,
    ) -> None:
        self._send = send
        self._refused = refused
        self._size = size
        self._waiting: list[T] = []
        self._wake = asyncio.Event()
        self._is_open = True
        self._max_items = _BATCH_ITEMS
        self._max_bytes = _BATCH_BYTES
        self._task = asyncio.get_running_loop().create_task(self._run())

    def put(self, item: T) -> None:
        self._waiting.append(item)
        self._wake.set()

    def limit(self, items: int, size: int) -> None:
        """Set how many items and bytes one message may have."""
        self._max_items = items
        self._max_bytes = min(_BATCH_BYTES, size * 7 // 8)

    async def aclose(self) -> None:
        """Wait for the reply to the batch that is under way, and send nothing more."""
        self._is_open = False
        self._wake.set()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._task
        except TimeoutError:
            return

    async def _run(self) -> None:
        while await self._wake.wait() and self._is_open:
            batch = self._next_batch()
            refusals = await self._refusals(batch)
            refused = [(item, why) for item, why in zip(batch, refusals, strict=True) if why is not None]
            again = [item for item, why in refused if why.retryable]
            self._waiting[: len(batch)] = again
            for item, why in refused:
                if not why.retryable:
                    self._give_up(item, why)
            if again:
                await asyncio.sleep(_pause([why for _, why in refused if why.retryable]))
            if not self._waiting and self._is_open:
                self._wake.clear()

    async def _refusals(self, batch: list[T]) -> Refusals:
        try:
            return await self._send(batch)
        except WorkroomError as error:
            if error.retryable or len(batch) == 1:
                return [error] * len(batch)
        except Exception as error:  # must not stop the sender, which all jobs share
            log.exception("cannot send a report")
            if len(batch) == 1:
                return [WorkroomError(f"it cannot be sent: {to_text(error, repr)}")]
        return [(await self._refusals([item]))[0] for item in batch]

    def _give_up(self, item: T, why: WorkroomError) -> None:
        try:
            self._refused(item, why)
        except Exception:
            log.exception("cannot handle a refused report")

    def _size_of(self, item: T) -> int:
        try:
            return 0 if self._size is None else self._size(item)
        except Exception:  # of an item that cannot be encoded: sending it shows why
            return 0

    def _next_batch(self) -> list[T]:
        if self._size is None:
            return self._waiting[: self._max_items]
        batch, size = self._waiting[:1], self._size_of(self._waiting[0])
        for item in self._waiting[1 : self._max_items]:
            size += self._size_of(item)
            if size > self._max_bytes:
                break
            batch.append(item)
        return batch


class Flush:
    """Waits until everything is sent, with a timeout: the end of a job matters more than its output."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()

    def changed(self) -> None:
        self._changed.set()

    async def wait_until(self, is_sent: Callable[[], bool]) -> None:
        if is_sent():
            return
        try:
            async with asyncio.timeout(_FLUSH_SECONDS):
                while not is_sent():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return


def refusals_in(reply: Any) -> Refusals:
    """The verdict of an ack on each item."""
    return [None if each is None else problem(each, 500) for each in reply["answers"]]


def log_refusal(what: str, fence: Fence, why: WorkroomError) -> None:
    """Do not log stale attempts: they are expected."""
    if not isinstance(why, StaleAttempt):
        log.warning("the server refused %s of job %s: %s", what, fence.job_id, why.detail)


def _pause(refusals: Sequence[WorkroomError]) -> float:
    """As long as the server requests, within limits."""
    requested: float = max(each.fields.get("retry_after_ms", 0) for each in refusals) / 1000
    return min(max(requested, _RETRY_SECONDS), _MAX_RETRY_SECONDS)
