"""Runs one job and says how it ended. It touches no network and no store."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Coroutine
from typing import Any

from pydantic import ValidationError

from workroom.domain.job import JobState
from workroom.errors import JobCancelled
from workroom.runtime.context import JobContext
from workroom.runtime.current import running
from workroom.runtime.extension import Extension, runner_of, wanted
from workroom.runtime.files import FETCH
from workroom.runtime.outcome import Outcome, error_of
from workroom.runtime.results import encoded


class InvalidInput(ValueError):
    """The values were refused by the extension itself. Its name is what the breaker looks for."""


RoomFor = Callable[[bool], Any]
WaitFor = Callable[[Coroutine[Any, Any, Any]], Any]


def execute(
    extension: type[Extension], data: bytes, job: JobContext, room_for: RoomFor, wait_for: WaitFor
) -> Outcome:
    """`room_for` makes the room, sync or async, if the code asks for one; `wait_for` runs a coroutine."""
    begun = time.perf_counter()
    try:
        with running(job):
            outcome = _outcome(extension, data, job, room_for, wait_for)
    finally:
        job.close()
        job.printing.end()
    run_ms = (time.perf_counter() - begun) * 1000
    return Outcome(outcome.status, outcome.result, outcome.error, run_ms)


def _outcome(
    extension: type[Extension], data: bytes, job: JobContext, room_for: RoomFor, wait_for: WaitFor
) -> Outcome:
    try:
        job.check()
        return Outcome(JobState.COMPLETED, encoded(_run(extension, data, job, room_for, wait_for)))
    except JobCancelled:
        return Outcome(JobState.CANCELLED)
    except BaseException as error:  # whatever user code raises ends the job, never the worker
        return Outcome(JobState.FAILED, error=error_of(error))


def _run(
    extension: type[Extension], data: bytes, job: JobContext, room_for: RoomFor, wait_for: WaitFor
) -> Any:
    try:
        instance = extension.model_validate_json(data, context={FETCH: job.fetch})
    except ValidationError as error:
        raise InvalidInput(f"the values do not fit {extension.label()}: {error}") from error
    run = runner_of(extension)
    is_async = inspect.iscoroutinefunction(run)
    asked = wanted(run)
    given: dict[str, Any] = {"job": job} if "job" in asked else {}
    if "room" in asked:
        given["room"] = room_for(is_async)
    result = run(instance, **given)
    return wait_for(result) if is_async else result
