"""Brings what code prints and logs to the job that it belongs to.

Standard output and error are replaced by proxies, and `logging` is overheard where records reach their
handlers, so that no handler of ours keeps `basicConfig` from working. All of it is undone when the last
worker of the process closes.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from workroom.domain.logs import Stream
from workroom.runtime import threads
from workroom.runtime.context import JobContext
from workroom.runtime.current import current_job

_lock = threading.Lock()
_users = 0
_is_quiet = False
_is_fork = False
_overhearing = threading.local()
_call_handlers: Callable[[logging.Logger, logging.LogRecord], None] = logging.Logger.callHandlers


def be_quiet() -> None:
    """What jobs print does not reach the terminal of this process."""
    global _is_quiet  # noqa: PLW0603 - like the streams, it is the process's
    _is_quiet = True


def _forked() -> None:
    """A process that a job forks off has no worker to tell."""
    global _is_fork  # noqa: PLW0603
    _is_fork = True


os.register_at_fork(after_in_child=_forked)


def is_quiet() -> bool:
    return _is_quiet


def install() -> None:
    """Once for each who calls it; `uninstall` as often."""
    global _users, _is_fork  # noqa: PLW0603
    with _lock:
        _users += 1
        _is_fork = False  # whatever it came from, this process has a worker
        logging.Logger.callHandlers = _overhear  # type: ignore[method-assign,assignment]
        threads.install()
    renew()


def renew() -> None:
    """Somebody may have replaced the streams meanwhile: theirs are written to from now on."""
    for name in (Stream.STDOUT, Stream.STDERR):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, Proxy):
            with _lock:
                setattr(sys, name, Proxy(name, stream))


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
            if isinstance(stream, Proxy):
                setattr(sys, name, stream.original)


def _printing_job() -> JobContext | None:
    """What a job leaves running behind it prints for nobody but this process."""
    job = current_job()
    return job if job is not None and job.printing.is_open and not _is_fork else None


class Proxy:
    """A text stream that tells the job of whoever writes to it."""

    def __init__(self, stream: Stream, original: TextIO) -> None:
        self._stream = stream
        self.original = original

    def write(self, text: str) -> int:
        job = _printing_job()
        if job is None:
            return self.original.write(text)
        if not getattr(_overhearing, "is_on", False):
            job.printing.write(self._stream, text)
        if not _is_quiet:
            self.original.write(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __iter__(self) -> Any:
        return iter(self.original)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


def _overhear(logger: logging.Logger, record: logging.LogRecord) -> None:
    """Handlers may print the record too; on record it is once."""
    job = _printing_job()
    if job is None:
        _call_handlers(logger, record)
        return
    job.printing.record(record.levelname, _text(record))
    before, _overhearing.is_on = getattr(_overhearing, "is_on", False), True
    try:
        _call_handlers(logger, record)
    finally:
        _overhearing.is_on = before


_FORMAT = logging.Formatter("%(message)s")


def _text(record: logging.LogRecord) -> str:
    """The message and its trace; a message that cannot be made is not the job's end."""
    formatted = record.exc_text
    try:
        return _FORMAT.format(record)
    except Exception:
        return f"{record.msg!r} {record.args!r}"
    finally:
        record.exc_text = formatted  # handlers may want to write it in their own way
