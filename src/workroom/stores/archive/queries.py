"""Queries about archived jobs, each run by one function."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from workroom.domain.files import Artifact, Blob, Preview, PreviewKind
from workroom.domain.job import Job, JobState, Transition
from workroom.domain.jobs.logs import LogLine, Stream
from workroom.domain.queries import (
    FindArtifact,
    FindArtifacts,
    FindChat,
    FindJob,
    FindJobs,
    FindJobsById,
    FindPreview,
    JobEvents,
    JobHistory,
    JobLogs,
    NewChat,
    Page,
    Query,
    RoomEvents,
)
from workroom.domain.room import ChatMessage
from workroom.domain.storage.archive import Ending, Expired, FindEnding, FindExpired
from workroom.stores.annotations import decode_annotation
from workroom.stores.archive.statements import SQL
from workroom.stores.exchanges import decode_exchanges
from workroom.stores.sqlite.statements import without

Row = tuple[Any, ...]
_ALL = -1
_FILTERS = {
    "group": "j.grp = ?",
    "room": "j.room = ?",
    "user": "j.user = ?",
    "worker": "j.worker = ?",
    "status": "j.status = ?",
    "category": "j.category = ?",
    "name": "j.name = ?",
    "queued": "(j.status IN ('pending', 'assigned')) = ?",
    "unfinished": "(j.status IN ('pending', 'assigned', 'running')) = ?",
    "parent": "j.parent = ?",
    "before": "j.seq < ?",
}
_OF_ANNOTATED = {**_FILTERS, "room": "a.room = ?", "before": "a.seq < ?"}
_BRIEFLY = without(SQL["find_jobs"], "j.data", "j.progress", "j.result", "j.error", "j.secrets", "x.document")


def run_query(connection: sqlite3.Connection, query: Query[Any]) -> Any:
    return _HANDLERS[type(query)](connection, query)


def find_job(connection: sqlite3.Connection, query: FindJob) -> Job | None:
    return _find_job(connection, SQL["find_jobs"], query.id)


def _find_job(connection: sqlite3.Connection, select: str, job_id: str) -> Job | None:
    row = connection.execute(f"{select} WHERE j.id = ?", (job_id,)).fetchone()
    return None if row is None else _job(row)


def find_jobs(connection: sqlite3.Connection, query: FindJobs) -> Page[Job]:
    wanted = {field: getattr(query, field) for field in _FILTERS}
    given = {field: value for field, value in wanted.items() if value is not None}
    filters = _OF_ANNOTATED if query.annotated else _FILTERS  # each for the index that has the fewest jobs
    conditions = [filters[field] for field in given] + (["a.seq > 0"] if query.annotated else [])
    order = "a.seq" if query.annotated else "j.seq"
    select = _BRIEFLY if query.brief else SQL["find_jobs"]
    sql = f"{select} WHERE {' AND '.join(conditions) or '1'} ORDER BY {order} DESC LIMIT ?"
    found = connection.execute(sql, (*given.values(), query.limit + 1)).fetchall()
    page = [_job(row) for row in found[: query.limit]]
    return Page(page, page[-1].sequence if len(found) > query.limit else None)


def find_jobs_by_id(connection: sqlite3.Connection, query: FindJobsById) -> list[Job]:
    select = _BRIEFLY if query.brief else SQL["find_jobs"]
    found = (_find_job(connection, select, job_id) for job_id in query.ids)
    return [job for job in found if job is not None]


def _job(row: Row) -> Job:
    *known, extension, exchanges, annotation, group = row
    known[8] = JobState(known[8])
    return replace(
        Job(*known),
        extension_id=extension,
        exchanges=decode_exchanges(exchanges),
        annotation=decode_annotation(annotation),
        group=group,
    )


def job_history(connection: sqlite3.Connection, query: JobHistory) -> list[Transition]:
    return _transitions(connection, "history_of_job", query.job_id, 0, _ALL)


def job_events(connection: sqlite3.Connection, query: JobEvents) -> list[Transition]:
    return _transitions(connection, "history_of_job", query.job_id, query.after, query.limit)


def room_events(connection: sqlite3.Connection, query: RoomEvents) -> list[Transition]:
    return _transitions(connection, "events_of_room", query.room, query.after, query.limit)


def _transitions(
    connection: sqlite3.Connection, statement: str, of: str, after: int, limit: int
) -> list[Transition]:
    return [_transition(*row) for row in connection.execute(SQL[statement], (of, after, limit))]


def _transition(sequence: int, job: str, room: str, user: str, version: int, *rest: Any) -> Transition:
    status, *others = rest
    return Transition(sequence, job, room, user, version, JobState(status), *others)


def job_logs(connection: sqlite3.Connection, query: JobLogs) -> list[LogLine]:
    found = connection.execute(SQL["lines_of_job"], (query.job_id, query.after, query.limit))
    return [LogLine(seq, at, Stream(stream), *rest) for seq, at, stream, *rest in found]


def find_artifacts(connection: sqlite3.Connection, query: FindArtifacts) -> list[Artifact]:
    found = connection.execute(SQL["artifacts_of_job"], (query.job_id,))
    return [
        Artifact(job, name, media_type, Blob(*blob), attempt, at_us)
        for job, name, media_type, *blob, attempt, at_us in found
    ]


def find_artifact(connection: sqlite3.Connection, query: FindArtifact) -> Artifact | None:
    saved = find_artifacts(connection, FindArtifacts(query.job_id))
    return next((artifact for artifact in saved if artifact.name == query.name), None)


def find_preview(connection: sqlite3.Connection, query: FindPreview) -> Preview | None:
    row = connection.execute(SQL["preview_of_job"], (query.job_id,)).fetchone()
    if row is None:
        return None
    job, kind, version, *blob = row
    return Preview(job, PreviewKind(kind), version, Blob(*blob))


def find_chat(connection: sqlite3.Connection, query: FindChat) -> Page[ChatMessage]:
    before = (1 << 62) if query.before is None else query.before
    found = connection.execute(SQL["chat_before"], (query.room, before, query.limit + 1)).fetchall()
    page = [ChatMessage(*row) for row in found[: query.limit]]
    return Page(page, page[-1].sequence if len(found) > query.limit else None)


def new_chat(connection: sqlite3.Connection, query: NewChat) -> list[ChatMessage]:
    found = connection.execute(SQL["chat_after"], (query.room, query.after, query.limit))
    return [ChatMessage(*row) for row in found]


def find_ending(connection: sqlite3.Connection, query: FindEnding) -> Ending | None:
    row = connection.execute(SQL["ending_of_job"], (query.job_id,)).fetchone()
    return None if row is None else Ending(JobState(row[0]), frozenset(row[1].split()))


def find_expired(connection: sqlite3.Connection, query: FindExpired) -> list[Expired]:
    found = connection.execute(SQL["expired_jobs"], (query.before_us, query.limit)).fetchall()
    return [
        Expired(job, extension, JobState(status), retry_of, _blobs(connection, job), group)
        for job, extension, status, retry_of, group in found
    ]


def _blobs(connection: sqlite3.Connection, job_id: str) -> tuple[str, ...]:
    return tuple(blob for (blob,) in connection.execute(SQL["blobs_of_job"], {"job": job_id}))


_HANDLERS: dict[type[Query[Any]], Callable[[sqlite3.Connection, Any], Any]] = {
    FindJob: find_job,
    FindJobs: find_jobs,
    FindJobsById: find_jobs_by_id,
    JobHistory: job_history,
    JobEvents: job_events,
    RoomEvents: room_events,
    JobLogs: job_logs,
    FindArtifacts: find_artifacts,
    FindArtifact: find_artifact,
    FindPreview: find_preview,
    FindChat: find_chat,
    NewChat: new_chat,
    FindEnding: find_ending,
    FindExpired: find_expired,
}
