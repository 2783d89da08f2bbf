"""The log: what happened is found again by whoever says how far they had come. And what was said."""

from __future__ import annotations

from workroom.domain.identity import SERVER
from workroom.domain.job import JobError
from workroom.domain.queries import FindChat, FindMark, JobEvents, JobHistory, NewChat, RoomEvents
from workroom.domain.steps import Progress
from workroom.errors import RoomNotFound
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    LAB,
    SMOOTH,
    Conformance,
    Stage,
    completed,
    extension,
    failed,
)

ATTIC = extension("Count", room="attic")


class RememberConformance(Conformance):
    async def test_the_log_of_a_job_is_its_history_from_any_place_on(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        first, second = await stage.running(session), await stage.running(session)
        await stage.settle(completed(second))
        await stage.settle(completed(first))

        for each in (first, second):
            history = await store.read(JobHistory(each.fence.job_id))
            assert await store.read(JobEvents(each.fence.job_id, 0)) == history
            for number, step in enumerate(history, 1):
                found = await store.read(JobEvents(each.fence.job_id, step.sequence))
                assert found == history[number:]

    async def test_the_log_of_a_room_has_the_steps_of_all_its_jobs_in_their_order(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH, ATTIC, slots=3)
        here = [await stage.running(session), await stage.running(session)]
        there = await stage.running(session, ATTIC, room="attic")
        for each in (*here, there):
            await stage.settle(completed(each))
        steps = [step for each in here for step in await store.read(JobHistory(each.fence.job_id))]

        found = await store.read(RoomEvents(LAB, 0))
        assert found == sorted(steps, key=lambda step: step.sequence)
        assert await store.read(RoomEvents(LAB, found[2].sequence)) == found[3:]
        assert await store.read(RoomEvents("attic", 0)) == await store.read(JobHistory(there.fence.job_id))
        assert await store.read(RoomEvents("cellar", 0)) == []

    async def test_the_log_is_read_in_pages(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await stage.submit_many(5, SMOOTH)

        after, seen = 0, []
        while page := await store.read(RoomEvents(LAB, after, limit=2)):
            assert len(page) <= 2
            seen += page
            after = page[-1].sequence
        assert seen == await store.read(RoomEvents(LAB, 0))

    async def test_the_mark_says_how_far_the_log_has_come_and_of_which_store_it_is(
        self, stage: Stage, store: Store
    ) -> None:
        before = await store.read(FindMark())
        assert (before.last, before.last_chat) == (0, 0)
        assert before.epoch
        await stage.register("w1", SMOOTH)
        await stage.submit_many(3, SMOOTH)
        message = await store.say(LAB, "ada", "hello")

        after = await store.read(FindMark())
        assert after.epoch == before.epoch
        assert after.last == (await store.read(RoomEvents(LAB, 0)))[-1].sequence
        assert after.last_chat == message.sequence

    async def test_transitions_are_numbered_without_a_gap(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, ATTIC)
        await stage.settle(completed(await stage.running(session)))
        await stage.settle(failed(await stage.running(session, ATTIC, room="attic")))
        await stage.submit_many(3, SMOOTH)

        steps = [*await store.read(RoomEvents(LAB, 0)), *await store.read(RoomEvents("attic", 0))]
        assert sorted(step.sequence for step in steps) == list(range(1, len(steps) + 1))

    async def test_progress_names_the_room_of_its_job(self, stage: Stage, store: Store) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))

        step = await store.append("w1", [Progress(running.fence, b"{}")])

        assert step.rooms == {running.fence.job_id: LAB}


class ChatConformance(Conformance):
    async def test_what_was_said_is_read_newest_first_and_in_pages(
        self, store: Store, clock: FakeClock
    ) -> None:
        said = [await store.say(LAB, "ada", f"number {number}") for number in range(5)]
        await store.say("attic", "bob", "elsewhere")

        page = await store.read(FindChat(LAB, limit=2))
        assert page.items == said[:2:-1]
        rest = await store.read(FindChat(LAB, before=page.next_cursor, limit=3))
        assert rest.items == said[2::-1]
        assert rest.next_cursor is None
        assert (said[0].user, said[0].text, said[0].job_id) == ("ada", "number 0", None)
        assert said[0].at_us == clock.now_us()

    async def test_what_was_said_behind_a_number_is_read_oldest_first(self, store: Store) -> None:
        said = [await store.say(LAB, "ada", f"number {number}") for number in range(4)]

        assert await store.read(NewChat(LAB, said[1].sequence)) == said[2:]
        assert await store.read(NewChat(LAB, 0, limit=1)) == said[:1]
        assert await store.read(NewChat("attic", 0)) == []

    async def test_nothing_is_said_in_a_room_that_was_deleted(self, store: Store) -> None:
        await store.say(LAB, "ada", "hello")
        await store.delete_room(LAB)

        try:
            await store.say(LAB, "ada", "anybody?")
        except RoomNotFound:
            return
        raise AssertionError("it was said")

    async def test_a_job_that_fails_leaves_one_line_in_its_room(self, stage: Stage, store: Store) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        report = failed(running, JobError("Odd", "one\ntwo\r\nthree", {}, ""))

        step = await stage.settle(report)
        await stage.settle(report)

        (line,) = (await store.read(FindChat(LAB))).items
        assert step.said == [line]
        assert (line.user, line.job_id) == (SERVER, running.fence.job_id)
        assert line.text == f"job {running.fence.job_id} failed: Odd: one two three"

    async def test_a_job_whose_worker_is_lost_leaves_a_line_too(self, stage: Stage, store: Store) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))

        step = await store.close_session("w1", "goodbye")

        (line,) = (await store.read(FindChat(LAB))).items
        assert step.said == [line]
        assert line.job_id == running.fence.job_id
        assert "WorkerLost" in line.text

    async def test_a_job_that_ends_well_or_is_cancelled_leaves_no_line(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.settle(completed(await stage.running(session)))
        await store.cancel([await stage.submit(SMOOTH)], "ada", "no")

        assert (await store.read(FindChat(LAB))).items == []
