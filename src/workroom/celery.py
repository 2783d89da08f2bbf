"""The tasks of a Celery app that is there already, as extensions: a form, a place in the queue, a history."""

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
_FIRST_LOOK, _LAST_LOOK = 0.01, 0.5  # seconds between looks at a task: the longer it runs, the longer
_AnyTask = Task[..., Any]


def expose_celery(app: Celery, *names: str, category: str = CATEGORY, **policy: Any) -> list[type[Extension]]:
    """An extension for each task of an app, or for these tasks: `room.register(*expose_celery(app))`.

    A job sends its task to the app's own workers and waits for how it ends; `slots` says how many wait at
    once. What Celery calls PROGRESS, with `current` and `total`, is the job's progress.
    """
    if isinstance(app.backend, DisabledBackend):
        raise TypeError(
            "this Celery app keeps no results, so nobody can tell how a task ended: set its result_backend"
        )
    app.finalize(auto=True)
    return [_exposed(task, category, policy) for task in _chosen(app, names)]


def _chosen(app: Celery, names: tuple[str, ...]) -> Iterator[_AnyTask]:
    if unknown := [name for name in names if name not in app.tasks]:
        raise LookupError(f"this Celery app has no task '{unknown[0]}'")
    for name in names or sorted(app.tasks):
        task = app.tasks[name]
        if task.ignore_result and name in names:
            raise TypeError(f"the task '{name}' ignores its result, so nobody could tell how it ended")
        if not task.ignore_result and (names or not name.startswith("celery.")):
            yield task


def _exposed(task: _AnyTask, category: str, policy: dict[str, Any]) -> type[Extension]:
    function = inspect.unwrap(task.run)
    parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    if task.__bound__ and parameters[:1] and parameters[0].name in ("self", "task"):
        parameters = parameters[1:]

    def call(job: JobContext, **values: Any) -> Any:
        return _result(task, to_jsonable_python(values), job)

    asked = inspect.Parameter("job", inspect.Parameter.KEYWORD_ONLY, annotation=JobContext)
    call.__signature__ = inspect.Signature([*parameters, asked])  # type: ignore[attr-defined]
    call.__name__ = task.name.rpartition(".")[2]
    call.__doc__ = inspect.getdoc(function)
    call.__module__ = function.__module__
    return from_function(call, category=category, **policy)


def _result(task: _AnyTask, values: dict[str, Any], job: JobContext) -> Any:
    """The id is the attempt's, so that the task is found in Celery's own tools too."""
    result = task.apply_async(kwargs=values, task_id=f"{job.id}-{job.attempt}")
    job.when_cancelled(lambda: result.revoke(terminate=True))
    pause = _FIRST_LOOK
    while not result.ready():
        job.check()
        _pass_on(result, job.progress)
        time.sleep(pause)
        pause = min(pause * 1.5, _LAST_LOOK)
    job.check()
    try:
        return result.get()
    except Exception as error:
        error.add_note(f"In the Celery worker:\n{result.traceback}")
        raise
    finally:
        result.forget()


def _pass_on(result: AsyncResult[Any], progress: Callable[..., None]) -> None:
    state: str = result.state
    said = result.info
    if state != "PROGRESS" or not isinstance(said, dict):
        return
    current, total = said.get("current"), said.get("total")
    share = current / total if current is not None and total else None
    progress(share, str(said.get("message", "")), current=current, total=total)
