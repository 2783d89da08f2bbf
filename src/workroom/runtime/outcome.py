"""How running user code ended."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workroom.domain.job import JobError, JobState


@dataclass(frozen=True, slots=True)
class Outcome:
    status: JobState
    result: bytes | None = None  # as JSON
    error: JobError | None = None
    run_ms: float = 0.0


def error_of(exception: BaseException) -> JobError:
    """Type, message, the exception's own fields and the trace."""
    fields = list(vars(exception).items())[:50]
    return JobError(
        text_of(type(exception).__name__)[:200],
        text_of(exception)[:10_000],
        {name: text_of(value, repr)[:1000] for name, value in fields if not name.startswith("_")},
        text_of(_trace(exception))[-100_000:],
    )


def text_of(value: object, speak: Callable[[Any], str] = str) -> str:
    """A text that can be sent, even of a value that cannot be told."""
    try:
        return speak(value).encode("utf-8", "backslashreplace").decode()
    except Exception as error:
        return f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"


def _trace(exception: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(_without_our_frames(exception)))
    except Exception:
        return "".join(traceback.format_tb(exception.__traceback__))


def _without_our_frames(exception: BaseException) -> BaseException:
    """The trace begins in the user's code, not in the machinery that called it."""
    trace = exception.__traceback__
    while trace is not None and trace.tb_next is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return exception.with_traceback(trace)


def _is_ours(filename: str) -> bool:
    return Path(filename).parent == Path(__file__).parent
