"""How running user code ended."""

from __future__ import annotations

import traceback
from dataclasses import dataclass

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
        name: repr(value) for name, value in vars(exception).items() if not name.startswith("_")
    }
    return JobError(
        type(exception).__name__,
        str(exception)[:10_000],
        details,
        "".join(traceback.format_exception(exception))[-100_000:],
    )
