"""When a job may start: keyword arguments of `submit`, as the fields of a request."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Protocol, TypedDict, runtime_checkable

from workroom.runtime.extension import Extension
from workroom.runtime.secrets import submitted_values


@runtime_checkable
class HasId(Protocol):
    """A handle on a job or a group."""

    @property
    def id(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ResultRef:
    """What `Ref` makes."""

    job_id: str
    path: str


def Ref(job: HasId | str, path: str = "") -> Any:  # noqa: N802 - it reads like a value
    """A part of the result of a job, as a value of a job that starts after it: `Ref(job, "frames.0")`.

    The path leads through the names of objects and the numbers of lists. Values with references are validated
    when the results are filled in, so make the extension with `model_construct`.
    """
    return ResultRef(job if isinstance(job, str) else job.id, path)


def without_refs(value: Any, jobs: list[str]) -> Any:
    """The value as JSON has it. Adds the jobs to which it refers."""
    if isinstance(value, ResultRef):
        jobs.append(value.job_id)
        return {"$result": {"job": value.job_id, "path": value.path}}
    if isinstance(value, dict):
        return {name: without_refs(each, jobs) for name, each in value.items()}
    return [without_refs(each, jobs) for each in value] if isinstance(value, list | tuple) else value


def values_and_refs(extension: Extension) -> tuple[dict[str, Any], list[str]]:
    """The values as JSON has them, and the jobs to whose results they refer."""
    jobs: list[str] = []
    refs = {name: each for name, each in extension.__dict__.items() if has_ref(each)}
    data = submitted_values(extension, {name: without_refs(each, jobs) for name, each in refs.items()})
    return data, jobs


def has_ref(value: Any) -> bool:
    if isinstance(value, dict):
        return any(has_ref(each) for each in value.values())
    if isinstance(value, list | tuple):
        return any(has_ref(each) for each in value)
    return isinstance(value, ResultRef)


class When(TypedDict, total=False):
    """Start after `delay` seconds, or no sooner than `run_at`, at most a year ahead.

    `after` are jobs and groups, or a single one, that must complete first or, with `on="ended"`, end in
    whatever way.
    """

    delay: float | timedelta | None
    run_at: datetime | None
    after: Sequence[HasId | str] | HasId | str | None
    on: Literal["completed", "ended"]


def condition_fields(when: When, refs: Sequence[str] = ()) -> dict[str, Any]:
    """Only what is given: most jobs may start at once. A job starts after those to which it refers."""
    fields: dict[str, Any] = {}
    delay, run_at, after = when.get("delay"), when.get("run_at"), [*_ids(when.get("after")), *refs]
    if delay is not None:
        fields["delay_ms"] = _seconds(delay) * 1000
    if run_at is not None:
        if not isinstance(run_at, datetime):
            raise TypeError(f"run_at is a datetime, not {run_at!r}")
        fields["run_at"] = run_at.astimezone(UTC).isoformat()
    if after:
        fields["after"] = list(dict.fromkeys(after))
    if "on" in when:
        fields["on"] = when["on"]
    return fields


def _ids(after: Sequence[HasId | str] | HasId | str | None) -> list[str]:
    """A group is one thing to wait for, although it is a sequence of jobs, too."""
    if after is None:
        return []
    several = [after] if isinstance(after, HasId | str) else after
    return [each if isinstance(each, str) else each.id for each in several]


def _seconds(delay: float | timedelta) -> float:
    seconds = delay.total_seconds() if isinstance(delay, timedelta) else delay
    if not math.isfinite(seconds):
        raise ValueError(f"a delay is a number of seconds, not {delay}")
    return seconds
