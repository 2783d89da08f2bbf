"""The rules of the state machine for jobs that ask people, and that wait for answers and children."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from workroom.domain.jobs.exchanges import ExchangeLimits, Exchanges
from workroom.domain.queries import FindJob
from workroom.domain.steps import NewAnswer, NewQuestion, Suspension
from workroom.errors import QuestionClosed, QuestionNotFound, StaleAttempt
from workroom.testing.machine.driver import Driver
from workroom.testing.machine.scene import BREAK, SOON, rarely, recent

_LIMITS = ExchangeLimits()


class QuestionRules(Driver):
    @precondition(lambda self: self.assignments)
    @rule(
        which=recent,
        key=st.sampled_from(["keep", "stop"]),
        timeout=st.sampled_from([None, SOON, BREAK]),
        impostor=rarely,
    )
    def ask(self, which: int, key: str, timeout: float | None, impostor: bool) -> None:
        assignment = self._assignment(which)
        name, fence = "w3" if impostor else assignment.worker, assignment.fence
        timeout_us = None if timeout is None else round(timeout * 1_000_000)
        new = NewQuestion(fence, key, f"{key}?", "{}", timeout_us)
        verdict = self.model.ask(name, new)
        exchanged = self.call(lambda: self.store.exchange(name, [new], _LIMITS))

        refusal = StaleAttempt if verdict == "stale" else None
        assert [each and type(each) for each in exchanged.answers] == [refusal]
        assert len(exchanged.asked) == (verdict == "new")
        self._questions_agree(fence.job_id)

    @precondition(lambda self: any(job.questions for job in self.model.jobs.values()))
    @rule(
        which=recent,
        number=st.integers(1, 2),
        text=st.sampled_from(['{"keep":true}', "{}"]),
        user=st.sampled_from(["ada", "eve"]),
    )
    def answer(self, which: int, number: int, text: str, user: str) -> None:
        asked = [job.new.id for job in self.model.jobs.values() if job.questions]
        new = NewAnswer(asked[-1 - which % len(asked)], number, text, user)
        verdict = self.model.answer(new)
        if verdict == "unknown":
            self.refused(QuestionNotFound, lambda: self.store.answer(new))
        elif verdict not in ("accept", "repeat"):
            self.refused(QuestionClosed, lambda: self.store.answer(new))
        else:
            answered = self.call(lambda: self.store.answer(new))
            assert answered.is_repeat == (verdict == "repeat")
            waits = None if answered.is_repeat else self.model.worker_that_waits(new.job_id)
            assert answered.worker == waits
        self._questions_agree(new.job_id)

    @precondition(lambda self: self.assignments)
    @rule(
        which=recent,
        waits=st.sampled_from(["answer:1", "children:job1", "children:grp_0", None]),
        impostor=rarely,
    )
    def suspend(self, which: int, waits: str | None, impostor: bool) -> None:
        assignment = self._assignment(which)
        name, suspension = "w3" if impostor else assignment.worker, Suspension(assignment.fence, waits)
        self.model.suspend(name, suspension)
        step = self.call(lambda: self.store.suspend(name, [suspension]))
        self.call(lambda: self.store.submit([]))  # what was applied is on disk after this
        self.check(step)

    def _questions_agree(self, job_id: str) -> None:
        job = self.call(lambda: self.store.read(FindJob(job_id)))
        assert job is not None
        found = (job.exchanges or Exchanges()).questions
        known = self.model.jobs[job_id].questions
        assert [(each.key, each.answer, each.answered_by) for each in found] == [
            (each.key, each.answer, each.answered_by) for each in known
        ]
