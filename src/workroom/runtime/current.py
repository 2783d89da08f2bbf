"""Which job the running code belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from workroom.runtime.context import JobContext

_current: ContextVar[JobContext | None] = ContextVar("workroom_job", default=None)


def current_job() -> JobContext | None:
    """The job whose `run()` called this, also from coroutines and threads; None outside of jobs."""
    return _current.get()


@contextmanager
def running(job: JobContext | None) -> Iterator[None]:
    token = _current.set(job)
    try:
        yield
    finally:
        _current.reset(token)
