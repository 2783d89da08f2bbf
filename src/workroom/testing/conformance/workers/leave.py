"""Workers go: by a lost socket, which may be a blip, or by a goodbye."""

from __future__ import annotations

from workroom.domain.job import JobState
from workroom.domain.queries import FindOwners
from workroom.domain.steps import Release, Step
from workroom.domain.worker import WorkerState
from workroom.errors import ExtensionNotFound
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    COUNT,
    LIVENESS,
    SMOOTH,
    Conformance,
    Stage,
    cancelled,
    completed,
    error_type,
    extension,
    held,
)


class LeaveConformance(Conformance):
    async def test_a_lost_socket_loses_nothing_within_the_grace(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.running(session)
        await store.disconnect(session)

        assert await stage.wait(LIVENESS.grace - 1) == Step()
        assert await stage.status(assignment) is JobState.RUNNING

    async def test_a_lost_socket_shortens_the_lease_to_the_grace(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.running(session)
        await store.disconnect(session)
        swept = await stage.wait(LIVENESS.grace)

        assert swept.offline == ["w1"]
        assert await stage.status(assignment) is JobState.FAILED

    async def test_a_lost_socket_never_lengthens_the_lease(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.wait(LIVENESS.lease - 1)
        await store.disconnect(session)

        assert (await stage.wait(1)).offline == ["w1"]

    async def test_a_worker_that_is_back_within_the_grace_has_a_full_lease(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.running(session)
        await store.disconnect(session)
        await stage.wait(LIVENESS.grace - 1)
        await stage.reconnect("w1", held(assignment), seen=assignment.number)

        assert await stage.wait(LIVENESS.lease - 1) == Step()
        await stage.finish(completed(assignment))

    async def test_a_late_disconnect_of_an_older_session_changes_nothing(
        self, stage: Stage, store: Store
    ) -> None:
        older = await stage.connect("w1", SMOOTH)
        assignment = await stage.running(older)
        await stage.reconnect("w1", held(assignment), seen=assignment.number)
        await store.disconnect(older)

        assert await stage.wait(LIVENESS.lease - 1) == Step()
        assert await stage.status(assignment) is JobState.RUNNING

    async def test_a_goodbye_gives_back_what_was_not_started(self, stage: Stage, store: Store) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        step = await store.close_session("w1", "goodbye")

        assert await stage.status(assignment) is JobState.PENDING
        assert step.released == [Release("w1", assignment.fence.job_id, 1)]
        assert step.requeued == {assignment.extension_id}
        assert [(each.status, each.reason) for each in step.transitions] == [(JobState.PENDING, "goodbye")]

    async def test_a_goodbye_fails_what_was_started(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        step = await store.close_session("w1", "goodbye")
        job = await stage.job(assignment.fence.job_id)

        assert (job.status, error_type(job)) == (JobState.FAILED, "WorkerLost")
        assert [(each.status, each.reason) for each in step.transitions] == [(JobState.FAILED, "goodbye")]

    async def test_a_worker_that_left_is_offline_holds_nothing_and_lists_what_it_offered(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        await stage.assigned(await stage.connect("w1", SMOOTH))
        clock.advance(1)
        step = await store.close_session("w1", "goodbye")
        worker = await stage.worker("w1")

        assert step.offline == ["w1"]
        assert (worker.state, worker.since_us) == (WorkerState.OFFLINE, clock.now_us())
        assert (worker.assigned, worker.running, worker.extensions) == (0, 0, (SMOOTH.key,))

    async def test_a_goodbye_takes_nothing_from_other_workers(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        assignment = await stage.running(await stage.connect("w2", SMOOTH))
        step = await store.close_session("w1", "goodbye")

        assert step.removed == []
        assert await stage.is_offered(SMOOTH)
        assert await stage.status(assignment) is JobState.RUNNING

    async def test_closing_a_session_twice_or_an_unknown_one_changes_nothing(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")

        for worker in ("w1", "nobody"):
            assert await store.close_session(worker, "goodbye") == Step()

    async def test_an_extension_leaves_with_its_last_worker(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH, COUNT)
        await stage.connect("w2", COUNT)
        step = await store.close_session("w1", "goodbye")

        assert step.removed == [SMOOTH.key]
        assert not await stage.is_offered(SMOOTH)
        assert await stage.is_offered(COUNT)

    async def test_an_extension_whose_running_job_fails_with_its_last_worker_leaves(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.running(await stage.connect("w1", SMOOTH))
        step = await store.close_session("w1", "goodbye")

        assert step.removed == [SMOOTH.key]

    async def test_an_extension_taken_off_the_list_leaves_when_its_last_job_is_lost(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.running(await stage.connect("w1", SMOOTH))
        await stage.register("w1", COUNT)
        step = await store.close_session("w1", "goodbye")

        assert set(step.removed) == {SMOOTH.key, COUNT.key}
        assert not await stage.is_offered(SMOOTH)

    async def test_an_extension_stays_while_jobs_of_it_are_pending(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        waiting = await stage.submit(SMOOTH)
        assert (await store.close_session("w1", "goodbye")).removed == []
        other = await stage.submit(SMOOTH)
        job = await stage.new_job(SMOOTH)

        assert (await store.cancel([waiting], "ada", "no")).removed == []
        assert (await store.cancel([other], "ada", "no")).removed == [SMOOTH.key]
        assert await stage.refusal(store.submit([job])) is ExtensionNotFound

    async def test_a_job_given_back_by_the_last_worker_waits_for_the_next(
        self, stage: Stage, store: Store
    ) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        assert (await store.close_session("w1", "goodbye")).removed == []
        session = await stage.connect("w2", SMOOTH)

        assert await stage.claimed_ids(session) == [assignment.fence.job_id]

    async def test_no_number_of_goodbyes_fails_a_job_that_was_never_started(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH)
        job_id = await stage.submit(SMOOTH)
        for _ in range(10):
            session = await stage.connect("w1", SMOOTH)
            assert await stage.claimed_ids(session) == [job_id]
            await store.close_session("w1", "goodbye")

        assert (await stage.job(job_id)).status is JobState.PENDING

    async def test_an_extension_that_left_is_deleted_once_nothing_refers_to_it(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        unused = [extension(f"Unused{number}") for number in range(20)]
        await stage.register("w1", *unused)
        await store.close_session("w1", "goodbye")
        session = await stage.connect("w2", COUNT, SMOOTH)
        await stage.finish(completed(await stage.running(session)), "w2")
        await store.close_session("w2", "goodbye")
        for _ in range(3):
            clock.advance(7200)
            await store.sweep()
        keys = (SMOOTH.key, COUNT.key, *(spec.key for spec in unused))

        assert await store.read(FindOwners(keys)) == ("ada", None, *[None] * 20)
        assert (await stage.register("w3", COUNT, user="bob")).created == (COUNT.key,)

    async def test_jobs_of_an_extension_that_left_stay_on_record(self, stage: Stage, store: Store) -> None:
        assignment = await stage.running(await stage.connect("w1", SMOOTH))
        await store.cancel([assignment.fence.job_id], "ada", "no")
        await stage.finish(cancelled(assignment))
        assert (await store.close_session("w1", "goodbye")).removed == [SMOOTH.key]

        job = await stage.job(assignment.fence.job_id)
        assert (job.status, job.name) == (JobState.CANCELLED, "Smooth")
