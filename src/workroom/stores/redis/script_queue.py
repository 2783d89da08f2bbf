"""Sends scripts to the server in the order in which they were requested, many in one round trip."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import uuid4

from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import NoScriptError, RedisError
from redis.exceptions import TimeoutError as RedisTimeout

from workroom.errors import StoreUnavailable
from workroom.ports import Clock
from workroom.stores.redis.connection import TIMEOUT_SECONDS, Command, Connection
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.messages.codec import pack, unpack
from workroom.stores.redis.messages.refusals import refusal
from workroom.stores.redis.scripts import SCRIPTS

T = TypeVar("T")

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
    number: int = 0
    replies: str = ""


class ScriptQueue:
    """Runs each script once: a call whose reply was lost is sent again under the same number.

    The server remembers the replies of a round trip until the next one acknowledges them.
    """

    def __init__(
        self, connection: Connection, clock: Clock | None, on_recovered: Callable[[], object]
    ) -> None:
        """Create a queue. `on_recovered` is called when the server replies again after an outage."""
        self._connection = connection
        self._clock = clock
        self._on_recovered = on_recovered
        self._loop = asyncio.get_running_loop()
        self._id = uuid4().hex
        self._waiting: deque[_Call[Any]] = deque()
        self._wake = asyncio.Event()
        self._is_closed = False
        self._is_unreachable = False
        self._calls = 0
        self._round_trips = 0
        self._acknowledged = ""
        self._tracked: set[asyncio.Task[Any]] = set()
        self._task = self._loop.create_task(self._run(), name="workroom-redis-scripts")

    def run(
        self,
        script: str,
        arguments: dict[str, object],
        decode: Callable[[Any], T],
        *,
        before: Sequence[Command] = (),
    ) -> asyncio.Future[T]:
        """Queue a script call. The commands in `before` are sent right before it and must be idempotent."""
        if self._is_closed:
            raise StoreUnavailable("the store is closed")
        deadline = self._loop.time() + TIMEOUT_SECONDS
        future: asyncio.Future[T] = self._loop.create_future()
        self._waiting.append(_Call(script, pack(arguments), self._times(), before, decode, future, deadline))
        self._wake.set()
        return future

    def track(self, work: Coroutine[Any, Any, T]) -> Awaitable[T]:
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
            self._number(calls)
            await self._deliver(calls)

    def _next_batch(self) -> list[_Call[Any]]:
        """Take as many calls as the server can run within the timeout."""
        calls = [self._waiting.popleft()]
        size = len(calls[0].arguments)
        while self._waiting and len(calls) < _BATCH and size < _BATCH_BYTES:
            calls.append(self._waiting.popleft())
            size += len(calls[-1].arguments)
        return calls

    def _number(self, calls: list[_Call[Any]]) -> None:
        self._round_trips += 1
        replies = scheduling("replies", self._id, str(self._round_trips))
        for call in calls:
            self._calls += 1
            call.number, call.replies = self._calls, replies

    async def _deliver(self, calls: list[_Call[Any]]) -> None:
        replies, pause = calls[0].replies, 0.0
        while calls:
            try:
                async with asyncio.timeout_at(min(call.deadline for call in calls)):
                    received = await self._send(calls)
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
        commands: list[Command] = [("UNLINK", self._acknowledged)] if self._acknowledged else []
        for call in calls:
            commands += call.before
            digest = SCRIPTS[call.script].digest
            commands.append(("EVALSHA", digest, 1, call.replies, call.number, *call.times, call.arguments))
        commands.append(("EXPIRE", calls[0].replies, _REPLIES_SECONDS))
        replies = await self._connection.send(commands)
        if any(isinstance(reply, NoScriptError) for reply in replies):
            await self._load({call.script for call in calls})
        return replies[bool(self._acknowledged) : -1]

    async def _load(self, names: set[str]) -> None:
        """Load these scripts only: all of them would take 2 MB of the server's memory."""
        await self._connection.send([("SCRIPT", "LOAD", SCRIPTS[name].text) for name in names])

    def _resolve(self, calls: list[_Call[Any]], replies: list[Any]) -> list[_Call[Any]]:
        """Resolve the futures of these calls, and return the calls to send again."""
        again: list[_Call[Any]] = []
        at = 0
        for call in calls:
            own = replies[at : at + len(call.before) + 1]
            at += len(call.before) + 1
            error = next((reply for reply in own if isinstance(reply, Exception)), None)
            if isinstance(error, NoScriptError):
                again.append(call)
            elif isinstance(error, Disconnected | RedisTimeout):
                raise error
            elif error is not None:
                _fail(call, StoreUnavailable(f"the store refused: {error}"))
            else:
                _complete(call, own[-1])
        if not again and self._is_unreachable:
            self._is_unreachable = False
            self._on_recovered()
        return again

    def _drop_expired(self, calls: list[_Call[Any]], error: Exception) -> list[_Call[Any]]:
        """Fail the calls whose deadline has passed, and return the others."""
        now = self._loop.time()
        for call in [*calls, *self._waiting]:
            if call.deadline <= now:
                self._is_unreachable = True
                _fail(call, StoreUnavailable(f"the store cannot be reached: {error or 'no reply'}"))
        self._waiting = deque(call for call in self._waiting if call.deadline > now)
        return [call for call in calls if call.deadline > now]


def _complete(call: _Call[T], packed: bytes) -> None:
    if call.future.done():
        return
    is_refused, *rest = unpack(packed)
    try:
        if is_refused:
            raise refusal(*rest)
        call.future.set_result(call.decode(rest[0] if rest else None))
    except Exception as error:
        call.future.set_exception(error)


def _fail(call: _Call[Any], error: Exception) -> None:
    if not call.future.done():
        call.future.set_exception(error)
