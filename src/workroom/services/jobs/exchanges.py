"""What jobs exchange with providers and people: external ids, intents, questions and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from workroom.domain.identity import Principal
from workroom.domain.job import Job
from workroom.domain.jobs.exchanges import ExchangeLimits, Question, QuestionState, state_of
from workroom.domain.permissions import Permission
from workroom.domain.queries import FindJobsById, FindOpenQuestions, Page
from workroom.domain.rules.exchanges import AnswerVerdict
from workroom.domain.rules.exchanges import answer as answer_verdict
from workroom.domain.rules.refusals import question_closed, question_not_found
from workroom.domain.steps import Asked, Exchanged, NewAnswer, NewExchange, NewQuestion
from workroom.errors import BodyTooLarge, InvalidSchema, WorkroomError
from workroom.ports import Clock, ReadableStore
from workroom.services.identity.access import Access
from workroom.services.jobs.job_pages import CHUNK, MAX_PAGE_BYTES
from workroom.services.jobs.secrets import Secrets, secret_fields
from workroom.services.json_codec import encoded
from workroom.services.steps import Steps
from workroom.services.validation.schemas import SchemaLimits, check_form
from workroom.services.validation.validation import Batch, Validation


@dataclass(frozen=True, slots=True)
class JobQuestion:
    """A question, its state now, and the job that has it."""

    job_id: str
    room: str
    user: str
    question: Question
    state: QuestionState


class JobExchanges:
    def __init__(
        self,
        store: ReadableStore,
        steps: Steps,
        access: Access,
        validation: Validation,
        secrets: Secrets,
        clock: Clock,
        limits: ExchangeLimits,
        schemas: SchemaLimits,
        max_answer: int,
    ) -> None:
        self._store = store
        self._steps = steps
        self._access = access
        self._validation = validation
        self._secrets = secrets
        self._clock = clock
        self._limits = limits
        self._schemas = schemas
        self._max_answer = max_answer

    async def record(self, worker: str, items: Sequence[NewExchange]) -> Exchanged:
        """Record external ids and intents."""
        return await self._steps.exchange(worker, items, self._limits)

    async def ask(self, user: str, worker: str, items: Sequence[NewQuestion]) -> Exchanged:
        """Record questions whose schemas can be used; each refusal stands in the place of its item."""
        batch = self._validation.batch()
        refusals = [await self._schema_refusal(user, each, batch) for each in items]
        valid = [
            await self._secrets.masked_question(item)
            for item, refusal in zip(items, refusals, strict=True)
            if refusal is None
        ]
        exchanged = await self._steps.exchange(worker, valid, self._limits)
        answers, questions = iter(exchanged.answers), iter(exchanged.questions)
        return Exchanged(
            [next(answers) if refusal is None else refusal for refusal in refusals],
            [next(questions) if refusal is None else None for refusal in refusals],
            exchanged.asked,
        )

    async def _schema_refusal(self, user: str, item: NewQuestion, batch: Batch) -> WorkroomError | None:
        schema = item.schema.encode()
        try:
            check_form(orjson.loads(schema), self._schemas)
            if secret_fields(schema) is not None:
                raise InvalidSchema("everyone in the room can read an answer: it cannot have a secret field")
            await self._validation.compile(user, schema, batch)
        except WorkroomError as refusal:
            return refusal
        return None

    async def open_in_room(
        self, who: Principal, room: str, cursor: int | None, limit: int
    ) -> Page[JobQuestion]:
        """The open questions of a room, those of the newest jobs first. Large ones end the page early."""
        await self._access.room(who, room, Permission.SEE_ROOM)
        found: list[JobQuestion] = []
        left = limit
        while True:
            page = await self._store.read(FindOpenQuestions(room, cursor, min(CHUNK, left)))
            jobs = await self._store.read(FindJobsById(tuple(page.items))) if page.items else []
            asked = [each for job in jobs for each in self._questions(job)]
            found += [each for each in asked if each.state is QuestionState.OPEN]
            cursor, left = page.next_cursor, left - len(page.items)
            if cursor is None or left <= 0 or sum(map(_size_of, found)) >= MAX_PAGE_BYTES:
                return Page(found, cursor)

    async def of_job(self, who: Principal, job_id: str) -> list[JobQuestion]:
        """All questions of a job, in their order."""
        return self._questions(await self._access.job(who, job_id, Permission.SEE_JOB))

    async def answer(self, who: Principal, job_id: str, number: int, answer: Any) -> JobQuestion:
        """Raises InvalidData, QuestionNotFound and QuestionClosed. The first answer counts."""
        job = await self._access.job(who, job_id, Permission.ANSWER_QUESTION)
        question = _question(job, number)
        document = self._encoded(answer)
        schema = question.schema.encode()
        if not self._validation.passes(who.user, schema, answer, len(document)):
            await self._validation.check(who.user, schema, answer, document)
        new = NewAnswer(job_id, number, document.decode(), who.user)
        if job.status.is_terminal:
            return self._late(job, question, new)
        answered = await self._steps.answer(new)
        return self._described(answered.asked, has_ended=False)

    def _late(self, job: Job, question: Question, new: NewAnswer) -> JobQuestion:
        """An ended job never changes, and may be in an archive, where it cannot be answered."""
        is_same = (question.answer, question.answered_by) == (new.answer, new.user)
        verdict = answer_verdict(question.answer is not None, is_same, True, question.expires_us, 0)
        if verdict is not AnswerVerdict.REPEAT:
            raise question_closed(verdict, question.answered_by, job.status)
        return self._described(Asked(job.id, job.room, job.user, question), has_ended=True)

    def _encoded(self, answer: Any) -> bytes:
        document = encoded(answer, "the answer")
        if len(document) > self._max_answer:
            raise BodyTooLarge(
                f"the answer has {len(document):,} bytes; {self._max_answer:,} are allowed",
                max_bytes=self._max_answer,
            )
        return document

    def _questions(self, job: Job) -> list[JobQuestion]:
        questions = job.exchanges.questions if job.exchanges else ()
        has_ended = job.status.is_terminal
        return [
            self._described(Asked(job.id, job.room, job.user, each), has_ended=has_ended)
            for each in questions
        ]

    def _described(self, asked: Asked, *, has_ended: bool) -> JobQuestion:
        state = state_of(asked.question, has_ended=has_ended, now_us=self._clock.now_us())
        return JobQuestion(asked.job_id, asked.room, asked.user, asked.question, state)


def _question(job: Job, number: int) -> Question:
    for question in job.exchanges.questions if job.exchanges else ():
        if question.id == number:
            return question
    raise question_not_found(number)


def _size_of(asked: JobQuestion) -> int:
    return len(asked.question.text) + len(asked.question.schema)
