"""Makes threads that a job starts, and work that it submits to thread pools, part of that job.

The threads of a pool serve many jobs, so each piece of work carries its job, not the thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from workroom.runtime.context import JobContext, current_job, job_scope

T = TypeVar("T")
_is_installed = False
_start: Callable[[threading.Thread], None] = threading.Thread.start
_submit: Callable[..., Future[Any]] = ThreadPoolExecutor.submit


def install() -> None:
    global _is_installed, _start, _submit  # noqa: PLW0603 - the patched functions are process-wide
    if not _is_installed:
        _is_installed = True
        _start, _submit = threading.Thread.start, ThreadPoolExecutor.submit
        threading.Thread.start = _start_for_job  # type: ignore[method-assign,assignment]
        ThreadPoolExecutor.submit = _submit_for_job  # type: ignore[method-assign,assignment]


def uninstall() -> None:
    """Stay installed if others patched on top of us: outside of jobs the patch does nothing."""
    global _is_installed  # noqa: PLW0603
    if threading.Thread.start is _start_for_job and ThreadPoolExecutor.submit is _submit_for_job:
        _is_installed = False
        threading.Thread.start = _start  # type: ignore[method-assign,assignment]
        ThreadPoolExecutor.submit = _submit  # type: ignore[method-assign]


def _start_for_job(thread: threading.Thread) -> None:
    job = current_job()
    if job is not None:
        thread.run = _in_job(job, thread.run)  # type: ignore[method-assign]
    _start(thread)


def _submit_for_job(
    pool: ThreadPoolExecutor, work: Callable[..., T], /, *args: Any, **named: Any
) -> Future[T]:
    job = current_job()
    if job is None:
        return _submit(pool, work, *args, **named)
    with job_scope(None):  # a thread that the pool starts now does not belong to the job
        return _submit(pool, _in_job(job, work), *args, **named)


def _in_job(job: JobContext, work: Callable[..., T]) -> Callable[..., T]:
    def run(*args: Any, **named: Any) -> T:
        with job_scope(job):
            return work(*args, **named)

    return run
