"""Exposes the tasks of an existing Celery app as extensions."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from typing import Any

from celery import Celery, Task
from celery.backends.base import DisabledBackend
from celery.result import AsyncResult
from pydantic_core import to_jsonable_python

from workroom.runtime.context import JobContext
from workroom.runtime.extension import Extension, from_function

CATEGORY = "tasks"
_FIRST_POLL, _MAX_POLL = 0.01, 0.5  # seconds between polls of a task; they grow while it runs
_AnyTask = Task[..., Any]


def expose_celery(app: Celery, *names: str, category: str = CATEGORY, **policy: Any) -> list[type[Extension]]:
    """Make an extension of each task, or of the named ones: `room.register(*expose_celery(app))`.

    A job sends its task to the app's own workers and waits for the result; `slots` limits how many wait at
    once. A task state PROGRESS with `current` and `total` becomes the job's progress.
    """
    if isinstance(app.backend, DisabledBackend):
        raise TypeError(
            "this Celery app has no result_backend, so the result of a task cannot be read: set one"
        )
    app.finalize(auto=True)
    return [_extension(task, category, policy) for task in _select(app, names)]


def _select(app: Celery, names: tuple[str, ...]) -> Iterator[_AnyTask]:
    if unknown := [name for name in names if name not in app.tasks]:
        raise LookupError(f"this Celery app has no task '{unknown[0]}'")
    for name in names or sorted(app.tasks):
        task = app.tasks[name]
        if task.ignore_result and name in names:
            raise TypeError(f"the task '{name}' has ignore_result set, so its result cannot be read")
        if not task.ignore_result and (names or not name.startswith("celery.")):
            yield task


def _extension(task: _AnyTask, category: str, policy: dict[str, Any]) -> type[Extension]:
    function = inspect.unwrap(task.run)
    parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    if task.__bound__ and parameters[:1] and parameters[0].name in ("self", "task"):
        parameters = parameters[1:]

    def call(job: JobContext, **values: Any) -> Any:
        return _result(task, to_jsonable_python(values), job)

    job = inspect.Parameter("job", inspect.Parameter.KEYWORD_ONLY, annotation=JobContext)
    call.__signature__ = inspect.Signature([*parameters, job])  # type: ignore[attr-defined]
    call.__name__ = task.name.rpartition(".")[2]
    call.__doc__ = inspect.getdoc(function)
    call.__module__ = function.__module__
    return from_function(call, category=category, **policy)


def _result(task: _AnyTask, values: dict[str, Any], job: JobContext) -> Any:
    """The task id contains job and attempt, so that Celery's own tools can find it."""
    result = task.apply_async(kwargs=values, task_id=f"{job.id}-{job.attempt}")
    job.when_cancelled(lambda: result.revoke(terminate=True))
    pause = _FIRST_POLL
    while not result.ready():
        job.check()
        _relay_progress(result, job.progress)
        time.sleep(pause)
        pause = min(pause * 1.5, _MAX_POLL)
    job.check()
    try:
        return result.get()
    except Exception as error:
        error.add_note(f"In the Celery worker:\n{result.traceback}")
        raise
    finally:
        result.forget()


def _relay_progress(result: AsyncResult[Any], progress: Callable[..., None]) -> None:
    state: str = result.state
    info = result.info
    if state != "PROGRESS" or not isinstance(info, dict):
        return
    current, total = info.get("current"), info.get("total")
    fraction = current / total if current is not None and total else None
    progress(fraction, str(info.get("message", "")), current=current, total=total)
