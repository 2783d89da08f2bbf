"""When a job may start: keyword arguments of `submit`, as the fields of a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, Protocol, TypedDict


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
    return [without_refs(each, jobs) for each in value] if isinstance(value, list) else value


class When(TypedDict, total=False):
    """Start after `delay` seconds, or no sooner than `run_at`, at most a year ahead.

    `after` are jobs and groups that must complete first or, with `on="ended"`, end in whatever way.
    """

    delay: float | None
    run_at: datetime | None
    after: Sequence[HasId | str]
    on: Literal["completed", "ended"]


def condition_fields(when: When, refs: Sequence[str] = ()) -> dict[str, Any]:
    """Only what is given: most jobs may start at once. A job starts after those to which it refers."""
    fields: dict[str, Any] = {}
    delay, run_at, after = when.get("delay"), when.get("run_at"), [*when.get("after", ()), *refs]
    if delay is not None:
        fields["delay_ms"] = delay * 1000
    if run_at is not None:
        fields["run_at"] = run_at.astimezone(UTC).isoformat()
    if after:
        ids = [each if isinstance(each, str) else each.id for each in after]
        fields["after"] = list(dict.fromkeys(ids))
    if "on" in when:
        fields["on"] = when["on"]
    return fields
