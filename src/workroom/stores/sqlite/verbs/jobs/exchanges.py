"""What jobs exchange with providers and people: ids, intents, questions and answers."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from workroom.domain.job import JobState
from workroom.domain.jobs.exchanges import NO_EXCHANGES, ExchangeLimits, Exchanges, External, Intent, Question
from workroom.domain.queries import FindOpenQuestions, Page
from workroom.domain.rules import exchanges as rules
from workroom.domain.rules.exchanges import AnswerVerdict, ExternalVerdict
from workroom.domain.rules.refusals import (
    exchange_quota,
    external_taken,
    question_closed,
    question_not_found,
)
from workroom.domain.steps import (
    Answered,
    Asked,
    Exchanged,
    NewAnswer,
    NewExchange,
    NewExternal,
    NewIntent,
    NewQuestion,
    Step,
    Suspension,
)
from workroom.errors import JobNotFound, WorkroomError
from workroom.stores.exchanges import decode_exchanges, encode_exchanges
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.jobs.attempts import Held, find_held, stale

_LATEST = 2**63 - 1


def exchange(
    connection: sqlite3.Connection,
    at_us: int,
    worker: str,
    items: Sequence[NewExchange],
    limits: ExchangeLimits,
) -> Exchanged:
    recorded = [_Recording(connection, at_us, worker, each, limits).record() for each in items]
    return Exchanged(
        [each if isinstance(each, WorkroomError) else None for each in recorded],
        [each.question if isinstance(each, Asked) else None for each in recorded],
        [each for each in recorded if isinstance(each, Asked) and each.is_new],
    )


class _Recording:
    """One entry of a job, from the attempt that makes it."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        at_us: int,
        worker: str,
        item: NewExchange,
        limits: ExchangeLimits,
    ) -> None:
        self._connection = connection
        self._at_us = at_us
        self._worker = worker
        self._item = item
        self._limits = limits

    def record(self) -> Asked | WorkroomError | None:
        fence = self._item.fence
        held = find_held(self._connection, self._worker, fence)
        if held is None:
            return JobNotFound()
        if not self._may_record(held):
            return stale(held)
        document = self._connection.execute(SQL["read_exchanges"], (held.job,)).fetchone()
        known = NO_EXCHANGES if document is None else decode_exchanges(document[0]) or NO_EXCHANGES
        self._size = 0 if document is None else len(document[0])
        if isinstance(self._item, NewExternal):
            return self._set_external(held, known, self._item)
        if isinstance(self._item, NewIntent):
            return self._intend(held, known, self._item)
        return self._ask(held, known, self._item)

    def _may_record(self, held: Held) -> bool:
        """An id is accepted from any attempt that the worker has had: losing it may mean paying twice."""
        fence = self._item.fence
        if held.is_current(self._worker, fence) and held.status == JobState.RUNNING:
            return True
        if not isinstance(self._item, NewExternal):
            return False
        attempt = (held.job, fence.attempt, self._worker)
        return bool(self._connection.execute(SQL["was_assigned"], attempt).fetchone()[0])

    def _set_external(self, held: Held, known: Exchanges, item: NewExternal) -> WorkroomError | None:
        ids = {each.provider: each.id for each in known.external}
        verdict = rules.set_external(ids.get(item.provider), item.id)
        if verdict is ExternalVerdict.TAKEN:
            return external_taken(item.provider, ids[item.provider])
        if verdict is ExternalVerdict.REPEAT:
            return None
        entry = External(item.provider, item.id, item.fence.attempt, self._at_us)
        return self._save(held, known, replace(known, external=(*known.external, entry)))

    def _intend(self, held: Held, known: Exchanges, item: NewIntent) -> WorkroomError | None:
        entry = Intent(item.provider, item.digest, item.fence.attempt, self._at_us)
        if any(replace(each, at_us=self._at_us) == entry for each in known.intents):
            return None
        return self._save(held, known, replace(known, intents=(*known.intents, entry)))

    def _ask(self, held: Held, known: Exchanges, item: NewQuestion) -> Asked | WorkroomError:
        job_id = item.fence.job_id
        for question in known.questions:
            if question.key == item.key:
                return Asked(job_id, held.room, held.user, question, is_new=False)
        question = Question(
            id=len(known.questions) + 1,
            key=item.key,
            text=item.text,
            schema=item.schema,
            attempt=item.fence.attempt,
            asked_us=self._at_us,
            expires_us=None if item.timeout_us is None else self._at_us + item.timeout_us,
        )
        refusal = self._save(held, known, replace(known, questions=(*known.questions, question)))
        if refusal is not None:
            return refusal
        self._connection.execute(SQL["open_question"], (held.room, held.job))
        return Asked(job_id, held.room, held.user, question)

    def _save(self, held: Held, known: Exchanges, changed: Exchanges) -> WorkroomError | None:
        document, limits = encode_exchanges(changed), self._limits
        more = len(document) - self._size
        if not rules.fits(known.count, self._size, more, limits.entries, limits.bytes):
            return exchange_quota(limits.entries, limits.bytes)
        self._connection.execute(SQL["save_exchanges"], (held.job, document))
        return None


def answer(connection: sqlite3.Connection, at_us: int, new: NewAnswer) -> Answered:
    """Raises JobNotFound, QuestionNotFound and QuestionClosed."""
    found = connection.execute(SQL["job_by_id"], (new.job_id,)).fetchone()
    if found is None:
        raise JobNotFound()
    job, room, user, *_ = found
    known, question = _question(connection, job, new)
    status, _, _, worker, *_ = connection.execute(SQL["state_of_job"], (job,)).fetchone()
    state = JobState(status)
    verdict = rules.answer(
        question.answer is not None,
        (question.answer, question.answered_by) == (new.answer, new.user),
        state.is_terminal,
        question.expires_us,
        at_us,
    )
    if verdict is AnswerVerdict.REPEAT:
        return Answered(Asked(new.job_id, room, user, question), None, is_repeat=True)
    if verdict is not AnswerVerdict.ACCEPT:
        raise question_closed(verdict, question.answered_by, status)
    question = replace(question, answer=new.answer, answered_by=new.user, answered_us=at_us)
    _save_answer(connection, job, room, known, question)
    waits = worker if state is JobState.RUNNING else None
    return Answered(Asked(new.job_id, room, user, question), waits, is_repeat=False)


def _question(connection: sqlite3.Connection, job: int, new: NewAnswer) -> tuple[Exchanges, Question]:
    document = connection.execute(SQL["read_exchanges"], (job,)).fetchone()
    known = NO_EXCHANGES if document is None else decode_exchanges(document[0]) or NO_EXCHANGES
    for question in known.questions:
        if question.id == new.question:
            return known, question
    raise question_not_found(new.question)


def _save_answer(
    connection: sqlite3.Connection, job: int, room: str, known: Exchanges, question: Question
) -> None:
    questions = tuple(question if each.id == question.id else each for each in known.questions)
    document = encode_exchanges(replace(known, questions=questions))
    connection.execute(SQL["save_exchanges"], (job, document))
    if all(each.answer is not None for each in questions):
        connection.execute(SQL["close_questions"], (room, job))


def suspend(connection: sqlite3.Connection, worker: str, suspensions: Sequence[Suspension]) -> Step:
    step = Step()
    for each in suspensions:
        held = find_held(connection, worker, each.fence)
        if held is None or not held.is_current(worker, each.fence) or held.status != JobState.RUNNING:
            step.answers.append(stale(held))
        else:
            connection.execute(SQL["save_waits"], (each.waits, worker, held.job, each.fence.attempt))
            step.answers.append(None)
            step.rooms[each.fence.job_id] = held.room
    return step


def find_open_questions(connection: sqlite3.Connection, query: FindOpenQuestions) -> Page[str]:
    before = _LATEST if query.before is None else query.before
    rows = connection.execute(SQL["jobs_with_questions"], (query.room, before, query.limit + 1)).fetchall()
    page = rows[: query.limit]
    return Page([job_id for job_id, _ in page], page[-1][1] if len(rows) > query.limit else None)
