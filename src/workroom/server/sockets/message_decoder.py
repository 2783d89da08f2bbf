"""Decodes the bodies of socket messages into the values that services take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from workroom.domain.steps import (
    LogBatch,
    NewExternal,
    NewIntent,
    NewQuestion,
    Progress,
    Report,
    Start,
    Suspension,
    Unbegun,
)
from workroom.errors import InvalidRequest, WorkroomError
from workroom.server.http import problems
from workroom.server.http.bodies.exchange import ExternalBody, IntentBody, QuestionBody, SuspendBody
from workroom.server.http.bodies.report import FinishBody, LogEvent, ProgressEvent, ReleaseBody, StartBody
from workroom.server.http.bodies.submit import SubmitEvent
from workroom.services.jobs.submit_requests import SubmitRequest

T = TypeVar("T")
Decoded = list[T | WorkroomError]  # an invalid item is its problem, and does not affect the others


class Finish(NamedTuple):
    report: Report
    run_ms: float | None


class MessageDecoder:
    """Validates with the Pydantic models of the API."""

    def __init__(self, max_items: int) -> None:
        self._max_items = max_items

    def submit(self, body: Any) -> SubmitRequest:
        """Raises `ValidationError`. The name of the room is not normalised yet."""
        event = SubmitEvent.model_validate(body)
        values = (event.room, event.category, event.name, event.data, event.priority, event.key)
        return SubmitRequest(*values, conditions=event.conditions(), trace=event.traceparent)

    def starts(self, body: Any) -> Decoded[Start]:
        return self._decode_items(self._start, body)

    def releases(self, body: Any) -> Decoded[Unbegun]:
        return self._decode_items(lambda item: ReleaseBody.model_validate(item).unbegun(), body)

    def finishes(self, body: Any) -> Decoded[Finish]:
        return self._decode_items(self._finish, body)

    def progress(self, body: Any, now: str) -> Decoded[Progress]:
        return self._decode_items(lambda item: ProgressEvent.model_validate(item).progress(now), body)

    def logs(self, body: Any) -> Decoded[LogBatch]:
        return self._decode_items(_log, body)

    def externals(self, body: Any) -> Decoded[NewExternal]:
        return self._decode_items(lambda item: ExternalBody.model_validate(item).external(), body)

    def intents(self, body: Any) -> Decoded[NewIntent]:
        return self._decode_items(lambda item: IntentBody.model_validate(item).intent(), body)

    def questions(self, body: Any) -> Decoded[NewQuestion]:
        return self._decode_items(lambda item: QuestionBody.model_validate(item).question(), body)

    def suspensions(self, body: Any) -> Decoded[Suspension]:
        return self._decode_items(lambda item: SuspendBody.model_validate(item).suspension(), body)

    def _start(self, item: Any) -> Start:
        return StartBody.model_validate(item).start()

    def _finish(self, item: Any) -> Finish:
        finish = FinishBody.model_validate(item)
        report = finish.report()
        report.trace = finish.traceparent
        return Finish(report, finish.run_ms)

    def _decode_items(self, decode: Callable[[Any], T], body: Any) -> Decoded[T]:
        if not isinstance(body, list):
            raise InvalidRequest("send a list, even for one item")
        if len(body) > self._max_items:
            raise InvalidRequest(
                f"the list has {len(body):,} items; a message may have {self._max_items:,}: "
                "send several messages",
                max_items=self._max_items,
            )
        return [_decode(decode, item) for item in body]


def _decode(decode: Callable[[Any], T], item: Any) -> T | WorkroomError:
    try:
        return decode(item)
    except ValidationError as error:
        return problems.from_validation(error)
    except WorkroomError as error:
        return error


def _log(item: Any) -> LogBatch:
    event = LogEvent.model_validate(item)
    return event.batch(event.job_id)
