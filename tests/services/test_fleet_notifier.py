"""Workers on call: who is called, how often, and what they get when they ask."""

from __future__ import annotations

import pytest

from support.dispatch_harness import DispatchHarness
from workroom.errors import StaleSession
from workroom.testing.conformance.stage import completed


async def test_who_is_on_call_is_called_and_pushed_nothing(harness: DispatchHarness) -> None:
    session = await harness.seat_on_call("w1")
    [job] = await harness.jobs(1)

    await harness.arrive(job)
    await harness.rings(1)
    [assignment] = await harness.dispatcher.claim_one(session)

    assert assignment.fence.job_id == job.id
    assert harness.courier.pushed == []
    assert await harness.dispatcher.claim_one(session) == []


async def test_there_are_never_more_calls_than_free_slots(harness: DispatchHarness) -> None:
    await harness.seat_on_call("w1", slots=2)
    await harness.seat_on_call("w2", slots=1)

    await harness.arrive(*await harness.jobs(10))
    await harness.arrive(*await harness.jobs(10))

    await harness.rings(3)


async def test_a_slot_that_becomes_free_is_called_for_while_jobs_wait(harness: DispatchHarness) -> None:
    session = await harness.seat_on_call("w1")
    await harness.arrive(*await harness.jobs(2))
    await harness.rings(1)
    [first] = await harness.dispatcher.claim_one(session)
    await harness.start(first)

    step = await harness.stage.finish(completed(first), "w1")
    harness.dispatcher.release(step.released)
    await harness.rings(2)
    [second] = await harness.dispatcher.claim_one(session)
    await harness.start(second)

    step = await harness.stage.finish(completed(second), "w1")
    harness.dispatcher.release(step.released)
    await harness.rings(2)


async def test_a_wake_up_that_nobody_received_is_repeated(harness: DispatchHarness) -> None:
    await harness.seat_on_call("w1")
    await harness.arrive(*await harness.jobs(1))
    await harness.rings(1)

    harness.stage.clock.advance(3)

    await harness.rings(2)


async def test_who_comes_while_jobs_wait_is_called(harness: DispatchHarness) -> None:
    await harness.seat_on_call("w1")
    harness.dispatcher.remove("w1")
    await harness.arrive(*await harness.jobs(2))
    await harness.rings(0)

    await harness.seat_on_call("w2")

    await harness.rings(1)


async def test_an_older_session_requests_in_vain(harness: DispatchHarness) -> None:
    session = await harness.seat_on_call("w1")
    await harness.seat_on_call("w1")

    with pytest.raises(StaleSession):
        await harness.dispatcher.claim_one(session)
