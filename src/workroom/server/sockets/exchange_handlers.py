"""What jobs exchange with providers and people while they run, sent by their workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import orjson

from workroom.domain.jobs.exchanges import Question
from workroom.domain.steps import NewExchange
from workroom.errors import WorkroomError
from workroom.server.http.context import Services
from workroom.server.http.views.problem import render_problem
from workroom.server.sockets.client import Client, Handler
from workroom.server.sockets.message_decoder import Decoded, MessageDecoder

T = TypeVar("T")


class ExchangeHandlers:
    def __init__(self, services: Services, decoder: MessageDecoder) -> None:
        self._exchanges = services.exchanges
        self._reports = services.reports
        self._clock = services.clock
        self._decoder = decoder

    def handlers(self) -> dict[str, Handler]:
        return {
            "job:external": self._set_external,
            "job:intend": self._intend,
            "job:ask": self._ask,
            "job:suspend": self._suspend,
        }

    async def _set_external(self, client: Client, body: Any) -> Any:
        return await self._record(client, self._decoder.externals(body))

    async def _intend(self, client: Client, body: Any) -> Any:
        return await self._record(client, self._decoder.intents(body))

    async def _record(self, client: Client, decoded: Sequence[NewExchange | WorkroomError]) -> Any:
        worker = client.worker()
        valid = [each for each in decoded if not isinstance(each, WorkroomError)]
        exchanged = await self._exchanges.record(worker, valid)
        return {"answers": _in_place(decoded, exchanged.answers)}

    async def _ask(self, client: Client, body: Any) -> Any:
        """The reply has each question as it is on record: with its answer, if it has one."""
        worker, decoded = client.worker(), self._decoder.questions(body)
        exchanged = await self._exchanges.ask(client.principal.user, worker, _valid(decoded))
        questions, now_us = iter(exchanged.questions), self._clock.now_us()
        found = [None if isinstance(each, WorkroomError) else next(questions) for each in decoded]
        return {
            "answers": _in_place(decoded, exchanged.answers),
            "questions": [None if each is None else _render(each, now_us) for each in found],
        }

    async def _suspend(self, client: Client, body: Any) -> Any:
        worker, decoded = client.worker(), self._decoder.suspensions(body)
        answers, freed = await self._reports.suspend(worker, _valid(decoded))
        return {
            "answers": _in_place(decoded, answers),
            "freed": list(_spread(decoded, iter(freed), lambda _: False)),
        }


def _render(question: Question, now_us: int) -> dict[str, Any]:
    """Times are relative: the clocks of worker and server may differ."""
    left_ms = None if question.expires_us is None else (question.expires_us - now_us) / 1000
    return {
        "id": question.id,
        "key": question.key,
        "answer": None if question.answer is None else orjson.Fragment(question.answer),
        "answered_by": question.answered_by,
        "expires_in_ms": left_ms,
    }


def _valid(decoded: Decoded[T]) -> list[T]:
    return [each for each in decoded if not isinstance(each, WorkroomError)]


def _spread(decoded: Sequence[Any], found: Iterator[T], invalid: Callable[[WorkroomError], T]) -> Iterator[T]:
    """One value per item of the message: that of the service, or one for an item that was not valid."""
    for each in decoded:
        yield invalid(each) if isinstance(each, WorkroomError) else next(found)


def _in_place(decoded: Sequence[Any], answers: Sequence[WorkroomError | None]) -> list[Any]:
    """One entry per item, in order: null, or its problem."""
    results: Iterator[WorkroomError | None] = _spread(decoded, iter(answers), lambda error: error)
    return [None if each is None else render_problem(each) for each in results]
