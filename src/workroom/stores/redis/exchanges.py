"""What jobs exchange with providers and people: the verbs, each one script."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from workroom.domain.jobs.exchanges import ExchangeLimits, Exchanges, External, Intent, Question
from workroom.domain.queries import FindOpenQuestions, Page
from workroom.domain.steps import (
    Answered,
    Asked,
    Exchanged,
    NewAnswer,
    NewExchange,
    NewExternal,
    NewIntent,
    Step,
    Suspension,
)
from workroom.stores.redis.connection import Command
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.messages import replies
from workroom.stores.redis.messages.codec import maybe_int, maybe_text, to_bytes, to_text, unpack
from workroom.stores.redis.messages.layouts import QuestionRecord
from workroom.stores.redis.messages.refusals import item_refusal
from workroom.stores.redis.messages.reports import fence_row
from workroom.stores.redis.reader import Reader

T = TypeVar("T")


class ExchangeVerbs:
    def _step(
        self, script: str, decode: Callable[[Any], T], *, before: Sequence[Command] = (), **arguments: object
    ) -> asyncio.Future[T]:
        raise NotImplementedError

    def exchange(
        self, worker: str, items: Sequence[NewExchange], limits: ExchangeLimits
    ) -> Awaitable[Exchanged]:
        return self._step(
            "exchange",
            lambda row: _exchanged(items, row),
            worker=worker,
            items=[_row(each) for each in items],
            max_entries=limits.entries,
            max_bytes=limits.bytes,
        )

    def answer(self, new: NewAnswer) -> Awaitable[Answered]:
        return self._step(
            "answer",
            lambda row: _answered(new.job_id, *row),
            job=new.job_id,
            question=new.question,
            answer=new.answer,
            user=new.user,
        )

    def suspend(self, worker: str, suspensions: Sequence[Suspension]) -> Awaitable[Step]:
        rows = [[fence_row(each.fence), each.waits or False] for each in suspensions]
        return self._step("suspend", replies.step, worker=worker, items=rows)


def _row(item: NewExchange) -> list[object]:
    fence = fence_row(item.fence)
    if isinstance(item, NewExternal):
        return [fence, "external", item.provider, item.id]
    if isinstance(item, NewIntent):
        return [fence, "intent", item.provider, item.digest]
    timeout_us = False if item.timeout_us is None else item.timeout_us
    return [fence, "question", item.key, item.text, item.schema, timeout_us]


def _exchanged(items: Sequence[NewExchange], row: Sequence[Any]) -> Exchanged:
    refusals, questions = row
    found = [
        None if row is False else _asked(item.fence.job_id, *row)
        for item, row in zip(items, questions, strict=True)
    ]
    return Exchanged(
        [item_refusal(refusal) for refusal in refusals],
        [None if each is None else each.question for each in found],
        [each for each in found if each is not None and each.is_new],
    )


def _asked(job_id: str, room: str, user: str, is_new: bool, row: Sequence[Any]) -> Asked:
    return Asked(job_id, room, user, _question(row), is_new=is_new)


def _answered(
    job_id: str, room: str, user: str, worker: str | bool, is_repeat: bool, row: Sequence[Any]
) -> Answered:
    return Answered(Asked(job_id, room, user, _question(row)), maybe_text(worker), is_repeat)


def _question(row: Sequence[Any]) -> Question:
    record = QuestionRecord._make(row)
    return Question(
        id=int(record.id),
        key=record.key,
        text=record.text,
        schema=record.schema,
        attempt=record.attempt,
        asked_us=int(record.asked_us),
        expires_us=maybe_int(record.expires_us),
        answer=record.answer if isinstance(record.answer, str) else None,
        answered_by=maybe_text(record.answered_by),
        answered_us=maybe_int(record.answered_us),
    )


def decode_exchanges(packed: str | bool) -> Exchanges | None:
    if not isinstance(packed, str):
        return None
    external, intents, questions = unpack(to_bytes(packed))
    return Exchanges(
        tuple(External(*row) for row in external),
        tuple(Intent(*row) for row in intents),
        tuple(_question(row) for row in questions),
    )


async def find_open_questions(reader: Reader, query: FindOpenQuestions) -> Page[str]:
    before = "+inf" if query.before is None else f"({query.before}"
    found = await reader.execute(
        "ZREVRANGEBYSCORE",
        scheduling("questions", query.room),
        before,
        "-inf",
        "WITHSCORES",
        "LIMIT",
        0,
        query.limit + 1,
    )
    ids, scores = [to_text(job_id) for job_id in found[::2]], [int(score) for score in found[1::2]]
    return Page(ids[: query.limit], scores[query.limit - 1] if len(ids) > query.limit else None)
