"""Lets one test cover both kinds of rooms: an asyncio room with a blocking interface."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, TypeVar

from workroom import AsyncJobGroup, AsyncJobHandle, Room

T = TypeVar("T")
Enter = Callable[..., Room]
Serve = Callable[..., Room]


class LoopThread:
    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], seconds: float = 60) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class BlockingRoom:
    """Blocks until each coroutine of the room is done."""

    def __init__(self, loop: LoopThread, target: Any) -> None:
        self._loop = loop
        self._target = target

    def __getattr__(self, name: str) -> Any:
        return self._plain(getattr(self._target, name))

    def _plain(self, value: Any) -> Any:
        if inspect.iscoroutine(value):
            return self._plain(self._loop.run(value))
        if inspect.isasyncgen(value):
            return self._iterate(value)
        if isinstance(value, AsyncJobHandle):
            return BlockingRoom(self._loop, value)
        if isinstance(value, list | AsyncJobGroup):
            return [self._plain(each) for each in value]
        if inspect.ismethod(value):
            return lambda *args, **options: self._plain(value(*args, **options))
        return value

    def _iterate(self, items: AsyncIterator[T]) -> Iterator[T]:
        async def following() -> list[T]:
            return [item async for item in _first(items)]

        while found := self._loop.run(following()):
            yield from found


async def _first(items: AsyncIterator[T]) -> AsyncIterator[T]:
    try:
        yield await anext(items)
    except StopAsyncIteration:
        return
