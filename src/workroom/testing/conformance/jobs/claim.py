"""Jobs go out to workers."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from workroom.domain.job import JobState
from workroom.domain.queries import CountReady, FindIdle
from workroom.domain.steps import INLINE_DATA_BYTES, Claimed, Seat, Step, Unbegun
from workroom.domain.worker import Session
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import COUNT, LAB, SMOOTH, Conformance, Stage, completed, extension

NOTHING = Claimed([], Step())
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class ClaimConformance(Conformance):
    async def test_an_assignment_contains_all_that_a_worker_needs(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        job_id = await stage.submit(SMOOTH, user="bob", data=b'{"window":9}')
        (assignment,) = await stage.claim(session)

        assert (assignment.fence.job_id, assignment.fence.attempt, assignment.worker) == (job_id, 1, "w1")
        assert len(assignment.fence.token) >= 16
        assert assignment.extension == SMOOTH.key
        assert assignment.extension_id == await stage.extension_id(SMOOTH)
        assert (assignment.room, assignment.user, assignment.data) == (LAB, "bob", b'{"window":9}')

    async def test_each_assignment_has_the_trace_of_the_submit(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        large = b'{"text":"' + b"a" * INLINE_DATA_BYTES + b'"}'
        for data in (b"{}", large):
            job_id = await stage.submit(SMOOTH, data=data, trace=TRACE)
            (first,) = await stage.claim(session)
            step = await stage.store.release("w1", [Unbegun(first.fence)], "dispatcher", "recalled")
            assert step.answers == [None]
            (second,) = await stage.claim(session)
            assert {first.fence.job_id, second.fence.job_id} == {job_id}
            assert (first.trace, second.trace) == (TRACE, TRACE)
            await stage.start(second)
            await stage.finish(completed(second))
        await stage.submit(SMOOTH)
        (untraced,) = await stage.claim(session)
        assert untraced.trace is None

    async def test_a_claimed_job_is_assigned_and_no_longer_waits(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        job_id = await stage.submit(SMOOTH)
        clock.advance(2)
        claimed = await stage.store.claim([Seat(session, 1)]).durable
        job = await stage.job(job_id)

        assert (job.status, job.version, job.attempt, job.worker) == (JobState.ASSIGNED, 2, 1, "w1")
        assert (job.assigned_at_us, job.queue_position) == (clock.now_us(), None)
        assert [(each.job_id, each.status) for each in claimed.step.transitions] == [
            (job_id, JobState.ASSIGNED)
        ]
        assert await stage.load("w1") == (1, 0)

    async def test_a_claim_answers_the_same_applied_and_durable(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.submit(SMOOTH)
        receipt = store.claim([Seat(session, 1)])

        assert await receipt.applied == await receipt.durable

    async def test_what_could_be_handed_out_is_counted(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT)
        both = (await stage.extension_id(SMOOTH), await stage.extension_id(COUNT))
        assert await store.read(CountReady(both)) == 0
        await stage.submit_many(3, SMOOTH)
        await stage.submit(COUNT)
        assert await store.read(CountReady(both)) == 4
        assert await store.read(CountReady(both[:1])) == 3

        await stage.claimed_ids(session, 2)

        assert await store.read(CountReady(both)) == 2

    async def test_idle_workers_are_found_by_what_they_serve(self, stage: Stage, store: Store) -> None:
        busy, _ = await stage.connect("w1", SMOOTH), await stage.connect("w2", SMOOTH, slots=2)
        await stage.connect("w3", COUNT)
        await stage.connect("w4", SMOOTH)
        await store.drain("w4", draining=True)
        await stage.register("w5", SMOOTH)
        found = FindIdle(await stage.extension_id(SMOOTH))
        both = await store.read(found)
        assert sorted(both) == ["w1", "w2"]
        await stage.assigned(busy)

        assert await store.read(found) == ["w2"]

    async def test_a_seat_gets_no_more_than_it_has_room_for(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        jobs = await stage.submit_many(3, SMOOTH)

        assert await stage.claimed_ids(session, 2) == jobs[:2]
        assert await stage.claimed_ids(session, 2) == jobs[2:]
        assert await stage.claimed_ids(session, 2) == []

    async def test_seats_are_served_in_their_order(self, stage: Stage, store: Store) -> None:
        first, second = await stage.connect("w1", SMOOTH), await stage.connect("w2", SMOOTH)
        jobs = await stage.submit_many(3, SMOOTH)
        claimed = await store.claim([Seat(second, 1), Seat(first, 1), Seat(second, 1)]).durable

        assert [each.fence.job_id for each in claimed.assignments] == jobs
        assert [each.worker for each in claimed.assignments] == ["w2", "w1", "w2"]

    async def test_a_worker_gets_the_best_job_over_all_its_extensions(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT, extension("Paint", room="attic"))
        calm = await stage.submit(SMOOTH)
        urgent = await stage.submit(COUNT, priority=5)
        calm_too = await stage.submit(extension("Paint", room="attic"), room="attic")

        assert await stage.claimed_ids(session) == [urgent]
        assert await stage.claimed_ids(session, 2) == [calm, calm_too]

    async def test_a_worker_gets_only_jobs_of_extensions_that_it_offers(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.register("w2", COUNT)
        await stage.submit(COUNT)

        assert await stage.claim(session) == []

    async def test_a_seat_for_some_extensions_gets_no_jobs_of_others(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT)
        await stage.submit(SMOOTH, priority=9)
        counts = await stage.submit_many(2, COUNT)
        only = frozenset({await stage.extension_id(COUNT)})

        for wanted, got in ((1, counts[:1]), (5, counts[1:])):
            claimed = await store.claim([Seat(session, wanted, only)]).durable
            assert [each.fence.job_id for each in claimed.assignments] == got

    async def test_jobs_are_fetched_ahead_behind_their_like_but_not_behind_another(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT)
        smooth, counts = await stage.submit(SMOOTH), await stage.submit_many(3, COUNT)
        only = frozenset({await stage.extension_id(COUNT)})
        seats = [Seat(session, 1), Seat(session, 5, only)]

        for got in ([smooth], counts):
            claimed = await store.claim(seats).durable
            assert [each.fence.job_id for each in claimed.assignments] == got

    async def test_a_session_that_was_taken_over_gets_nothing(self, stage: Stage, store: Store) -> None:
        stale = await stage.connect("w1", SMOOTH)
        session = await stage.reconnect("w1")
        job_id = await stage.submit(SMOOTH)

        assert await store.claim([Seat(stale, 1)]).durable == NOTHING
        assert await stage.claimed_ids(session) == [job_id]

    async def test_a_worker_that_has_left_or_never_was_gets_nothing(self, stage: Stage, store: Store) -> None:
        gone = await stage.connect("w1", SMOOTH)
        await stage.register("w2", SMOOTH)
        await stage.submit(SMOOTH)
        await store.close_session("w1", "goodbye")

        assert await store.claim([Seat(gone, 1), Seat(Session("nobody", 1), 1)]).durable == NOTHING

    async def test_a_worker_that_came_back_gets_nothing_before_it_connects(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")
        await stage.register("w1", SMOOTH)
        await stage.submit(SMOOTH)

        assert await store.claim([Seat(session, 1)]).durable == NOTHING

    async def test_the_numbers_of_assignments_grow(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.submit_many(4, SMOOTH)
        numbers = [each.number for jobs in (1, 2, 1) for each in await stage.claim(session, jobs)]

        assert all(earlier < later for earlier, later in pairwise([0, *numbers]))

    async def test_many_claims_at_once_never_hand_out_a_job_twice(self, stage: Stage, store: Store) -> None:
        sessions = [await stage.connect(f"w{number}", SMOOTH) for number in range(10)]
        jobs = await stage.submit_many(60, SMOOTH)
        receipts = [store.claim([Seat(session, 2)]) for _ in range(4) for session in sessions]
        claims = await asyncio.gather(*(receipt.durable for receipt in receipts))
        handed_out = [each.fence.job_id for claimed in claims for each in claimed.assignments]

        assert sorted(handed_out) == sorted(jobs)

    async def test_a_job_handed_out_again_has_a_higher_attempt_and_another_token(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        first = await stage.assigned(session)
        rebooted = await stage.reconnect("w1", boot="second")
        (second,) = await stage.claim(rebooted)

        assert second.fence.job_id == first.fence.job_id
        assert second.fence.attempt == first.fence.attempt + 1
        assert second.fence.token != first.fence.token

    async def test_data_too_large_for_a_push_is_left_to_be_fetched(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        large = b'"' + b"x" * 1_000_000 + b'"'
        assignment = await stage.assigned(session, data=large)

        assert assignment.data is None
        assert (await stage.job(assignment.fence.job_id)).data == large

    async def test_a_claim_that_finds_nothing_changes_nothing(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)

        assert await store.claim([Seat(session, 5)]).durable == NOTHING
        assert await store.claim([]).durable == NOTHING
