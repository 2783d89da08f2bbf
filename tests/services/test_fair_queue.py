"""A queue that is bounded, for all and for each, and in which keys take turns."""

from __future__ import annotations

import asyncio

import pytest

from workroom.errors import Busy
from workroom.services.limits.fair_queue import FairQueue


class Counter:
    """One place; who has it leaves when told to."""

    def __init__(self, max_waiting: int, max_per_key: int) -> None:
        self.queue = FairQueue("checks", 1, max_waiting, max_per_key)
        self.served: list[str] = []
        self.doors: list[asyncio.Event] = []

    def come(self, key: str) -> asyncio.Task[None]:
        return asyncio.ensure_future(self._visit(key))

    async def _visit(self, key: str) -> None:
        async with self.queue.turn(key):
            self.served.append(key)
            self.doors.append(door := asyncio.Event())
            await door.wait()

    async def serve_all(self, visits: list[asyncio.Task[None]]) -> list[str]:
        while not all(visit.done() for visit in visits):
            for door in self.doors:
                door.set()
            await asyncio.sleep(0)
        return self.served


async def finish() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_keys_take_turns() -> None:
    counter = Counter(max_waiting=10, max_per_key=5)
    visits = [counter.come(key) for key in "aaaabbc"]
    await finish()

    assert "".join(await counter.serve_all(visits)) == "aabcaba"


async def test_exactly_as_many_wait_as_may() -> None:
    counter = Counter(max_waiting=3, max_per_key=3)
    visits = [counter.come(key) for key in "abcd"]
    await finish()
    one_more = counter.come("e")
    with pytest.raises(Busy):
        await one_more

    assert await counter.serve_all(visits) == list("abcd")


async def test_exactly_as_many_of_one_key_wait_as_may() -> None:
    counter = Counter(max_waiting=10, max_per_key=2)
    visits = [counter.come(key) for key in "aaa"]
    await finish()
    one_more = counter.come("a")
    with pytest.raises(Busy):
        await one_more
    visits.append(counter.come("b"))

    assert await counter.serve_all(visits) == list("aaba")


async def test_who_gives_up_leaves_the_place_to_the_next() -> None:
    counter = Counter(max_waiting=10, max_per_key=5)
    visits = [counter.come(key) for key in "abc"]
    await finish()
    visits[1].cancel()
    await finish()

    assert await counter.serve_all(visits) == ["a", "c"]
    assert await counter.serve_all([counter.come("d")]) == ["a", "c", "d"]
