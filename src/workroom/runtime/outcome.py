"""How running user code ended."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path

from workroom.domain.job import JobError, JobState


@dataclass(frozen=True, slots=True)
class Outcome:
    status: JobState
    result: bytes | None = None  # as JSON
    error: JobError | None = None
    run_ms: float = 0.0


def error_of(exception: BaseException) -> JobError:
    """Type, message, the exception's own fields and the trace."""
    details: dict[str, object] = {
        name: repr(value)[:1000]
        for name, value in list(vars(exception).items())[:50]
        if not name.startswith("_")
    }
    return JobError(
        type(exception).__name__[:200],
        str(exception)[:10_000],
        details,
        "".join(traceback.format_exception(_without_our_frames(exception)))[-100_000:],
    )


def _without_our_frames(exception: BaseException) -> BaseException:
    """The trace begins in the user's code, not in the machinery that called it."""
    trace = exception.__traceback__
    while trace is not None and trace.tb_next is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return exception.with_traceback(trace)


def _is_ours(filename: str) -> bool:
    return Path(filename).parent == Path(__file__).parent
