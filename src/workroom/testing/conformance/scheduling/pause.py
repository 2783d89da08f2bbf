"""People pause an extension or drain a worker: nothing more is handed out, what is out goes on."""

from __future__ import annotations

from workroom.domain.job import JobState
from workroom.domain.queries import FindWorker, VisibleExtensions
from workroom.domain.steps import Seat
from workroom.ports import Store
from workroom.testing.conformance.stage import (
    COUNT,
    LAB,
    LIVENESS,
    SMOOTH,
    Conformance,
    Reopen,
    Stage,
    completed,
)


class PauseConformance(Conformance):
    async def test_nothing_of_a_paused_extension_is_handed_out(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT)
        await stage.submit(SMOOTH, priority=10)
        await store.pause(await stage.extension_id(SMOOTH), paused=True)
        other = await stage.submit(COUNT)

        assert await stage.claimed_ids(session, 5) == [other]

    async def test_a_paused_extension_still_takes_jobs(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        await store.pause(await stage.extension_id(SMOOTH), paused=True)
        jobs = await stage.submit_many(2, SMOOTH)
        await store.pause(await stage.extension_id(SMOOTH), paused=False)

        assert await stage.claimed_ids(session, 2) == jobs

    async def test_resuming_reports_the_extension_that_has_work(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        extension_id = await stage.extension_id(SMOOTH)

        assert (await store.pause(extension_id, paused=True)).requeued == set()
        assert (await store.pause(extension_id, paused=False)).requeued == {extension_id}

    async def test_what_was_handed_out_before_the_pause_runs_to_its_end(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        running, assigned = await stage.running(session), await stage.assigned(session)
        await store.pause(running.extension_id, paused=True)
        await stage.start(assigned)
        for assignment in (running, assigned):
            await stage.finish(completed(assignment))
            assert await stage.status(assignment) is JobState.COMPLETED

    async def test_what_comes_back_during_a_pause_waits_too(self, stage: Stage, store: Store) -> None:
        assignment = await stage.assigned(await stage.connect("w1", SMOOTH))
        await store.pause(assignment.extension_id, paused=True)
        session = await stage.reconnect("w1", boot="second")
        assert await stage.claim(session) == []

        await store.pause(assignment.extension_id, paused=False)
        assert await stage.claimed_ids(session) == [assignment.fence.job_id]

    async def test_pausing_twice_is_the_same_as_once(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        extension_id = await stage.extension_id(SMOOTH)
        for _ in range(2):
            await store.pause(extension_id, paused=True)
        job_id = await stage.submit(SMOOTH)
        await store.pause(extension_id, paused=False)

        assert await stage.claimed_ids(session) == [job_id]

    async def test_everyone_sees_which_extensions_are_paused(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH, COUNT)
        await store.pause(await stage.extension_id(SMOOTH), paused=True)
        listed = await store.read(VisibleExtensions(LAB))

        assert [each.key for each in listed if each.paused] == [SMOOTH.key]

    async def test_nothing_is_fetched_ahead_of_a_paused_extension(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.submit(SMOOTH)
        extension_id = await stage.extension_id(SMOOTH)
        await store.pause(extension_id, paused=True)
        claimed = await store.claim([Seat(session, 3, frozenset({extension_id}))]).durable

        assert claimed.assignments == []

    async def test_a_paused_extension_with_jobs_does_not_leave(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await stage.submit(SMOOTH)
        await store.pause(await stage.extension_id(SMOOTH), paused=True)

        assert (await store.close_session("w1", "bye")).removed == []


class DrainConformance(Conformance):
    async def test_a_draining_worker_is_handed_nothing(self, stage: Stage, store: Store) -> None:
        draining, other = await stage.connect("w1", SMOOTH), await stage.connect("w2", SMOOTH)
        jobs = await stage.submit_many(2, SMOOTH)
        await store.drain("w1", draining=True)
        claimed = (await store.claim([Seat(draining, 1), Seat(other, 1)]).durable).assignments

        assert [(each.worker, each.fence.job_id) for each in claimed] == [("w2", jobs[0])]

    async def test_a_draining_worker_ends_what_it_has(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        running, assigned = await stage.running(session), await stage.assigned(session)
        await store.drain("w1", draining=True)
        await stage.start(assigned)
        for assignment in (running, assigned):
            await stage.finish(completed(assignment))
            assert await stage.status(assignment) is JobState.COMPLETED

    async def test_a_worker_is_known_to_drain_until_it_does_not(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)

        for draining in (True, False):
            await store.drain("w1", draining=draining)
            worker = await store.read(FindWorker("w1"))
            assert worker is not None
            assert worker.draining is draining

    async def test_a_worker_can_go_on_after_a_drain(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        job_id = await stage.submit(SMOOTH)
        await store.drain("w1", draining=True)
        await store.drain("w1", draining=False)

        assert await stage.claimed_ids(session) == [job_id]

    async def test_a_worker_that_reconnects_drains_on(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await stage.submit(SMOOTH)
        await store.drain("w1", draining=True)
        opened = await store.open_session("w1", "boot", (), 0)

        assert opened.draining
        assert await stage.claim(opened.session) == []

    async def test_a_worker_that_was_lost_and_comes_back_drains_on(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.drain("w1", draining=True)
        assert (await stage.wait(LIVENESS.lease + 5)).offline == ["w1"]
        session = await stage.connect("w1", SMOOTH)
        await stage.submit(SMOOTH)

        assert await stage.claim(session) == []

    async def test_a_worker_drains_on_after_a_restart_of_the_store(
        self, stage: Stage, store: Store, reopen: Reopen
    ) -> None:
        await stage.connect("w1", SMOOTH)
        await store.drain("w1", draining=True)
        await store.aclose()
        async with reopen() as later:
            opened = await later.store.open_session("w1", "boot", (), 0)

            assert opened.draining

    async def test_a_worker_that_left_and_came_back_does_not_drain(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.drain("w1", draining=True)
        await store.close_session("w1", "drained")
        session = await stage.connect("w1", SMOOTH)

        await stage.assigned(session)

    async def test_an_extension_whose_workers_drain_is_still_offered(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.connect("w1", SMOOTH)
        await store.drain("w1", draining=True)
        job_id = await stage.submit(SMOOTH)

        assert await stage.claimed_ids(await stage.connect("w2", SMOOTH)) == [job_id]
