"""When a worker starts what it holds, and what it gives back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from itertools import count

import pytest

from workroom.client.worker.attempts import Attempt, HeldAttempts
from workroom.client.worker.execution.overruns import Overruns
from workroom.client.worker.execution.slots import Slots
from workroom.client.worker.execution.starter import Starter
from workroom.domain.job import Fence, JobState
from workroom.runtime.context import JobContext
from workroom.runtime.outcome import Outcome

_numbers = count(1)


class Bench:
    """A starter that records what it starts."""

    def __init__(self, slots: int) -> None:
        self.attempts = HeldAttempts()
        self.started: list[Attempt] = []
        self.starter = Starter(slots, self.attempts, self.started.append)

    def hold(self, jobs: int, expected_ms: float | None = None) -> list[Attempt]:
        held = [_attempt(expected_ms) for _ in range(jobs)]
        for attempt in held:
            self.attempts.add(attempt)
            self.starter.add(attempt)
        return held


def _attempt(expected_ms: float | None) -> Attempt:
    number = next(_numbers)
    fence = Fence(f"job-{number}", 1, f"token-{number}")
    context = JobContext(fence.job_id, "demo", "ada", 1, lambda _: None)
    return Attempt(fence, "demo", None, b"{}", context, expected_ms)


async def test_one_job_is_started_for_each_slot() -> None:
    bench = Bench(slots=2)
    held = bench.hold(5)
    assert bench.started == held[:2]
    bench.starter.ended(held[1])

    assert bench.started == held[:3]


async def test_short_jobs_are_started_together_up_to_5_ms_for_each_slot() -> None:
    one, two = Bench(slots=1), Bench(slots=2)
    one.hold(100, 0.5)
    two.hold(100, 0.5)

    assert (len(one.started), len(two.started)) == (10, 20)


async def test_nothing_is_started_behind_a_job_that_may_be_long() -> None:
    bench = Bench(slots=1)
    bench.hold(1)
    bench.hold(10, 0.5)

    assert len(bench.started) == 1


async def test_short_jobs_are_started_together_beside_a_long_one() -> None:
    bench = Bench(slots=2)
    bench.hold(1)
    bench.hold(100, 0.5)

    assert len(bench.started) == 1 + 10


async def test_nothing_is_started_behind_a_job_that_outlasts_its_prediction() -> None:
    bench = Bench(slots=1)
    held = bench.hold(30, 0.5)
    bench.starter.outlasted(held[:1])
    for attempt in held[1:10]:
        bench.starter.ended(attempt)
    assert len(bench.started) == 10
    bench.starter.ended(held[0])

    assert len(bench.started) == 20


async def test_what_was_dropped_or_recalled_is_not_started() -> None:
    bench = Bench(slots=1)
    running, recalled, dropped, last = bench.hold(4)
    assert bench.starter.withdraw(recalled.fence.job_id, 1) is recalled
    assert bench.starter.withdraw(running.fence.job_id, 1) is None
    bench.attempts.remove(dropped)
    bench.starter.ended(running)

    assert bench.started == [running, last]


class Gate:
    """Slots whose jobs wait until they may go on."""

    def __init__(self, slots: int) -> None:
        self.open = threading.Event()
        self.ended: asyncio.Queue[int] = asyncio.Queue()
        self.slots: Slots[int] = Slots(
            slots,
            self._run,
            lambda _, error: Outcome(JobState.FAILED),
            lambda item, _: self.ended.put_nowait(item),
        )

    def _run(self, item: int) -> Outcome:
        if item == 0:
            self.open.wait(20)
        return Outcome(JobState.COMPLETED)


@pytest.fixture
async def gate() -> AsyncIterator[Gate]:
    gate = Gate(slots=1)
    yield gate
    gate.open.set()
    gate.slots.close()


async def test_what_waits_behind_an_unexpectedly_long_job_is_given_back_once(gate: Gate) -> None:
    returned: asyncio.Queue[list[int]] = asyncio.Queue()
    overruns = Overruns(gate.slots, returned.put_nowait)
    for item in range(5):
        gate.slots.put(item)
    overruns.watch()
    async with asyncio.timeout(20):
        assert await returned.get() == [1, 2, 3, 4]

    gate.open.set()
    async with asyncio.timeout(20):
        assert await gate.ended.get() == 0
    assert (gate.slots.waiting, returned.empty()) == (0, True)


async def test_an_item_is_begun_or_taken_back_and_never_both() -> None:
    gate = Gate(slots=4)
    for item in range(1, 2000):
        gate.slots.put(item)
    taken = gate.slots.take_back()
    async with asyncio.timeout(20):
        ended = [await gate.ended.get() for _ in range(1999 - len(taken))]
    gate.slots.close()

    assert sorted([*ended, *taken]) == list(range(1, 2000))


async def test_an_attempt_that_waits_frees_its_slot_and_returns_before_new_ones() -> None:
    bench = Bench(slots=1)
    first, second, third = bench.hold(3)
    bench.starter.suspend(first)
    assert bench.started == [first, second]
    returned: list[str] = []
    bench.starter.resume(first, lambda: returned.append("first"))
    assert returned == []
    bench.starter.ended(second)

    assert (returned, bench.started) == (["first"], [first, second])
    bench.starter.ended(first)
    assert bench.started == [first, second, third]


async def test_an_attempt_that_waits_again_before_it_returns_wants_no_slot() -> None:
    bench = Bench(slots=1)
    first, second, third = bench.hold(3)
    bench.starter.suspend(first)
    bench.starter.resume(first, lambda: pytest.fail("it waits again"))
    bench.starter.suspend(first)
    bench.starter.ended(second)

    assert bench.started == [first, second, third]


async def test_an_attempt_that_ends_before_it_returns_is_forgotten() -> None:
    bench = Bench(slots=1)
    first, second, third = bench.hold(3)
    bench.starter.suspend(first)
    bench.starter.resume(first, lambda: pytest.fail("it has ended"))
    bench.starter.ended(first)
    bench.starter.ended(second)

    assert bench.started == [first, second, third]
