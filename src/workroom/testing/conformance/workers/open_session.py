"""Workers connect: the newest session speaks for a worker."""

from __future__ import annotations

import pytest

from workroom.domain.job import Fence, JobState
from workroom.domain.steps import Offer, Release
from workroom.domain.worker import Hold, Phase, WorkerState
from workroom.errors import WorkerNotFound
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    COUNT,
    LAB,
    SMOOTH,
    Conformance,
    Stage,
    completed,
    error_type,
    extension,
    held,
)


class OpenConformance(Conformance):
    async def test_a_session_opens_with_what_the_worker_may_be_given(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        public = extension("Paint", room=None)
        await stage.register("w1", SMOOTH, public, slots=4)
        clock.advance(1)
        opened = await store.open_session("w1", "boot", (), 0)
        worker = await stage.worker("w1")

        assert (opened.session.worker, opened.slots) == ("w1", 4)
        assert set(opened.offers) == {
            Offer(await stage.extension_id(SMOOTH), LAB),
            Offer(await stage.extension_id(public), None),
        }
        assert (worker.online, worker.session) == (True, opened.session.number)
        assert (worker.state, worker.since_us) == (WorkerState.IDLE, clock.now_us())

    async def test_the_number_of_a_session_grows_whatever_happens(self, stage: Stage, store: Store) -> None:
        first = await stage.connect("w1", SMOOTH)
        second = await stage.reconnect("w1")
        third = await stage.reconnect("w1", boot="second")
        await store.close_session("w1", "goodbye")
        fourth = await stage.connect("w1", SMOOTH)

        assert 0 < first.number < second.number < third.number < fourth.number

    async def test_a_worker_that_never_registered_cannot_connect(self, store: Store) -> None:
        with pytest.raises(WorkerNotFound):
            await store.open_session("nobody", "boot", (), 0)

    async def test_a_worker_that_has_left_cannot_connect(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")
        with pytest.raises(WorkerNotFound):
            await store.open_session("w1", "boot", (), 0)

    async def test_a_reconnect_of_the_same_boot_keeps_what_it_holds(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        running, waiting = await stage.running(session), await stage.assigned(session)
        holds = [held(running), held(waiting, Phase.QUEUED)]
        reconciled = (await store.open_session("w1", "boot", holds, waiting.number)).reconciled

        assert set(reconciled.keep) == {running.fence, waiting.fence}
        assert (reconciled.drop, reconciled.cancel, reconciled.resend) == ([], [], [])
        assert reconciled.step.transitions == []
        await stage.start(waiting)
        await stage.finish(completed(running))

    async def test_a_reconnect_is_sent_again_what_never_arrived(self, stage: Stage, store: Store) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH), data=b'{"window":7}')
        reconciled = (await store.open_session("w1", "boot", (), assignment.number - 1)).reconciled

        assert list(reconciled.resend) == [assignment]
        assert list(reconciled.keep) == [assignment.fence]
        assert reconciled.step.transitions == []

    async def test_a_new_boot_gives_back_what_the_old_one_had_not_started(
        self, stage: Stage, store: Store
    ) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        reconciled = (await store.open_session("w1", "second", (), 0)).reconciled
        job = await stage.job(assignment.fence.job_id)

        assert (job.status, job.worker, job.assigned_at_us) == (JobState.PENDING, None, None)
        assert reconciled.step.released == [Release("w1", job.id, 1)]
        assert reconciled.step.requeued == {assignment.extension_id}
        assert (reconciled.keep, reconciled.resend) == ([], [])

    async def test_a_new_boot_fails_what_the_old_one_had_started(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        reconciled = (await store.open_session("w1", "second", (), 0)).reconciled
        job = await stage.job(assignment.fence.job_id)

        assert (job.status, error_type(job)) == (JobState.FAILED, "WorkerLost")
        assert [each.status for each in reconciled.step.transitions] == [JobState.FAILED]
        assert reconciled.step.released == [Release("w1", job.id, 1)]
        assert await stage.load("w1") == (0, 0)

    async def test_a_new_boot_loses_nothing_of_other_workers(self, stage: Stage) -> None:
        await stage.connect("w1", SMOOTH)
        assignment = await stage.running(await stage.connect("w2", SMOOTH))
        await stage.reconnect("w1", boot="second")

        assert await stage.status(assignment) is JobState.RUNNING

    async def test_what_a_reconnect_holds_without_right_is_dropped(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        foreign = await stage.running(await stage.connect("w2", SMOOTH))
        holds = [held(foreign), Hold(Fence("no-such-job", 1, "token"), Phase.QUEUED)]
        reconciled = (await store.open_session("w1", "boot", holds, 9)).reconciled

        assert set(reconciled.drop) == {hold.fence for hold in holds}
        assert await stage.status(foreign) is JobState.RUNNING

    async def test_a_registration_during_a_session_holds_from_the_next_claim_on(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.register("w1", SMOOTH, COUNT)
        job_id = await stage.submit(COUNT)

        assert await stage.claimed_ids(session) == [job_id]
