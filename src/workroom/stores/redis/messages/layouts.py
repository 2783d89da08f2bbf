"""The lists that Lua scripts read and write. Python defines their fields; Lua gets positions as a preamble.

Missing values are False. The order of `JobRecord` and `AttemptRecord` is the stored format. Only steps, with
their transitions and assignments, are written in Lua in the order in which `replies.py` reads them: they are
made for every job, and a table constructor is the cheapest way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

_WORD = re.compile(r"\w+")
_FIELD = re.compile(r"\b([A-Z][A-Z_]*)\.(\w+)")


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
    is_postponed: bool  # it is not in the queue yet
    group: str | bool
    is_followed: bool  # other jobs wait for its end
    unique: str | bool  # a digest
    events: Sequence[int]  # stored flat at the end of the list, as many as there are


class AttemptRecord(NamedTuple):
    """An attempt that occupies its worker."""

    token: str
    number: int
    started: int
    extension: str
    timeout: float | Literal[False]
    lane: str | Literal[False]
    waits: str | Literal[False]  # for an answer or a child


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
    postponed: PostponementRow | Literal[False]
    group: str | Literal[False]
    unique: str | Literal[False]


class PostponementRow(NamedTuple):
    """What a new job waits for, as `submit` gets it."""

    run_us: int | Literal[False]
    after: Sequence[str]
    on_end: bool
    skip: str | Literal[False]
    has_refs: bool


class PostponedRecord(NamedTuple):
    """What a job that is not in the queue yet waits for. One that was in the queue returns to its place."""

    run_us: int | Literal[False]
    blockers: int
    is_paused: bool
    is_placed: bool
    has_refs: bool


class SeatRow(NamedTuple):
    """Free slots of a worker as `claim` gets them."""

    worker: str
    session: int
    jobs: int
    only: list[int] | Literal[False]
    parents: Sequence[str]


class ReportRow(NamedTuple):
    """The end of an attempt as `finish` gets it."""

    fence: list[Any]
    status: str
    result: str | Literal[False]
    error_digest: str | Literal[False] = False
    error: list[Any] | Literal[False] = False  # type, message, details as JSON, stack trace
    reason: str | Literal[False] = False


class SpecRow(NamedTuple):
    """An extension as a worker offers it."""

    room: str
    category: str
    name: str
    schema: bytes
    schema_hash: str
    runner: str
    owner: str
    policy: bytes
    actor: str | Literal[False]


class ExtensionRow(NamedTuple):
    """An extension as `find_extensions` returns it; `usage` only for the overview."""

    id: int
    key: Sequence[str]
    schema: str
    schema_hash: str
    runner: str
    owner: str
    policy: str
    idle: int
    busy: int
    pending: int
    paused: bool
    opened: int | Literal[False]
    left: int | Literal[False]
    usage: Sequence[Any] | Literal[False]


class QueueRow(NamedTuple):
    """The queue of an extension, and how its jobs ended."""

    id: int
    key: Sequence[str]
    is_paused: bool
    is_broken: bool
    ready: int
    limited: int
    paced: int
    later: int
    oldest: int | Literal[False]
    completed: int
    failed: int
    cancelled: int


class UsageRow(NamedTuple):
    """How much an extension is used: numbers of jobs by status, and what the last ones did."""

    jobs: Sequence[tuple[str, int]]
    last: int | Literal[False]
    recent: str
    failed_job: str | Literal[False]
    failed_us: int | Literal[False]
    error: str | Literal[False]


class WorkerRow(NamedTuple):
    """A worker as `find_workers` returns it."""

    id: str
    user: str
    name: str
    runner: str
    slots: str
    machine: str
    online: str
    draining: str
    session: str
    registered: str
    since: str
    assigned: int
    running: int
    offers: Sequence[Any]
    awaiting: Sequence[Any]


class JobRow(NamedTuple):
    """A job as `find_jobs` returns it; `queue` only if it is pending."""

    record: Sequence[Any]
    progress: str | Literal[False]
    error: str | Literal[False]
    key: Sequence[str]
    runner: str
    owner: str
    paused: bool
    opened: int | Literal[False]
    queue: Sequence[Any] | Literal[False]
    annotation: str | Literal[False]
    postponed: Sequence[Any] | Literal[False]
    exchanges: str | Literal[False]
    waits: str | Literal[False]


class ExternalRecord(NamedTuple):
    """An id of a provider, among the exchanges of its job."""

    provider: str
    id: str
    attempt: int
    at_us: int


class IntentRecord(NamedTuple):
    """An intent, among the exchanges of its job."""

    provider: str
    digest: str
    attempt: int
    at_us: int


class QuestionRecord(NamedTuple):
    """A question, among the exchanges of its job."""

    id: int
    key: str
    text: str
    schema: str
    attempt: int
    asked_us: int
    expires_us: int | Literal[False]
    answer: str | Literal[False]
    answered_by: str | Literal[False]
    answered_us: int | Literal[False]


class ExpiredRow(NamedTuple):
    """An archived job as `forget_moved` gets it."""

    id: str
    extension: int
    status: str
    retry_of: str | Literal[False]
    blobs: Sequence[str]
    group: str | Literal[False]


class LockRecord(NamedTuple):
    """A lock in the hash of its room."""

    target: str
    digest: str
    user: str
    job: str | Literal[False]
    attempt: int | Literal[False]
    message: str
    fence: int
    acquired_us: int
    expires_us: int
    ttl_us: int


class DocumentRecord(NamedTuple):
    """A document in the hash of its room; `content` is the number of the change that made its content."""

    key: str
    version: int
    content: int
    size: int
    user: str
    job: str | Literal[False]
    changed_us: int
    request: str


class RecordRecord(NamedTuple):
    """A record in the hash of its room. A field has a name and an encoded value."""

    kind: str
    id: str
    sequence: int
    body: str
    fields: Sequence[tuple[str, str]]
    user: str
    job: str | Literal[False]
    created_us: int
    updated_us: int


class VersionRecord(NamedTuple):
    """A version in the hash of its room. A change has a key, and the contents before and after."""

    number: int
    kind: str
    of: int | Literal[False]
    user: str
    job: str | Literal[False]
    at_us: int
    summary: str
    state: str
    request: str
    group: str
    changes: Sequence[tuple[str, int | Literal[False], int | Literal[False]]]


class PieceRecord(NamedTuple):
    """A piece in the hash of its room, without its directory. An array has a digest and an offset."""

    blob: str
    size: int
    sha256: str
    frames: int
    buffers_at: int
    uses: Sequence[str]
    arrays: Sequence[tuple[str, int]]


_LAYOUTS: dict[str, tuple[str, ...]] = {
    "JOB": JobRecord._fields,
    "ATTEMPT": AttemptRecord._fields,
    "NEW_JOB": NewJobRow._fields,
    "POSTPONEMENT": PostponementRow._fields,
    "POSTPONED": PostponedRecord._fields,
    "SEAT": SeatRow._fields,
    "REPORT": ReportRow._fields,
    "SPEC": SpecRow._fields,
    "EXTENSION_ROW": ExtensionRow._fields,
    "QUEUE_ROW": QueueRow._fields,
    "USAGE_ROW": UsageRow._fields,
    "WORKER_ROW": WorkerRow._fields,
    "JOB_ROW": JobRow._fields,
    "EXTERNAL": ExternalRecord._fields,
    "INTENT": IntentRecord._fields,
    "QUESTION": QuestionRecord._fields,
    "EXPIRED": ExpiredRow._fields,
    "LOCK": LockRecord._fields,
    "DOCUMENT": DocumentRecord._fields,
    "RECORD": RecordRecord._fields,
    "VERSION": VersionRecord._fields,
    "PIECE": PieceRecord._fields,
}
_EVENTS = JobRecord._fields.index("events")
_BLANKS = {
    "blank_job": _EVENTS,
    "blank_attempt": len(AttemptRecord._fields),
    "blank_postponed": len(PostponedRecord._fields),
}


def job_record(values: Sequence[Any]) -> JobRecord:
    return JobRecord._make([*values[:_EVENTS], values[_EVENTS:]])


def with_positions(script: str) -> str:
    """The script with numbers in the places of fields: `job[JOB.status]` becomes `job[12]`.

    A table of the positions would be made again by each call of the script.
    """
    return _FIELD.sub(_position, script)


def _position(field: re.Match[str]) -> str:
    fields = _LAYOUTS.get(field[1])
    return field[0] if fields is None else str(fields.index(field[2]) + 1)


def lua_preamble(script: str) -> str:
    """Return what a script uses of these: positions by field name, and constructors of blank records."""
    used = set(_WORD.findall(script))
    layouts = [_positions(name, fields) for name, fields in _LAYOUTS.items() if name in used]
    blanks = [_blank(name, size) for name, size in _BLANKS.items() if name in script]
    return "".join(layouts + blanks)


def _positions(name: str, fields: tuple[str, ...]) -> str:
    return f"local {name} = {{{', '.join(f'{field} = {at}' for at, field in enumerate(fields, 1))}}}\n"


def _blank(name: str, size: int) -> str:
    return f"local function {name}() return {{{', '.join(['false'] * size)}}} end\n"
