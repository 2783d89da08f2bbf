"""Who runs next: priority, then fair share between users, then first come."""

from __future__ import annotations

from workroom.domain.job import JobState
from workroom.domain.queries import FindJobs
from workroom.domain.steps import Start, Unbegun
from workroom.domain.worker import Session
from workroom.ports import Store
from workroom.testing.conformance.stage import COUNT, NONCE, SMOOTH, Conformance, Stage


class ShareConformance(Conformance):
    async def test_jobs_of_one_user_come_out_in_the_order_they_went_in(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        one_by_one = [await stage.submit(SMOOTH) for _ in range(3)]
        batch = await stage.submit_many(3, SMOOTH)

        assert await stage.claimed_ids(session, 6) == [*one_by_one, *batch]

    async def test_a_more_urgent_job_goes_first_regardless_of_user_and_time(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        calm = await stage.submit(SMOOTH, user="ada", priority=0)
        urgent = await stage.submit(SMOOTH, user="ada", priority=10)
        later = await stage.submit(SMOOTH, user="bob", priority=9)

        assert await stage.claimed_ids(session) == [urgent]
        assert await stage.claimed_ids(session, 2) == [later, calm]

    async def test_two_users_take_turns(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.submit_many(4, SMOOTH, user="ada")
        await stage.submit_many(4, SMOOTH, user="bob")

        assert await _users(stage, session, 8) == ["ada", "bob"] * 4

    async def test_a_hundred_jobs_of_one_user_do_not_starve_the_next(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.submit_many(100, SMOOTH, user="ada")
        assert await _users(stage, session, 10) == ["ada"] * 10
        await stage.submit(SMOOTH, user="bob")

        assert "bob" in await _users(stage, session, 2)

    async def test_shares_count_over_all_extensions_of_a_user(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT)
        await stage.submit_many(3, SMOOTH, user="ada")
        await stage.submit_many(3, COUNT, user="ada")
        await stage.submit_many(2, COUNT, user="bob")

        assert await _users(stage, session, 4) == ["ada", "bob"] * 2

    async def test_who_was_away_has_saved_up_no_credit(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.submit_many(10, SMOOTH, user="ada")
        for assignment in await stage.claim(session, 10):
            await stage.start(assignment)
        await stage.submit_many(10, SMOOTH, user="ada")
        await stage.submit_many(10, SMOOTH, user="bob")

        users = await _users(stage, session, 10)
        assert sorted(users) == ["ada"] * 5 + ["bob"] * 5

    async def test_what_was_handed_out_and_taken_back_has_served_nobody(
        self, stage: Stage, store: Store
    ) -> None:
        """A newcomer's turn is not behind jobs that a worker held and never began."""
        session = await stage.connect("w1", SMOOTH)
        await stage.submit_many(100, SMOOTH, user="ada")
        begun, *ahead = await stage.claim(session, 50)
        await stage.start(begun)
        unbegun = [Unbegun(each.fence) for each in ahead]
        await store.release("w1", unbegun, "dispatcher", "recalled")
        await stage.submit_many(2, SMOOTH, user="bob")

        assert await _users(stage, session, 4) == ["bob", "ada", "bob", "ada"]

    async def test_what_was_started_together_and_given_back_has_served_nobody(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.submit_many(100, SMOOTH, user="ada")
        held = await stage.claim(session, 50)
        await store.start("w1", [Start(each.fence, NONCE) for each in reversed(held)])
        unbegun = [Unbegun(each.fence, NONCE) for each in held[1:]]
        await store.release("w1", unbegun, "worker:w1", "not begun")
        await stage.submit_many(2, SMOOTH, user="bob")

        assert await _users(stage, session, 4) == ["bob", "ada", "bob", "ada"]

    async def test_a_newcomer_is_next_while_a_worker_holds_jobs_of_others(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.submit_many(100, SMOOTH, user="ada")
        begun, *_ = await stage.claim(session, 50)
        await stage.start(begun)
        await stage.submit_many(60, SMOOTH, user="bob")

        assert await _users(stage, session, 50) == ["bob"] * 50

    async def test_turns_are_the_same_one_at_a_time_and_many_at_once(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, COUNT)
        await stage.submit_many(3, SMOOTH, user="ada")
        await stage.submit_many(3, COUNT, user="bob")

        singly = [user for _ in range(3) for user in await _users(stage, session, 1)]
        assert singly + await _users(stage, session, 3) == ["ada", "bob"] * 3

    async def test_queue_positions_run_from_zero_in_the_order_of_the_claims(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.submit_many(3, SMOOTH, user="ada")
        await stage.submit_many(3, SMOOTH, user="bob")
        await stage.submit(SMOOTH, user="eve", priority=5)
        waiting = (await store.read(FindJobs(status=JobState.PENDING))).items
        positions = {job.queue_position: job.id for job in waiting}

        assert set(positions) == set(range(7))
        assert await stage.claimed_ids(session, 7) == [positions[place] for place in range(7)]

    async def test_queue_positions_move_up_and_end_with_the_wait(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH)
        first, second, third = await stage.submit_many(3, SMOOTH)
        await stage.claim(session)
        await stage.store.cancel([second], "ada", "not needed")

        assert [(await stage.job(each)).queue_position for each in (first, second, third)] == [None, None, 0]

    async def test_each_extension_has_a_queue_of_its_own(self, stage: Stage) -> None:
        await stage.connect("w1", SMOOTH, COUNT)
        await stage.submit_many(3, SMOOTH)

        assert (await stage.job(await stage.submit(COUNT))).queue_position == 0

    async def test_a_job_that_comes_back_keeps_its_place(self, stage: Stage) -> None:
        await stage.connect("w1", SMOOTH)
        first, second = await stage.submit_many(2, SMOOTH)
        session = await stage.reconnect("w1")
        assert await stage.claimed_ids(session) == [first]
        rebooted = await stage.reconnect("w1", boot="second")

        assert (await stage.job(first)).queue_position == 0
        assert await stage.claimed_ids(rebooted, 2) == [first, second]


async def _users(stage: Stage, session: Session, jobs: int) -> list[str]:
    return [assignment.user for assignment in await stage.claim(session, jobs)]
