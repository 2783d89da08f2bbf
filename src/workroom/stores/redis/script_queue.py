"""Sends scripts to the server in the order in which they were requested, many in one round trip."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import uuid4

import structlog
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import NoScriptError, RedisError
from redis.exceptions import TimeoutError as RedisTimeout

from workroom.domain.storage.activity import StoreActivity
from workroom.errors import StoreReplaced, StoreUnavailable, StoreUnsafe
from workroom.ports import Clock
from workroom.stores.redis.connection import TIMEOUT_SECONDS, Command, Connection
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.messages.codec import pack, unpack
from workroom.stores.redis.messages.refusals import refusal
from workroom.stores.redis.scripts import SCRIPTS

T = TypeVar("T")
log = structlog.get_logger()

OPEN = "open"
_REPLICAS_MS = 400
_RETRY_SECONDS = 0.1
_BATCH = 256
_BATCH_BYTES = 500_000
_REPLIES_SECONDS = 600


@dataclass(slots=True)
class _Call(Generic[T]):
    script: str
    arguments: bytes
    times: tuple[str, str]
    before: Sequence[Command]
    decode: Callable[[Any], T]
    future: asyncio.Future[T]
    deadline: float
    undo: Callable[[], Coroutine[Any, Any, object]] | None = None
    sendings: int = 0
    number: int = 0
    replies: str = ""


class ScriptQueue:
    """Runs each script once: a call whose reply was lost is sent again under the same number.

    The server remembers the replies of a round trip until the next one acknowledges them. Every script checks
    the epoch of the store before it changes anything: after the first `open` it is known.
    """

    def __init__(
        self,
        connection: Connection,
        clock: Clock | None,
        on_recovered: Callable[[], object],
        *,
        epoch: str = "",
        replicas: int = 0,
    ) -> None:
        """Create a queue for the store of this epoch, or for any if it is empty.

        `on_recovered` is called when the server replies again after an outage. A round trip counts once so
        many replicas have it.
        """
        self._connection = connection
        self._clock = clock
        self._on_recovered = on_recovered
        self.epoch = epoch
        self._replicas = replicas
        self._refused_open: Exception | None = None
        self.is_open = False
        self.is_replaced = False
        self.stopped = ""  # why no call may be sent at the moment
        self._loop = asyncio.get_running_loop()
        self._id = uuid4().hex
        self._waiting: deque[_Call[Any]] = deque()
        self._wake = asyncio.Event()
        self._is_closed = False
        self._is_unreachable = False
        self._calls = 0
        self._round_trips = 0
        self._acknowledged = ""
        self.activity = StoreActivity()
        self._last_failure = ""
        self._tracked: set[asyncio.Task[Any]] = set()
        self._task = self._loop.create_task(self._run(), name="workroom-redis-scripts")

    def run(
        self,
        script: str,
        arguments: dict[str, object],
        decode: Callable[[Any], T],
        *,
        before: Sequence[Command] = (),
        undo: Callable[[], Coroutine[Any, Any, object]] | None = None,
    ) -> asyncio.Future[T]:
        """Queue a script call. The commands in `before` are idempotent, and precede it in one transaction.

        If they take effect but the script is refused, for want of memory or in another store, `undo` is run.
        """
        if self._is_closed:
            raise StoreUnavailable("the store is closed")
        deadline = self._loop.time() + TIMEOUT_SECONDS
        future: asyncio.Future[T] = self._loop.create_future()
        if self.stopped or (self.is_replaced and before):
            future.set_exception(StoreUnsafe(self.stopped) if self.stopped else StoreReplaced())
            return future
        call = _Call(script, pack(arguments), self._times(), before, decode, future, deadline, undo)
        self._waiting.append(call)
        self._wake.set()
        return future

    def track(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run a coroutine as a task that `aclose` waits for."""
        task = self._loop.create_task(work)
        self._tracked.add(task)
        task.add_done_callback(self._tracked.discard)
        return task

    async def aclose(self) -> None:
        self._is_closed = True
        self._wake.set()
        await asyncio.gather(self._task, *self._tracked, return_exceptions=True)

    def _times(self) -> tuple[str, str]:
        """Return wall and monotonic time in microseconds; empty makes the script use the server's time."""
        if self._clock is None:
            return "", ""
        return str(self._clock.now_us()), str(round(self._clock.monotonic() * 1_000_000))

    async def _run(self) -> None:
        while self._waiting or not self._is_closed:
            if not self._waiting:
                self._wake.clear()
                await self._wake.wait()
                continue
            calls = self._next_batch()
            if self._refused_open is not None and calls[0].script != OPEN:
                for call in calls:
                    _fail(call, self._refused_open)
                continue
            self._number(calls)
            await self._deliver(calls)

    def _next_batch(self) -> list[_Call[Any]]:
        """Take as many calls as the server can run within the timeout. What follows `open` depends on it."""
        calls = [self._waiting.popleft()]
        size = len(calls[0].arguments)
        while self._may_join(calls) and size < _BATCH_BYTES:
            calls.append(self._waiting.popleft())
            size += len(calls[-1].arguments)
        return calls

    def _may_join(self, calls: list[_Call[Any]]) -> bool:
        if not self._waiting or len(calls) >= _BATCH:
            return False
        return calls[0].script != OPEN and self._waiting[0].script != OPEN

    def _number(self, calls: list[_Call[Any]]) -> None:
        self._round_trips += 1
        replies = scheduling("replies", self._id, str(self._round_trips))
        for call in calls:
            self._calls += 1
            call.number, call.replies = self._calls, replies

    async def _deliver(self, calls: list[_Call[Any]]) -> None:
        replies, pause = calls[0].replies, 0.0
        self._last_failure = "no reply"
        while calls:
            try:
                async with asyncio.timeout_at(min(call.deadline for call in calls)):
                    begun = self._loop.time()
                    received = await self._send(calls)
                self.activity.committed(len(calls), self._loop.time() - begun)
                calls = self._resolve(calls, received)
            except (RedisError, OSError, TimeoutError) as error:
                calls = self._drop_expired(calls, error)
                await asyncio.sleep(pause)
                pause = _RETRY_SECONDS
            except Exception as error:  # a bug in one call must not stop the queue
                for call in calls:
                    _fail(call, error)
                calls = []
        self._acknowledged = replies

    async def _send(self, calls: list[_Call[Any]]) -> list[Any]:
        """Return the reply of each call, or the error that kept it from taking effect."""
        commands: list[Command] = [("UNLINK", self._acknowledged)] if self._acknowledged else []
        for call in calls:
            call.sendings += 1
            commands += self._commands(call)
        commands.append(("EXPIRE", calls[0].replies, _REPLIES_SECONDS))
        if self._replicas:
            commands.append(("WAIT", self._replicas, _REPLICAS_MS))
        replies = await self._connection.send(commands)
        if self._replicas:
            self._require_replicas(replies.pop())
        outcomes = _outcomes(calls, replies[bool(self._acknowledged) : -1])
        if any(isinstance(outcome, NoScriptError) for outcome in outcomes):
            await self._load({call.script for call in calls})
        return outcomes

    def _commands(self, call: _Call[Any]) -> list[Command]:
        """A transaction if the call has more than one command: when memory is full, a server refuses single
        commands of a pipeline and runs those behind them.
        """
        digest, number = SCRIPTS[call.script].digest, call.number
        script: Command = (
            "EVALSHA",
            digest,
            1,
            call.replies,
            number,
            *call.times,
            call.arguments,
            self.epoch,
        )
        return [("MULTI",), *call.before, script, ("EXEC",)] if call.before else [script]

    def _require_replicas(self, confirmed: Any) -> None:
        """Send the calls again, which changes nothing, until enough replicas have them."""
        if isinstance(confirmed, Exception):
            raise confirmed
        if confirmed < self._replicas:
            raise RedisTimeout(f"{confirmed} of {self._replicas} replicas have confirmed")

    async def _load(self, names: set[str]) -> None:
        """Load these scripts only: all of them would take 2 MB of the server's memory."""
        await self._connection.send([("SCRIPT", "LOAD", SCRIPTS[name].text) for name in names])

    def _resolve(self, calls: list[_Call[Any]], outcomes: list[Any]) -> list[_Call[Any]]:
        """Resolve the futures of these calls, and return the calls to send again."""
        again: list[_Call[Any]] = []
        for call, outcome in zip(calls, outcomes, strict=True):
            if isinstance(outcome, NoScriptError):
                call.sendings = 0  # it did not run
                again.append(call)
            elif isinstance(outcome, Disconnected | RedisTimeout):
                raise outcome
            elif isinstance(outcome, Exception):
                self._undo(call)
                self._end(call, StoreUnavailable(f"the store refused: {outcome}"))
            else:
                self._complete(call, outcome)
        if not again and self._is_unreachable:
            self._is_unreachable = False
            self._on_recovered()
        return again

    def _drop_expired(self, calls: list[_Call[Any]], error: Exception) -> list[_Call[Any]]:
        """Fail the calls whose deadline has passed, and return the others."""
        now = self._loop.time()
        self._last_failure = str(error) or self._last_failure
        for call in [*calls, *self._waiting]:
            if call.deadline <= now:
                self._is_unreachable = True
                self._end(call, StoreUnavailable(f"the store cannot be reached: {self._last_failure}"))
        self._waiting = deque(call for call in self._waiting if call.deadline > now)
        return [call for call in calls if call.deadline > now]

    def _complete(self, call: _Call[Any], packed: bytes) -> None:
        is_refused, *rest = unpack(packed)
        try:
            if is_refused:
                raise refusal(*rest)
            result = call.decode(rest[0] if rest else None)
        except Exception as error:
            self._end(call, error)
            return
        self._note_replaced(is_replaced=False)
        if call.script == OPEN:
            self.epoch, self.is_open, self._refused_open = str(rest[0]), True, None
        if not call.future.done():
            call.future.set_result(result)

    def _end(self, call: _Call[Any], error: Exception) -> None:
        """Fail a call. Until the store is open, nothing may follow a failed `open`."""
        if isinstance(error, StoreReplaced):
            self._note_replaced(is_replaced=True)
            self._undo(call)
        if call.script == OPEN and not self.is_open:
            self._refused_open = error
        _fail(call, error)

    def _undo(self, call: _Call[Any]) -> None:
        """A call that was sent before may have taken effect then: nothing of it may be undone."""
        if call.undo is not None and call.sendings == 1:
            undoing = self.track(call.undo())
            undoing.add_done_callback(_retrieve_exception)

    def _note_replaced(self, *, is_replaced: bool) -> None:
        if is_replaced and not self.is_replaced and self.is_open:
            outcome = "nothing is read or written until the store is back"
            log.error("store_replaced", expected_epoch=self.epoch, outcome=outcome)
        elif self.is_replaced and not is_replaced:
            log.warning("store_back", epoch=self.epoch)
        self.is_replaced = is_replaced


def _outcomes(calls: list[_Call[Any]], replies: list[Any]) -> list[Any]:
    """The reply of each script. That of a transaction is an error if one of its commands was refused."""
    outcomes: list[Any] = []
    at = 0
    for call in calls:
        if not call.before:
            outcomes.append(replies[at])
            at += 1
            continue
        end = at + len(call.before) + 3
        queued, executed = replies[at : end - 1], replies[end - 1]
        refused = [reply for reply in (*queued, executed) if isinstance(reply, Exception)]
        found = refused or [reply for reply in executed if isinstance(reply, Exception)] or executed[-1:]
        outcomes.append(found[0])
        at = end
    return outcomes


def _retrieve_exception(done: asyncio.Future[Any]) -> None:
    """Mark the exception as retrieved: what could not be undone takes up memory and nothing else."""
    if not done.cancelled():
        done.exception()


def _fail(call: _Call[Any], error: Exception) -> None:
    if not call.future.done():
        call.future.set_exception(error)
