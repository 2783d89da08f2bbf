"""Workers whose free slots are for the children of what they hold."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.extension import Concurrency, Policy
from workroom.domain.steps import Postponement, Seat
from workroom.domain.worker import Session
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import COUNT, SMOOTH, Conformance, Stage, extension, failed


class ChildrenConformance(Conformance):
    async def test_a_seat_for_children_gets_the_newest_child_of_the_first_parent_that_has_one(
        self, stage: Stage
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=3)
        parents = [(await stage.running(session)).fence.job_id for _ in range(2)]
        await stage.submit(SMOOTH, priority=9)
        first = await self._child(stage, parents[0])
        second, third = [await self._child(stage, parents[1]) for _ in range(2)]
        wanted = (parents[1], parents[0], "no-such-job")

        assert [await self._claim(stage, session, *wanted) for _ in range(4)] == [third, second, first, None]

    async def test_it_gets_no_child_that_is_not_ready_or_that_the_worker_does_not_offer(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        limited = extension("Limited", policy=Policy(concurrency=Concurrency("gpu")))
        session = await stage.connect("w1", SMOOTH, limited, slots=3)
        await stage.register("w2", COUNT)
        parent = (await stage.running(session)).fence.job_id
        elsewhere = replace(await stage.new_job(COUNT), parent=parent)
        later = replace(
            await stage.new_job(SMOOTH), parent=parent, postponed=Postponement(clock.now_us() + 5_000_000)
        )
        full = [replace(await stage.new_job(limited), parent=parent, lane="gpu") for _ in range(2)]
        await stage.store.submit([elsewhere, later, *full])

        found = [await self._claim(stage, session, parent) for _ in range(2)]
        assert found[0] in [each.id for each in full]
        assert found[1] is None
        await stage.wait(10)
        assert await self._claim(stage, session, parent) == later.id

    async def test_it_gets_no_child_of_a_paused_extension(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT, slots=3)
        parent = (await stage.running(session)).fence.job_id
        child = replace(await stage.new_job(COUNT), parent=parent)
        await stage.store.submit([child])
        count = await stage.extension_id(COUNT)

        await stage.store.pause(count, paused=True)
        assert await self._claim(stage, session, parent) is None
        await stage.store.pause(count, paused=False)
        assert await self._claim(stage, session, parent) == child.id

    async def test_a_child_can_be_the_trial_of_a_broken_extension(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT, slots=2)
        parent = (await stage.running(session)).fence.job_id
        for _ in range(5):
            await stage.finish(failed(await stage.running(session, COUNT)))
        children = [replace(await stage.new_job(COUNT), parent=parent) for _ in range(2)]
        await stage.store.submit(children)

        assert await self._claim(stage, session, parent) is None
        for _ in range(13):
            await stage.store.renew(session, [], 6)
            await stage.wait(5)
        found = [await self._claim(stage, session, parent) for _ in range(2)]
        assert found == [children[1].id, None]

    async def _child(self, stage: Stage, parent: str) -> str:
        child = replace(await stage.new_job(SMOOTH), parent=parent)
        await stage.store.submit([child])
        return child.id

    async def _claim(self, stage: Stage, session: Session, *parents: str) -> str | None:
        claimed = await stage.store.claim([Seat(session, 1, parents=parents)]).durable
        return claimed.assignments[0].fence.job_id if claimed.assignments else None
