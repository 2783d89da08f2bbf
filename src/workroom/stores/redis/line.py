"""The line to the server: steps go out in the order in which they were asked for, many in one trip."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import uuid4

from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import NoScriptError, RedisError
from redis.exceptions import TimeoutError as TooSlow

from workroom.errors import StoreUnavailable
from workroom.ports import Clock
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.packing import pack, unpack
from workroom.stores.redis.refusals import refusal
from workroom.stores.redis.scripts import SCRIPTS
from workroom.stores.redis.wire import PATIENCE_SECONDS, Command, Wire

T = TypeVar("T")

_RETRY_SECONDS = 0.1
_BATCH = 256
_BATCH_BYTES = 500_000
_REPLIES_SECONDS = 600


@dataclass(slots=True)
class _Work(Generic[T]):
    script: str
    packed: bytes
    times: tuple[str, str]
    before: Sequence[Command]
    decode: Callable[[Any], T]
    future: asyncio.Future[T]
    deadline: float
    number: int = 0
    replies: str = ""


class Line:
    """A step whose reply was lost is sent again under its number, which the server remembers."""

    def __init__(self, wire: Wire, clock: Clock | None, returned: Callable[[], object]) -> None:
        """`returned` is called when the server answers again after it did not for too long."""
        self._wire = wire
        self._clock = clock
        self._returned = returned
        self._loop = asyncio.get_running_loop()
        self._name = uuid4().hex
        self._waiting: deque[_Work[Any]] = deque()
        self._wake = asyncio.Event()
        self._is_closed = False
        self._is_out = False
        self._steps = 0
        self._trips = 0
        self._answered = ""
        self._followers: set[asyncio.Task[Any]] = set()
        self._task = self._loop.create_task(self._run(), name="workroom-redis-line")

    def step(
        self,
        script: str,
        arguments: dict[str, object],
        decode: Callable[[Any], T],
        *,
        before: Sequence[Command] = (),
    ) -> asyncio.Future[T]:
        """Ask for a step. `before` are commands that go out right before it, and do no harm alone."""
        if self._is_closed:
            raise StoreUnavailable("the store is closed")
        deadline = self._loop.time() + PATIENCE_SECONDS
        future: asyncio.Future[T] = self._loop.create_future()
        work = _Work(script, pack(arguments), self._times(), before, decode, future, deadline)
        self._waiting.append(work)
        self._wake.set()
        return future

    def follow(self, after: Coroutine[Any, Any, T]) -> Awaitable[T]:
        """What comes after a step; the line is not closed before it is done."""
        task = self._loop.create_task(after)
        self._followers.add(task)
        task.add_done_callback(self._followers.discard)
        return task

    async def aclose(self) -> None:
        self._is_closed = True
        self._wake.set()
        await asyncio.gather(self._task, *self._followers, return_exceptions=True)

    def _times(self) -> tuple[str, str]:
        """Of the server, unless a clock was given."""
        if self._clock is None:
            return "", ""
        return str(self._clock.now_us()), str(round(self._clock.monotonic() * 1_000_000))

    async def _run(self) -> None:
        while self._waiting or not self._is_closed:
            if not self._waiting:
                self._wake.clear()
                await self._wake.wait()
                continue
            works = self._next()
            self._number(works)
            await self._deliver(works)

    def _next(self) -> list[_Work[Any]]:
        """As many as can be answered in time."""
        works = [self._waiting.popleft()]
        size = len(works[0].packed)
        while self._waiting and len(works) < _BATCH and size < _BATCH_BYTES:
            works.append(self._waiting.popleft())
            size += len(works[-1].packed)
        return works

    def _number(self, works: list[_Work[Any]]) -> None:
        self._trips += 1
        replies = scheduling("replies", self._name, str(self._trips))
        for work in works:
            self._steps += 1
            work.number, work.replies = self._steps, replies

    async def _deliver(self, works: list[_Work[Any]]) -> None:
        replies, pause = works[0].replies, 0.0
        while works:
            try:
                async with asyncio.timeout_at(min(work.deadline for work in works)):
                    replied = await self._send(works)
                works = self._resolve(works, replied)
            except (RedisError, OSError, TimeoutError) as error:
                works = self._give_up(works, error)
                await asyncio.sleep(pause)
                pause = _RETRY_SECONDS
            except Exception as error:  # a fault of ours must not stop the line
                for work in works:
                    _fail(work, error)
                works = []
        self._answered = replies

    async def _send(self, works: list[_Work[Any]]) -> list[Any]:
        commands: list[Command] = [("UNLINK", self._answered)] if self._answered else []
        for work in works:
            commands += work.before
            digest = SCRIPTS[work.script].digest
            commands.append(("EVALSHA", digest, 1, work.replies, work.number, *work.times, work.packed))
        commands.append(("EXPIRE", works[0].replies, _REPLIES_SECONDS))
        replies = await self._wire.trip(commands)
        if any(isinstance(reply, NoScriptError) for reply in replies):
            await self._load({work.script for work in works})
        return replies[bool(self._answered) : -1]

    async def _load(self, names: set[str]) -> None:
        """No others: all 45 take 2 MB of the server, those that jobs need less than half of that."""
        await self._wire.trip([("SCRIPT", "LOAD", SCRIPTS[name].text) for name in names])

    def _resolve(self, works: list[_Work[Any]], replies: list[Any]) -> list[_Work[Any]]:
        """Hand out the answers. Gives those that have to be asked again."""
        again: list[_Work[Any]] = []
        at = 0
        for work in works:
            own = replies[at : at + len(work.before) + 1]
            at += len(work.before) + 1
            wrong = next((reply for reply in own if isinstance(reply, Exception)), None)
            if isinstance(wrong, NoScriptError):
                again.append(work)
            elif isinstance(wrong, Disconnected | TooSlow):
                raise wrong
            elif wrong is not None:
                _fail(work, StoreUnavailable(f"the store refused: {wrong}"))
            else:
                _answer(work, own[-1])
        if not again and self._is_out:
            self._is_out = False
            self._returned()
        return again

    def _give_up(self, works: list[_Work[Any]], error: Exception) -> list[_Work[Any]]:
        """Those that have waited long enough are told; the others go out again."""
        now = self._loop.time()
        for work in [*works, *self._waiting]:
            if work.deadline <= now:
                self._is_out = True
                _fail(work, StoreUnavailable(f"the store cannot be reached: {error or 'no answer'}"))
        self._waiting = deque(work for work in self._waiting if work.deadline > now)
        return [work for work in works if work.deadline > now]


def _answer(work: _Work[T], packed: bytes) -> None:
    if work.future.done():
        return
    kind, *rest = unpack(packed)
    try:
        if kind:
            raise refusal(*rest)
        work.future.set_result(work.decode(rest[0] if rest else None))
    except Exception as error:
        work.future.set_exception(error)


def _fail(work: _Work[Any], error: Exception) -> None:
    if not work.future.done():
        work.future.set_exception(error)
