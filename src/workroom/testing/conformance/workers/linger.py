"""Extensions stay known for a while after their last worker left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workroom.domain.extension import Policy, RetryOn
from workroom.domain.queries import VisibleExtensions
from workroom.domain.rules.queue.waiting import WaitCode
from workroom.errors import ExtensionNotFound, SchemaConflict
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    COUNT,
    LAB,
    LIVENESS,
    SMOOTH,
    Conformance,
    Stage,
    completed,
    extension,
    failed,
)

DAY = 86_400.0
UPKEEP = 10.0
lingering = pytest.mark.parametrize("liveness", [replace(LIVENESS, linger=DAY)], ids=["a day"])
WIDER = extension("Smooth", field="width")


class LingerConformance(Conformance):
    @lingering
    async def test_an_extension_stays_when_its_last_worker_leaves(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        await stage.connect("w1", SMOOTH, COUNT)
        await stage.connect("w2", COUNT)
        clock.advance(7)
        step = await store.close_session("w1", "goodbye")

        assert (step.departed, step.removed) == ([SMOOTH.key], [])
        assert await _left(store) == {"Smooth": clock.now_us(), "Count": None}

    @lingering
    async def test_an_extension_stays_when_its_last_worker_is_lost(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        step = await stage.wait(LIVENESS.lease)

        assert (step.offline, step.departed, step.removed) == (["w1"], [SMOOTH.key], [])

    @lingering
    async def test_a_job_for_it_waits_for_a_worker(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")
        job_id = await stage.submit(SMOOTH)
        waiting = (await stage.job(job_id)).waiting
        assert waiting is not None
        assert waiting.code is WaitCode.NO_WORKER

        assert await stage.claimed_ids(await stage.connect("w2", SMOOTH)) == [job_id]
        assert await _left(store) == {"Smooth": None}

    @lingering
    async def test_a_worker_that_returns_is_announced(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")
        again = await stage.register("w1", SMOOTH)

        assert (again.created, again.step.departed) == ((SMOOTH.key,), [])
        assert (await stage.register("w2", SMOOTH)).created == ()

    @lingering
    async def test_it_leaves_after_its_time(self, stage: Stage, store: Store, clock: FakeClock) -> None:
        await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")
        job = await stage.new_job(SMOOTH)
        clock.advance(DAY - 1)
        assert (await store.sweep()).removed == []
        clock.advance(UPKEEP)

        assert (await store.sweep()).removed == [SMOOTH.key]
        assert await stage.refusal(store.submit([job])) is ExtensionNotFound

    @lingering
    async def test_it_does_not_leave_before_its_last_job_is_over(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")
        job_id = await stage.submit(SMOOTH)
        clock.advance(DAY + UPKEEP)
        assert (await store.sweep()).removed == []

        assert (await store.cancel([job_id], "ada", "no")).removed == [SMOOTH.key]

    @lingering
    async def test_it_does_not_leave_after_a_worker_returned(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")
        clock.advance(DAY - 1)
        await store.sweep()
        session = await stage.connect("w2", SMOOTH)
        clock.advance(UPKEEP)
        await store.renew(session, (), 0)

        assert (await store.sweep()).removed == []
        await stage.submit(SMOOTH)

    @lingering
    async def test_its_breaker_and_a_pause_survive(self, stage: Stage, store: Store) -> None:
        spec = extension("Smooth", policy=Policy(retries=9, retry_on=RetryOn.ERROR))
        session = await stage.connect("w1", spec)
        for _ in range(5):
            await stage.finish(failed(await stage.running(session, spec)))
        await store.close_session("w1", "goodbye")
        await store.pause(await stage.extension_id(spec), paused=True)
        await stage.connect("w1", spec)
        (found,) = await store.read(VisibleExtensions(LAB))

        assert found.paused
        assert found.opened_us is not None

    @lingering
    async def test_what_a_worker_takes_off_its_list_does_not_stay(self, stage: Stage) -> None:
        await stage.register("w1", SMOOTH, COUNT)
        again = await stage.register("w1", COUNT)

        assert again.step.removed == [SMOOTH.key]
        assert not await stage.is_offered(SMOOTH)

    @lingering
    async def test_what_is_taken_off_a_list_stays_only_for_its_last_job(
        self, stage: Stage, store: Store
    ) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        assert (await stage.register("w1", COUNT)).step.removed == []

        assert (await stage.finish(completed(assignment))).removed == [SMOOTH.key]

    @lingering
    async def test_what_a_dismissed_worker_offered_does_not_stay(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        dismissed = await store.dismiss("w1", None, "landlord", "no", bans=False)

        assert dismissed.step.removed == [SMOOTH.key]

    @lingering
    async def test_its_name_is_free_unless_a_job_waits_for_it(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")
        taken = await stage.register("w2", WIDER, user="eve")
        assert (taken.created, taken.awaiting) == ((SMOOTH.key,), ())
        await store.close_session("w2", "goodbye")
        await stage.submit(WIDER)

        with pytest.raises(SchemaConflict):
            await stage.register("w1", SMOOTH)

    @lingering
    async def test_an_extension_of_a_deleted_room_does_not_stay(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")
        await store.delete_room(LAB)
        clock.advance(DAY + UPKEEP)

        assert (await store.sweep()).removed == []

    @lingering
    async def test_a_clock_that_was_set_does_not_end_its_time(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")
        await store.sweep()
        clock.jump(2 * DAY)
        await store.sweep()
        clock.advance(UPKEEP)

        assert (await store.sweep()).removed == []
        assert await _left(store) == {"Smooth": clock.now_us() - int(UPKEEP * 1_000_000)}


async def _left(store: Store) -> dict[str, int | None]:
    return {each.key.name: each.left_us for each in await store.read(VisibleExtensions(LAB))}
