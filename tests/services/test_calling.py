"""Workers on call: who is called, how often, and what they get when they ask."""

from __future__ import annotations

import pytest
from office import Office

from workroom.errors import StaleSession
from workroom.testing.conformance.stage import completed


async def test_who_is_on_call_is_called_and_pushed_nothing(office: Office) -> None:
    session = await office.seat_on_call("w1")
    [job] = await office.jobs(1)

    await office.arrive(job)
    await office.rings(1)
    [assignment] = await office.dispatcher.ask(session)

    assert assignment.fence.job_id == job.id
    assert office.courier.pushed == []
    assert await office.dispatcher.ask(session) == []


async def test_there_are_never_more_calls_than_free_slots(office: Office) -> None:
    await office.seat_on_call("w1", slots=2)
    await office.seat_on_call("w2", slots=1)

    await office.arrive(*await office.jobs(10))
    await office.arrive(*await office.jobs(10))

    await office.rings(3)


async def test_a_slot_that_becomes_free_is_called_for_while_jobs_wait(office: Office) -> None:
    session = await office.seat_on_call("w1")
    await office.arrive(*await office.jobs(2))
    await office.rings(1)
    [first] = await office.dispatcher.ask(session)
    await office.start(first)

    step = await office.stage.settle(completed(first), "w1")
    office.dispatcher.released(step.released)
    await office.rings(2)
    [second] = await office.dispatcher.ask(session)
    await office.start(second)

    step = await office.stage.settle(completed(second), "w1")
    office.dispatcher.released(step.released)
    await office.rings(2)


async def test_a_call_that_nobody_heard_is_repeated(office: Office) -> None:
    await office.seat_on_call("w1")
    await office.arrive(*await office.jobs(1))
    await office.rings(1)

    office.stage.clock.advance(3)

    await office.rings(2)


async def test_who_comes_while_jobs_wait_is_called(office: Office) -> None:
    await office.seat_on_call("w1")
    office.dispatcher.forget("w1")
    await office.arrive(*await office.jobs(2))
    await office.rings(0)

    await office.seat_on_call("w2")

    await office.rings(1)


async def test_an_older_session_asks_in_vain(office: Office) -> None:
    session = await office.seat_on_call("w1")
    await office.seat_on_call("w1")

    with pytest.raises(StaleSession):
        await office.dispatcher.ask(session)
