"""Runs one job and returns how it ended, without network or store."""

from __future__ import annotations

import asyncio
import inspect
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any

from pydantic import ValidationError

from workroom.domain.job import JobState
from workroom.domain.schema.masking import Masker
from workroom.errors import JobCancelled
from workroom.runtime.context import STEP, JobContext, job_scope
from workroom.runtime.extension import Extension, injected_names, run_method
from workroom.runtime.files import FETCH
from workroom.runtime.outcome import Outcome, job_error
from workroom.runtime.results import encode_result
from workroom.runtime.results.items import Items
from workroom.runtime.secrets import mask_result, masker_for


class InvalidInput(ValueError):
    """The extension rejected its own values. The circuit breaker recognises this error by its name."""


RoomFor = Callable[[bool], Any]
WaitFor = Callable[[Coroutine[Any, Any, Any]], Any]


def execute(
    extension: type[Extension], data: bytes, job: JobContext, room_for: RoomFor, wait_for: WaitFor
) -> Outcome:
    """`room_for` makes a room, sync or async, if `run()` takes one; `wait_for` runs a coroutine."""
    started = time.perf_counter()
    masker = masker_for(extension, data)
    if masker is not None:
        job.mask(masker.text)
    try:
        with job_scope(job):
            outcome = _outcome(extension, data, job, room_for, wait_for, masker)
    finally:
        job.close()
        job.output.end()
    sys.audit(STEP, "ended", job.id)
    run_ms = (time.perf_counter() - started) * 1000
    return Outcome(outcome.status, outcome.result, outcome.error, run_ms)


def _outcome(
    extension: type[Extension],
    data: bytes,
    job: JobContext,
    room_for: RoomFor,
    wait_for: WaitFor,
    masker: Masker | None,
) -> Outcome:
    try:
        job.check()
        sys.audit(STEP, "started", job.id)
        returned = _run(extension, data, job, room_for, wait_for)
        if inspect.isgenerator(returned) or inspect.isasyncgen(returned):
            return Outcome(JobState.COMPLETED, _stream(returned, Items(job, masker), wait_for))
        result = encode_result(returned, job.save)
        if masker is not None and result is not None:
            result = mask_result(masker, result)
        return Outcome(JobState.COMPLETED, result)
    except JobCancelled:
        return Outcome(JobState.CANCELLED)
    except BaseException as error:  # even SystemExit ends the job, not the worker
        return Outcome(JobState.FAILED, error=job_error(error, None if masker is None else masker.text))


def _run(
    extension: type[Extension], data: bytes, job: JobContext, room_for: RoomFor, wait_for: WaitFor
) -> Any:
    try:
        instance = extension.model_validate_json(data, context={FETCH: job.fetch})
    except ValidationError as error:
        raise InvalidInput(_rejection(extension, error)) from error
    run = run_method(extension)
    is_async = inspect.iscoroutinefunction(run) or inspect.isasyncgenfunction(run)
    names = injected_names(run)
    arguments: dict[str, Any] = {"job": job} if "job" in names else {}
    if "room" in names:
        arguments["room"] = room_for(is_async)
    result = run(instance, **arguments)
    return wait_for(result) if inspect.iscoroutine(result) else result


def _stream(yielded: Any, items: Items, wait_for: WaitFor) -> bytes:
    """Send each item of a generator as it comes. Together they are the result."""

    async def add_all() -> None:
        async for item in yielded:
            await asyncio.to_thread(items.add, item)

    if inspect.isasyncgen(yielded):
        wait_for(add_all())
    else:
        for item in yielded:
            items.add(item)
    return items.result()


def _rejection(extension: type[Extension], error: ValidationError) -> str:
    """One line `/path: reason` for each field, which the page shows beside it. Values are left out."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [f"/{'/'.join(map(str, fault['loc']))}: {_reason(fault['msg'])}" for fault in faults]
    return "\n".join([f"the values do not fit {extension.label()}:", *lines])


def _reason(message: str) -> str:
    return " ".join(message.removeprefix("Value error, ").removeprefix("Assertion failed, ").split())
