"""Jobs ask people, and wait for answers and children without occupying a slot."""

from __future__ import annotations

import pytest

from workroom.domain.job import JobState
from workroom.domain.queries import FindIdle, FindJob, FindOpenQuestions
from workroom.domain.rules.queue.waiting import WaitCode, Waiting
from workroom.domain.steps import Answered, Asked, Assignment, Exchanged, NewAnswer, Suspension
from workroom.errors import JobNotFound, QuestionClosed, QuestionNotFound, StaleAttempt
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.jobs.exchanges import (
    LIMITS,
    SCHEMA,
    TWICE,
    answer,
    exchanges,
    lose,
    question,
)
from workroom.testing.conformance.stage import ATTIC, LAB, LIVENESS, SMOOTH, Conformance, Stage, completed


async def asked(
    stage: Stage, assignment: Assignment, key: str = "keep", timeout_us: int | None = None
) -> Exchanged:
    exchanged = await stage.store.exchange("w1", [question(assignment, key, timeout_us)], LIMITS)
    assert exchanged.answers == [None]
    return exchanged


class QuestionConformance(Conformance):
    async def test_a_question_is_open_until_it_is_answered(self, stage: Stage, clock: FakeClock) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        job_id = running.fence.job_id
        exchanged = await asked(stage, running, timeout_us=5_000_000)
        (found,) = (await exchanges(stage, running)).questions

        assert list(exchanged.asked) == [Asked(job_id, LAB, "ada", found)]
        assert list(exchanged.questions) == [found]
        assert (found.id, found.key, found.text, found.schema, found.attempt) == (
            1,
            "keep",
            "keep?",
            SCHEMA,
            1,
        )
        assert (found.asked_us, found.expires_us) == (clock.now_us(), clock.now_us() + 5_000_000)
        assert (found.answer, found.answered_by, found.answered_us) == (None, None, None)
        assert (await stage.store.read(FindOpenQuestions(LAB))).items == [job_id]
        assert (await stage.store.read(FindOpenQuestions(ATTIC))).items == []

    async def test_the_first_answer_counts(self, stage: Stage, clock: FakeClock) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await asked(stage, running)
        answered = await stage.store.answer(answer(running))
        (found,) = (await exchanges(stage, running)).questions

        assert answered == Answered(Asked(running.fence.job_id, LAB, "ada", found), "w1", is_repeat=False)
        assert (found.answer, found.answered_by, found.answered_us) == (
            '{"keep":true}',
            "eve",
            clock.now_us(),
        )
        assert (await stage.store.read(FindOpenQuestions(LAB))).items == []
        with pytest.raises(QuestionClosed) as refused:
            await stage.store.answer(answer(running, user="bob"))
        assert refused.value.fields == {"reason": "answered", "by": "eve"}

    async def test_the_same_answer_again_is_no_error(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await asked(stage, running)
        first = await stage.store.answer(answer(running))
        again = await stage.store.answer(answer(running))

        assert (again.asked, again.worker, again.is_repeat) == (first.asked, None, True)

    async def test_the_same_question_again_finds_the_question_and_its_answer(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        first = await asked(stage, running, timeout_us=60_000_000)
        clock.advance(1)
        again = await asked(stage, running, timeout_us=60_000_000)
        await stage.store.answer(answer(running))
        last = await asked(stage, running)

        assert (again.questions, list(again.asked)) == (first.questions, [])
        assert last.questions[0] is not None
        assert last.questions[0].answer == '{"keep":true}'

    async def test_the_next_attempt_finds_the_answer_that_was_given_before_or_between(
        self, stage: Stage
    ) -> None:
        lost = await stage.running(await stage.connect("w1", TWICE), TWICE)
        await asked(stage, lost)
        await asked(stage, lost, key="more")
        await stage.store.answer(answer(lost))
        await lose(stage)
        between = await stage.store.answer(answer(lost, 2))
        fresh = (await stage.claim(await stage.connect("w2", TWICE)))[0]
        await stage.start(fresh)
        exchanged = await stage.store.exchange("w2", [question(fresh), question(fresh, "more")], LIMITS)

        assert between.worker is None
        assert [each and each.answer for each in exchanged.questions] == ['{"keep":true}'] * 2
        assert list(exchanged.asked) == []

    async def test_a_job_with_two_questions_stays_listed_until_both_are_answered(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await asked(stage, running)
        await asked(stage, running, key="more")
        await stage.store.answer(answer(running, 2))
        one_left = await stage.store.read(FindOpenQuestions(LAB))
        await stage.store.answer(answer(running, 1))

        assert one_left.items == [running.fence.job_id]
        assert (await stage.store.read(FindOpenQuestions(LAB))).items == []

    async def test_an_answer_that_is_too_late_is_refused(self, stage: Stage, clock: FakeClock) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await asked(stage, running, timeout_us=1_000_000)
        clock.advance(1)

        with pytest.raises(QuestionClosed) as refused:
            await stage.store.answer(answer(running))
        assert refused.value.fields["reason"] == "expired"

    async def test_a_question_of_an_ended_job_cannot_be_answered_and_is_not_listed_for_long(
        self, stage: Stage
    ) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await asked(stage, running)
        await stage.finish(completed(running))
        await stage.wait(3 * LIVENESS.lease)

        assert (await stage.store.read(FindOpenQuestions(LAB))).items == []
        with pytest.raises(QuestionClosed) as refused:
            await stage.store.answer(answer(running))
        assert refused.value.fields["reason"] == "ended"

    async def test_only_questions_that_were_asked_can_be_answered(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        with pytest.raises(QuestionNotFound):
            await stage.store.answer(answer(running))
        with pytest.raises(JobNotFound):
            await stage.store.answer(NewAnswer("nothing", 1, "{}", "eve"))

    async def test_open_questions_are_paged_by_job_newest_first(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, slots=3)
        jobs = [await stage.running(session) for _ in range(3)]
        for each in jobs:
            await asked(stage, each)
        first = await stage.store.read(FindOpenQuestions(LAB, limit=2))
        last = await stage.store.read(FindOpenQuestions(LAB, before=first.next_cursor, limit=2))

        newest = [each.fence.job_id for each in reversed(jobs)]
        assert (first.items, last.items, last.next_cursor) == (newest[:2], newest[2:], None)


class SuspendConformance(Conformance):
    async def test_a_running_job_explains_what_it_waits_for(self, stage: Stage, clock: FakeClock) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await asked(stage, running, timeout_us=5_000_000)
        job_id = running.fence.job_id
        found = []
        for waits in ("answer:1", "children:j-2", "children:grp_2", None):
            step = await stage.store.suspend("w1", [Suspension(running.fence, waits)])
            await stage.catch_up()
            assert step.answers == [None]
            found.append((await stage.job(job_id)).waiting)

        assert found == [
            Waiting(WaitCode.ANSWER, key="1", until_us=clock.now_us() + 5_000_000),
            Waiting(WaitCode.CHILDREN, job="j-2"),
            Waiting(WaitCode.CHILDREN, group="grp_2"),
            None,
        ]
        assert await stage.status(running) is JobState.RUNNING

    async def test_a_worker_whose_job_waits_has_a_free_slot(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        idle = FindIdle(await stage.extension_id(SMOOTH))
        busy = await stage.store.read(idle)
        await stage.store.suspend("w1", [Suspension(running.fence, "answer:1")])
        await stage.catch_up()
        waiting = await stage.store.read(idle)
        await stage.finish(completed(running))

        assert (busy, waiting, await stage.store.read(idle)) == ([], ["w1"], ["w1"])

    async def test_its_next_attempt_does_not_wait(self, stage: Stage) -> None:
        lost = await stage.running(await stage.connect("w1", TWICE), TWICE)
        await stage.store.suspend("w1", [Suspension(lost.fence, "answer:1")])
        await lose(stage)
        fresh = (await stage.claim(await stage.connect("w2", TWICE)))[0]
        await stage.start(fresh)

        job = await stage.store.read(FindJob(fresh.fence.job_id))
        assert job is not None
        assert job.waiting is None

    async def test_a_stale_attempt_cannot_wait(self, stage: Stage) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.finish(completed(running))

        assert (
            await stage.refusal(stage.store.suspend("w1", [Suspension(running.fence, "answer:1")]))
            is StaleAttempt
        )
