"""Heartbeats: what a worker reports to hold is reconciled with the record."""

from __future__ import annotations

import pytest

from workroom.domain.job import Fence, JobState
from workroom.domain.steps import Release, Seat, Step
from workroom.domain.worker import Hold, Phase, Session
from workroom.errors import StaleSession, WorkerNotFound
from workroom.ports import Store
from workroom.testing.conformance.stage import (
    LIVENESS,
    SMOOTH,
    Conformance,
    Stage,
    completed,
    error_type,
    held,
)

UNKNOWN = Hold(Fence("no-such-job", 1, "token"), Phase.BEGUN)


class RenewConformance(Conformance):
    async def test_an_idle_worker_gets_an_empty_reply(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        reconciled = await store.renew(session, (), 0)

        assert [*reconciled.keep, *reconciled.drop, *reconciled.cancel, *reconciled.resend] == []
        assert reconciled.step == Step()

    async def test_a_worker_that_holds_what_it_should_keeps_it(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=3)
        done, running, waiting = (
            await stage.running(session),
            await stage.running(session),
            await stage.assigned(session),
        )
        holds = [held(done, Phase.FINISHED), held(running), held(waiting, Phase.QUEUED)]
        reconciled = await store.renew(session, holds, waiting.number)

        assert set(reconciled.keep) == {hold.fence for hold in holds}
        assert (reconciled.drop, reconciled.cancel, reconciled.resend) == ([], [], [])
        assert reconciled.step == Step()

    async def test_what_the_store_does_not_know_is_dropped(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        reconciled = await store.renew(session, [UNKNOWN], 9)

        assert (list(reconciled.drop), list(reconciled.keep)) == ([UNKNOWN.fence], [])

    async def test_an_attempt_that_has_ended_is_dropped(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.running(session)
        await stage.finish(completed(assignment))
        reconciled = await store.renew(session, [held(assignment, Phase.FINISHED)], assignment.number)

        assert list(reconciled.drop) == [assignment.fence]
        assert await stage.status(assignment) is JobState.COMPLETED

    async def test_an_attempt_that_was_handed_on_is_dropped(self, stage: Stage, store: Store) -> None:
        stale = await stage.assigned(await stage.connect("w1", SMOOTH))
        session = await stage.reconnect("w1", boot="second")
        (current,) = await stage.claim(session)
        holds = [held(stale, Phase.QUEUED), held(current, Phase.QUEUED)]
        reconciled = await store.renew(session, holds, current.number)

        assert (list(reconciled.drop), list(reconciled.keep)) == ([stale.fence], [current.fence])

    @pytest.mark.parametrize("phase", [Phase.QUEUED, Phase.BEGUN])
    async def test_a_heartbeat_repeats_what_was_cancelled(
        self, stage: Stage, store: Store, phase: Phase
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.running(session)
        await store.cancel([assignment.fence.job_id], "ada", "no")
        reconciled = await store.renew(session, [held(assignment, phase)], assignment.number)

        assert (list(reconciled.cancel), list(reconciled.drop)) == ([assignment.fence], [])
        assert await stage.load("w1") == (0, 1)

    async def test_a_cancelled_attempt_that_is_over_frees_its_worker(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.running(session)
        await store.cancel([assignment.fence.job_id], "ada", "no")
        reconciled = await store.renew(session, [held(assignment, Phase.FINISHED)], assignment.number)

        assert (list(reconciled.drop), list(reconciled.cancel)) == ([assignment.fence], [])
        assert reconciled.step.released == [Release("w1", assignment.fence.job_id, 1)]
        assert await stage.load("w1") == (0, 0)

    async def test_a_cancelled_attempt_that_is_not_held_any_more_frees_its_worker(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.running(session)
        await store.cancel([assignment.fence.job_id], "ada", "no")
        reconciled = await store.renew(session, (), assignment.number)

        assert (reconciled.drop, reconciled.cancel, reconciled.resend) == ([], [], [])
        assert reconciled.step.released == [Release("w1", assignment.fence.job_id, 1)]
        assert await stage.load("w1") == (0, 0)
        assert await stage.status(assignment) is JobState.CANCELLED

    async def test_an_assignment_that_has_not_arrived_is_sent_again(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        seen = await stage.running(session)
        missed = await stage.assigned(session, data=b'{"window":7}')
        reconciled = await store.renew(session, [held(seen)], seen.number)

        assert list(reconciled.resend) == [missed]
        assert set(reconciled.keep) == {seen.fence, missed.fence}
        assert reconciled.step == Step()

    async def test_a_heartbeat_beside_a_claim_does_not_hide_the_assignment(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.submit(SMOOTH)
        beat, claim = store.renew(session, (), 0), store.claim([Seat(session, 1)])
        await beat
        claimed = await claim.durable

        assert len(claimed.assignments) == 1
        assert list((await store.renew(session, (), 0)).resend) == claimed.assignments

    async def test_work_that_was_seen_and_is_not_held_goes_back_if_it_never_began(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.assigned(session)
        reconciled = await store.renew(session, (), assignment.number)

        assert (reconciled.keep, reconciled.resend) == ([], [])
        assert reconciled.step.released == [Release("w1", assignment.fence.job_id, 1)]
        assert reconciled.step.requeued == {assignment.extension_id}
        assert await stage.status(assignment) is JobState.PENDING

    async def test_work_that_began_and_is_not_held_any_more_is_lost(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.running(session)
        reconciled = await store.renew(session, (), assignment.number)
        job = await stage.job(assignment.fence.job_id)

        assert (job.status, error_type(job)) == (JobState.FAILED, "WorkerLost")
        assert reconciled.step.released == [Release("w1", job.id, 1)]
        assert await stage.load("w1") == (0, 0)

    async def test_an_older_session_is_refused_as_stale(self, stage: Stage, store: Store) -> None:
        stale = await stage.connect("w1", SMOOTH)
        session = await stage.reconnect("w1")
        assignment = await stage.running(session)
        with pytest.raises(StaleSession):
            await store.renew(stale, (), assignment.number)

        assert await stage.status(assignment) is JobState.RUNNING

    async def test_a_heartbeat_right_behind_a_newer_session_is_refused_as_stale(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        opening = store.open_session("w1", "boot", (), 0)
        beat = store.renew(session, (), 0)
        await opening

        with pytest.raises(StaleSession):
            await beat

    async def test_a_heartbeat_of_an_older_session_keeps_nobody_alive(
        self, stage: Stage, store: Store
    ) -> None:
        stale = await stage.connect("w1", SMOOTH)
        await stage.reconnect("w1")
        await stage.wait(LIVENESS.lease - 1)
        with pytest.raises(StaleSession):
            await store.renew(stale, (), 0)

        assert (await stage.wait(1)).offline == ["w1"]

    async def test_a_worker_that_never_was_or_has_left_must_register(
        self, stage: Stage, store: Store
    ) -> None:
        gone = await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")

        for session in (gone, Session("nobody", 1)):
            with pytest.raises(WorkerNotFound):
                await store.renew(session, (), 0)

    async def test_heartbeats_keep_a_worker_and_what_it_runs_alive(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.running(session)
        holds = [held(assignment)]
        swept = await stage.wait(3 * LIVENESS.lease, lambda: store.renew(session, holds, assignment.number))

        assert swept == Step()
        await stage.finish(completed(assignment))

    async def test_heartbeats_keep_an_idle_worker_alive(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)

        assert await stage.wait(3 * LIVENESS.lease, lambda: store.renew(session, (), 0)) == Step()
        assert (await stage.worker("w1")).online
