"""How user code ended."""

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
    result: bytes | None = None  # JSON
    error: JobError | None = None
    run_ms: float = 0.0


def job_error(exception: BaseException, mask: Callable[[str], str] | None = None) -> JobError:
    """Type, message, attributes and stack trace of an exception; `mask` hides secrets before truncation."""
    mask = mask or _unchanged
    fields = _fields(exception)
    return JobError(
        to_text(type(exception).__name__)[:200],
        mask(to_text(exception))[:10_000],
        {name: mask(to_text(value, repr))[:1000] for name, value in fields if not name.startswith("_")},
        mask(to_text(_trace(exception)))[-100_000:],
    )


def _fields(exception: BaseException) -> list[tuple[str, object]]:
    """The attributes of an exception; a class may hide them."""
    try:
        return [(to_text(name), value) for name, value in list(vars(exception).items())[:50]]
    except Exception:
        return []


def _unchanged(text: str) -> str:
    return text


def to_text(value: object, convert: Callable[[Any], str] = str) -> str:
    """A string that can be encoded, even if converting the value raises."""
    try:
        return convert(value).encode("utf-8", "backslashreplace").decode()
    except BaseException as error:
        return f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"


def _trace(exception: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(_without_our_frames(exception)))
    except Exception:
        return "".join(traceback.format_tb(exception.__traceback__))


def _without_our_frames(exception: BaseException) -> BaseException:
    """Let the trace begin in the user's code."""
    trace = exception.__traceback__
    while trace is not None and trace.tb_next is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return exception.with_traceback(trace)


def _is_ours(filename: str) -> bool:
    return Path(filename).parent == Path(__file__).parent
