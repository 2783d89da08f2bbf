"""Threads that a job starts, and work that it gives to a pool, belong to that job too.

A pool's threads serve many jobs: not the thread but each piece of work takes its job along.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from workroom.runtime.context import JobContext
from workroom.runtime.current import current_job, running

T = TypeVar("T")
_is_installed = False
_start: Callable[[threading.Thread], None] = threading.Thread.start
_submit: Callable[..., Future[Any]] = ThreadPoolExecutor.submit


def install() -> None:
    global _is_installed, _start, _submit  # noqa: PLW0603 - what was there before us is the process's
    if not _is_installed:
        _is_installed = True
        _start, _submit = threading.Thread.start, ThreadPoolExecutor.submit
        threading.Thread.start = _start_for_job  # type: ignore[method-assign,assignment]
        ThreadPoolExecutor.submit = _submit_for_job  # type: ignore[method-assign,assignment]


def uninstall() -> None:
    """If somebody came after us, we stay beneath them: without a job we change nothing."""
    global _is_installed  # noqa: PLW0603
    if threading.Thread.start is _start_for_job and ThreadPoolExecutor.submit is _submit_for_job:
        _is_installed = False
        threading.Thread.start = _start  # type: ignore[method-assign,assignment]
        ThreadPoolExecutor.submit = _submit  # type: ignore[method-assign]


def _start_for_job(thread: threading.Thread) -> None:
    job = current_job()
    if job is not None:
        thread.run = _within(job, thread.run)  # type: ignore[method-assign]
    _start(thread)


def _submit_for_job(
    pool: ThreadPoolExecutor, work: Callable[..., T], /, *args: Any, **named: Any
) -> Future[T]:
    job = current_job()
    if job is None:
        return _submit(pool, work, *args, **named)
    with running(None):  # a thread that the pool starts now is not the job's
        return _submit(pool, _within(job, work), *args, **named)


def _within(job: JobContext, work: Callable[..., T]) -> Callable[..., T]:
    def working(*args: Any, **named: Any) -> T:
        with running(job):
            return work(*args, **named)

    return working
