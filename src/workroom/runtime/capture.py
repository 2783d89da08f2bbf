"""Captures what code prints and logs for the job that it belongs to.

Proxies replace standard output and error. Log records are captured where loggers call their handlers,
because a handler of ours would keep `basicConfig` from working. All of it is undone when the last worker of
the process closes.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from workroom.domain.jobs.logs import Stream
from workroom.runtime import threads
from workroom.runtime.context import JobContext, current_job
from workroom.runtime.outcome import to_text

_lock = threading.Lock()
_users = 0
_is_quiet = False
_is_fork = False
_handling = threading.local()
_call_handlers: Callable[[logging.Logger, logging.LogRecord], None] = logging.Logger.callHandlers


def be_quiet() -> None:
    """Keep the output of jobs off the terminal of this process."""
    global _is_quiet  # noqa: PLW0603 - process-wide, like the streams
    _is_quiet = True


def _forked() -> None:
    """A process forked by a job has no worker to send output to."""
    global _is_fork  # noqa: PLW0603
    _is_fork = True


os.register_at_fork(after_in_child=_forked)


def is_quiet() -> bool:
    return _is_quiet


def install() -> None:
    """Count callers: `uninstall` must be called as often."""
    global _users, _is_fork  # noqa: PLW0603
    with _lock:
        _users += 1
        _is_fork = False  # even a forked process may start a worker of its own
        logging.Logger.callHandlers = _capture  # type: ignore[method-assign,assignment]
        threads.install()
    wrap_streams()


def wrap_streams() -> None:
    """Wrap the current streams; other code may have replaced them since the last call."""
    for name in (Stream.STDOUT, Stream.STDERR):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, StreamProxy):
            with _lock:
                setattr(sys, name, StreamProxy(name, stream))


def uninstall() -> None:
    global _users  # noqa: PLW0603
    with _lock:
        _users -= 1
        if _users:
            return
        logging.Logger.callHandlers = _call_handlers  # type: ignore[method-assign,assignment]
        threads.uninstall()
        for name in (Stream.STDOUT, Stream.STDERR):
            stream = getattr(sys, name)
            if isinstance(stream, StreamProxy):
                setattr(sys, name, stream.original)


def _capturing_job() -> JobContext | None:
    """The current job, unless it has ended: threads that outlive their job print to this process only."""
    job = current_job()
    return job if job is not None and job.output.is_open and not _is_fork else None


class StreamProxy:
    """A text stream that copies what is written to it to the writer's job."""

    def __init__(self, stream: Stream, original: TextIO) -> None:
        self._stream = stream
        self.original = original

    def write(self, text: str) -> int:
        job = _capturing_job()
        if job is None:
            return self.original.write(text)
        if not getattr(_handling, "is_on", False):
            job.output.write(self._stream, text)
        if not _is_quiet:
            self.original.write(text if job.output.mask is None else job.output.mask(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __iter__(self) -> Any:
        return iter(self.original)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


def _capture(logger: logging.Logger, record: logging.LogRecord) -> None:
    """Handlers may print the record too: do not capture it twice."""
    job = _capturing_job()
    if job is None:
        _call_handlers(logger, record)
        return
    job.output.record(to_text(record.levelname), _text(record))
    before, _handling.is_on = getattr(_handling, "is_on", False), True
    try:
        _call_handlers(logger, record)
    finally:
        _handling.is_on = before


_FORMAT = logging.Formatter("%(message)s")


def _text(record: logging.LogRecord) -> str:
    """The message and its stack trace; a message that cannot be formatted does not fail the job."""
    formatted = record.exc_text
    try:
        return _FORMAT.format(record)
    except Exception:
        return f"{to_text(record.msg, repr)} {to_text(record.args, repr)}"
    finally:
        record.exc_text = formatted  # handlers may format it themselves
