"""Extensions and rooms, as people see them."""

from __future__ import annotations

from workroom.domain.extension import Concurrency, Extension, Policy, RetryOn
from workroom.domain.queries import (
    ExtensionsOverview,
    ExtensionUsage,
    FindExtension,
    FindQueues,
    FindRoom,
    FindRooms,
    Queue,
    VisibleExtensions,
)
from workroom.domain.room import Room
from workroom.domain.rules.breaker import MIN_FAILURES
from workroom.domain.storage.recent_ends import RECENT_ENDS
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.scheduling.lanes import submit_to
from workroom.testing.conformance.stage import (
    COUNT,
    LAB,
    SMOOTH,
    Conformance,
    Stage,
    cancelled,
    completed,
    extension,
    failed,
)

PUBLIC = extension("Paint", room=None)
ATTIC = extension("Count", room="attic")
KEYED = extension("Keyed", policy=Policy(concurrency=Concurrency("{n}")))
PACED = extension("Paced", policy=Policy(rate="6/min"))
RETRIED = extension("Retried", policy=Policy(retries=3, retry_on=RetryOn.ERROR))


class LookConformance(Conformance):
    async def test_a_room_s_own_extension_goes_before_a_public_one(self, stage: Stage, store: Store) -> None:
        public = extension("Smooth", room=None)
        await stage.register("w1", public)
        await stage.register("w2", SMOOTH)

        here = await store.read(FindExtension(LAB, "analysis", "Smooth"))
        elsewhere = await store.read(FindExtension("attic", "analysis", "Smooth"))
        assert here is not None
        assert elsewhere is not None
        assert (here.key, elsewhere.key) == (SMOOTH.key, public.key)

    async def test_an_extension_is_found_only_by_its_exact_name(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)

        for wrong in (
            (LAB, "analysis", "smooth"),
            (LAB, "modifiers", "Smooth"),
            ("attic", "analysis", "Smooth"),
        ):
            assert await store.read(FindExtension(*wrong)) is None

    async def test_a_room_sees_its_own_extensions_and_the_public_ones(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH, PUBLIC, ATTIC)

        assert await _seen(store, LAB) == {SMOOTH.key, PUBLIC.key}
        assert await _seen(store, "attic") == {ATTIC.key, PUBLIC.key}
        assert await _seen(store, "cellar") == {PUBLIC.key}
        assert await _seen(store, None) == {SMOOTH.key, ATTIC.key, PUBLIC.key}

    async def test_an_extension_shows_its_idle_and_busy_workers_and_what_waits(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w0", SMOOTH)
        assert _numbers(await _smooth(store)) == (0, 0, 0)
        session = await stage.connect("w1", SMOOTH)
        roomy = await stage.connect("w2", SMOOTH, slots=2)
        assert _numbers(await _smooth(store)) == (2, 0, 0)

        assignment = await stage.running(session)
        await stage.assigned(roomy)
        await stage.submit_many(3, SMOOTH)
        assert _numbers(await _smooth(store)) == (1, 1, 3)

        await store.cancel([assignment.fence.job_id], "ada", "no")
        assert _numbers(await _smooth(store)) == (1, 1, 3)
        await stage.finish(cancelled(assignment))
        assert _numbers(await _smooth(store)) == (2, 0, 3)

    async def test_a_worker_busy_with_one_extension_is_busy_for_all_that_it_offers(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT)
        await stage.running(session, COUNT)

        assert _numbers(await _smooth(store)) == (0, 1, 0)

    async def test_the_overview_counts_the_jobs_of_every_extension(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH, ATTIC)
        await stage.finish(completed(await stage.running(session)))
        await stage.finish(completed(await stage.running(session)))
        await stage.running(session)
        clock.advance(5)
        await stage.submit(SMOOTH)
        usage = {each.extension.key: each for each in await store.read(ExtensionsOverview())}

        assert set(usage) == {SMOOTH.key, ATTIC.key}
        assert usage[SMOOTH.key].jobs == {"completed": 2, "running": 1, "pending": 1}
        assert usage[SMOOTH.key].last_job_at_us == clock.now_us()
        assert _numbers(usage[SMOOTH.key].extension) == (0, 1, 1)
        assert (usage[ATTIC.key].jobs, usage[ATTIC.key].last_job_at_us) == ({}, None)

    async def test_a_queue_has_its_pending_jobs_the_oldest_of_them_and_how_jobs_ended(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT)
        await stage.finish(completed(await stage.running(session)))
        await stage.finish(failed(await stage.running(session)))
        await stage.running(session)
        clock.advance(5)
        oldest = clock.now_us()
        await stage.submit_many(2, SMOOTH)
        clock.advance(5)
        await stage.submit(SMOOTH, priority=9)
        queues = {each.key: each for each in await store.read(FindQueues())}

        found = queues[SMOOTH.key]
        assert (found.ready, found.limited, found.paced, found.later) == (3, 0, 0, 0)
        assert (found.completed, found.failed, found.cancelled) == (1, 1, 0)
        assert found.oldest_us == oldest
        assert queues[COUNT.key] == Queue(
            await stage.extension_id(COUNT), COUNT.key, is_paused=False, is_broken=False
        )

    async def test_a_queue_has_what_keeps_its_jobs_back(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", KEYED, PACED, RETRIED, slots=9)
        for spec in (KEYED, KEYED, KEYED, PACED, PACED, PACED):
            await submit_to(stage, "key" if spec is KEYED else "", spec)
        await submit_to(stage, None, RETRIED)
        for assignment in await stage.claim(session, 9):
            await stage.start(assignment)
            if assignment.extension == RETRIED.key:
                await stage.finish(failed(assignment))
        await store.pause(await stage.extension_id(KEYED), paused=True)
        queues = {each.key: each for each in await store.read(FindQueues())}

        assert (queues[KEYED.key].ready, queues[KEYED.key].limited) == (0, 2)
        assert queues[PACED.key].limited + queues[PACED.key].paced == 2
        assert queues[PACED.key].paced >= 1
        assert queues[RETRIED.key].later == 1
        assert [each.is_paused for each in queues.values()] == [each == KEYED.key for each in queues]
        assert all(each.oldest_us for each in (queues[KEYED.key], queues[PACED.key]))

    async def test_a_queue_shows_that_the_breaker_is_open(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        for _ in range(MIN_FAILURES):
            await stage.finish(failed(await stage.running(session)))
        (queue,) = await store.read(FindQueues())

        assert queue.is_broken

    async def test_the_overview_has_how_the_last_jobs_ended_and_how_long_they_took(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH, ATTIC)
        await stage.submit(SMOOTH)
        clock.advance(2)
        (done,) = await stage.claim(session)
        await stage.start(done)
        clock.advance(3)
        await stage.finish(completed(done))
        waiting = await stage.submit(SMOOTH)
        await store.cancel([waiting], "ada", "no")
        await stage.finish(failed(await stage.running(session)))
        usage = await _usage(store)

        assert [end.status for end in usage.recent] == ["failed", "cancelled", "completed"]
        assert [end.wait_ms for end in usage.recent] == [0, None, 2000]
        assert [end.execution_ms for end in usage.recent] == [0, None, 3000]
        assert usage.recent[0].at_us == clock.now_us() // 1_000_000 * 1_000_000
        assert usage.jobs == {"completed": 1, "cancelled": 1, "failed": 1}

    async def test_the_overview_names_the_job_that_failed_last(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        assert (await _usage(store)).last_failure is None
        await stage.finish(failed(await stage.running(session)))
        clock.advance(1)
        last = await stage.running(session)
        await stage.finish(failed(last))
        await stage.finish(completed(await stage.running(session)))
        found = (await _usage(store)).last_failure

        assert found is not None
        assert (found.job_id, found.at_us) == (last.fence.job_id, clock.now_us())
        assert found.error == (await stage.job(last.fence.job_id)).error

    async def test_the_overview_has_a_bounded_number_of_ends(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        for _ in range(3):
            await store.cancel(await stage.submit_many(RECENT_ENDS, SMOOTH), "ada", "no")
        usage = await _usage(store)

        assert len(usage.recent) == RECENT_ENDS
        assert usage.jobs == {"cancelled": 3 * RECENT_ENDS}

    async def test_rooms_are_listed_by_name(self, store: Store, clock: FakeClock) -> None:
        await store.create_room(Room("lab", "ada"))
        await store.create_room(Room("attic", "bob"))
        rooms = await store.read(FindRooms(None))

        assert [(room.name, room.owner, room.created_at_us) for room in rooms] == [
            ("attic", "bob", clock.now_us()),
            ("lab", "ada", clock.now_us()),
        ]
        assert await store.read(FindRoom("lab")) == rooms[1]
        assert await store.read(FindRoom("cellar")) is None


async def _seen(store: Store, room: str | None) -> set[object]:
    return {each.key for each in await store.read(VisibleExtensions(room))}


async def _usage(store: Store) -> ExtensionUsage:
    (found,) = [each for each in await store.read(ExtensionsOverview()) if each.extension.key == SMOOTH.key]
    return found


async def _smooth(store: Store) -> Extension:
    (found,) = [each for each in await store.read(VisibleExtensions(LAB)) if each.key == SMOOTH.key]
    return found


def _numbers(found: Extension) -> tuple[int, int, int]:
    return found.idle_workers, found.busy_workers, found.pending_jobs
