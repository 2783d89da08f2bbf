"""The lists that Lua scripts read and write. Python defines their fields; Lua gets positions as a preamble.

Missing values are False. The order of `JobRecord` and `AttemptRecord` is the stored format.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple


class JobRecord(NamedTuple):
    id: str
    sequence: int
    room: str
    user: str
    extension: str
    schema_hash: str
    size: int
    priority: int
    created_us: int
    retry_of: str | bool
    lane: str | bool
    status: str
    version: int
    attempt: int
    tries: int
    losses: int
    token: str | bool
    nonce: str | bool
    worker: str | bool
    assigned_us: int | bool
    started_us: int | bool
    completed_us: int | bool
    rank: int
    tag: int
    aged_us: int
    due_us: int | bool
    result: str | Literal[False]
    error_digest: str | bool
    chat_message: int | bool
    parent: str | bool
    has_secrets: bool
    has_failed: bool  # its code has, in an earlier attempt
    events: Sequence[int]  # stored flat at the end of the list, as many as there are


class AttemptRecord(NamedTuple):
    """An attempt that occupies its worker."""

    token: str
    number: int
    started: int
    extension: str
    timeout: float | Literal[False]
    lane: str | Literal[False]


class NewJobRow(NamedTuple):
    """A job as `submit` gets it."""

    id: str
    room: str
    extension: int
    schema_hash: str
    user: str
    size: int
    priority: int
    lane: str | Literal[False]
    retry_of: str | Literal[False]
    once: bool
    route: str | Literal[False]
    key: str | Literal[False]
    body_hash: str | Literal[False]
    parent: str | Literal[False]
    has_secrets: bool


class SeatRow(NamedTuple):
    """Free slots of a worker as `claim` gets them."""

    worker: str
    session: int
    jobs: int
    only: list[int] | Literal[False]


class ReportRow(NamedTuple):
    """The end of an attempt as `finish` gets it."""

    fence: list[Any]
    status: str
    result: str | Literal[False]
    error_digest: str | Literal[False] = False
    error: list[Any] | Literal[False] = False  # type, message, details as JSON, stack trace
    reason: str | Literal[False] = False


_LAYOUTS: dict[str, tuple[str, ...]] = {
    "JOB": JobRecord._fields,
    "ATTEMPT": AttemptRecord._fields,
    "NEW_JOB": NewJobRow._fields,
    "SEAT": SeatRow._fields,
    "REPORT": ReportRow._fields,
}
_EVENTS = JobRecord._fields.index("events")
_BLANKS = {"blank_job": _EVENTS, "blank_attempt": len(AttemptRecord._fields)}


def job_record(values: Sequence[Any]) -> JobRecord:
    return JobRecord._make([*values[:_EVENTS], values[_EVENTS:]])


def lua_preamble(script: str) -> str:
    """Return what a script uses of these: positions by field name, and constructors of blank records."""
    layouts = [_positions(name, fields) for name, fields in _LAYOUTS.items() if f"{name}." in script]
    blanks = [_blank(name, size) for name, size in _BLANKS.items() if name in script]
    return "".join(layouts + blanks)


def _positions(name: str, fields: tuple[str, ...]) -> str:
    return f"local {name} = {{{', '.join(f'{field} = {at}' for at, field in enumerate(fields, 1))}}}\n"


def _blank(name: str, size: int) -> str:
    return f"local function {name}() return {{{', '.join(['false'] * size)}}} end\n"
