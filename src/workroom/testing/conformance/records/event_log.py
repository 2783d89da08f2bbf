"""The event log and the chat can be read from any position."""

from __future__ import annotations

from workroom.domain.identity import SERVER
from workroom.domain.job import JobError
from workroom.domain.queries import FindChat, FindLogPosition, JobEvents, JobHistory, NewChat, RoomEvents
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
        await stage.finish(completed(second))
        await stage.finish(completed(first))

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
            await stage.finish(completed(each))
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

    async def test_the_log_position_names_the_store_and_its_last_event(
        self, stage: Stage, store: Store
    ) -> None:
        before = await store.read(FindLogPosition())
        assert (before.last, before.last_chat) == (0, 0)
        assert before.epoch
        await stage.register("w1", SMOOTH)
        await stage.submit_many(3, SMOOTH)
        message = await store.post_chat(LAB, "ada", "hello")

        after = await store.read(FindLogPosition())
        assert after.epoch == before.epoch
        assert after.last == (await store.read(RoomEvents(LAB, 0)))[-1].sequence
        assert after.last_chat == message.sequence

    async def test_transitions_are_numbered_without_a_gap(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, ATTIC)
        await stage.finish(completed(await stage.running(session)))
        await stage.finish(failed(await stage.running(session, ATTIC, room="attic")))
        await stage.submit_many(3, SMOOTH)

        steps = [*await store.read(RoomEvents(LAB, 0)), *await store.read(RoomEvents("attic", 0))]
        assert sorted(step.sequence for step in steps) == list(range(1, len(steps) + 1))

    async def test_progress_names_the_room_of_its_job(self, stage: Stage, store: Store) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))

        step = await store.append("w1", [Progress(running.fence, b"{}")])

        assert step.rooms == {running.fence.job_id: LAB}


class ChatConformance(Conformance):
    async def test_chat_is_read_newest_first_and_in_pages(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        messages = [await store.post_chat(LAB, "ada", f"number {number}") for number in range(5)]
        await store.post_chat("attic", "bob", "elsewhere")

        page = await store.read(FindChat(LAB, limit=2))
        assert page.items == messages[:2:-1]
        rest = await store.read(FindChat(LAB, before=page.next_cursor, limit=3))
        assert rest.items == messages[2::-1]
        assert rest.next_cursor is None
        assert (messages[0].user, messages[0].text, messages[0].job_id) == ("ada", "number 0", None)
        assert messages[0].at_us == clock.now_us()

    async def test_chat_after_a_sequence_number_is_read_oldest_first(
        self, stage: Stage, store: Store
    ) -> None:
        messages = [await store.post_chat(LAB, "ada", f"number {number}") for number in range(4)]

        assert await store.read(NewChat(LAB, messages[1].sequence)) == messages[2:]
        assert await store.read(NewChat(LAB, 0, limit=1)) == messages[:1]
        assert await store.read(NewChat("attic", 0)) == []

    async def test_a_chat_message_of_a_job_names_the_job(self, stage: Stage, store: Store) -> None:
        by_person = await store.post_chat(LAB, "ada", "mine")
        by_job = await store.post_chat(LAB, "ada", "my job's", "a-job")

        assert (by_person.by_job, by_job.by_job, by_job.job_id) == (None, "a-job", None)
        assert (await store.read(FindChat(LAB))).items == [by_job, by_person]
        assert await store.read(NewChat(LAB, 0)) == [by_person, by_job]

    async def test_nothing_is_posted_in_a_deleted_room(self, stage: Stage, store: Store) -> None:
        await store.post_chat(LAB, "ada", "hello")
        await store.delete_room(LAB)

        try:
            await store.post_chat(LAB, "ada", "anybody?")
        except RoomNotFound:
            return
        raise AssertionError("the message was posted")

    async def test_a_job_that_fails_leaves_one_line_in_its_room(self, stage: Stage, store: Store) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        report = failed(running, JobError("Odd", "one\ntwo\r\nthree", {}, ""))

        step = await stage.finish(report)
        await stage.finish(report)

        (line,) = (await store.read(FindChat(LAB))).items
        assert step.chat == [line]
        assert (line.user, line.job_id) == (SERVER, running.fence.job_id)
        assert line.text == f"job {running.fence.job_id} failed: Odd: one two three"

    async def test_a_job_whose_worker_is_lost_leaves_a_line_too(self, stage: Stage, store: Store) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))

        step = await store.close_session("w1", "goodbye")

        (line,) = (await store.read(FindChat(LAB))).items
        assert step.chat == [line]
        assert line.job_id == running.fence.job_id
        assert "WorkerLost" in line.text

    async def test_a_job_that_ends_well_or_is_cancelled_leaves_no_line(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.finish(completed(await stage.running(session)))
        await store.cancel([await stage.submit(SMOOTH)], "ada", "no")

        assert (await store.read(FindChat(LAB))).items == []
