"""Results are filled into the values of a job before it starts."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.job import JobState
from workroom.domain.rules.queue.postponing import FILL_US
from workroom.domain.steps import Assignment, Filled, Postponement
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import LAB, SMOOTH, Conformance, Stage, completed


class FillConformance(Conformance):
    async def test_a_job_with_references_is_offered_and_enqueued_when_they_are_filled_in(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        first = await stage.running(session)
        second = await referring(stage, first)
        step = await stage.finish(completed(first))
        assert (step.to_fill, step.requeued) == ([second], set())
        assert await stage.claimed_ids(session) == []
        filled = Filled(second, LAB, b'{"window":12}')
        await store.fill([filled])
        await store.fill([filled])

        (assignment,) = await stage.claim(session)
        assert (assignment.fence.job_id, assignment.data) == (second, b'{"window":12}')
        assert (await stage.job(second)).data == b'{"window":12}'

    async def test_what_is_not_filled_in_is_offered_again(self, stage: Stage, clock: FakeClock) -> None:
        session = await stage.connect("w1", SMOOTH)
        first = await stage.running(session)
        second = await referring(stage, first)
        await stage.finish(completed(first))
        assert (await stage.store.sweep()).to_fill == []
        clock.advance(FILL_US / 1e6)

        assert (await stage.store.sweep()).to_fill == [second]

    async def test_a_job_whose_values_are_refused_is_skipped(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        first = await stage.running(session)
        second = await referring(stage, first)
        await stage.finish(completed(first))
        step = await store.fill([Filled(second, LAB, refusal="no such part")])

        assert [(each.status, each.reason) for each in step.transitions] == [
            (JobState.CANCELLED, "no such part")
        ]
        assert await stage.claimed_ids(session) == []

    async def test_a_job_that_was_cancelled_meanwhile_is_not_filled_in(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        first = await stage.running(session)
        second = await referring(stage, first)
        await stage.finish(completed(first))
        await store.cancel([second], "ada", "no longer wanted")

        assert (await store.fill([Filled(second, LAB, b"{}")])).transitions == []
        assert await stage.claimed_ids(session) == []


async def referring(stage: Stage, before: Assignment) -> str:
    """A job whose values refer to the result of another."""
    after = Postponement(after=(before.fence.job_id,), has_refs=True)
    job = replace(await stage.new_job(SMOOTH), postponed=after)
    assert (await stage.store.submit([job])).answers == [None]
    return job.id
