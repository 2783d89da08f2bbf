"""Questions are answered, each by one function, from a connection that cannot write."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from workroom.domain.extension import Extension
from workroom.domain.job import Job, JobState, Transition
from workroom.domain.queries import (
    CountReady,
    ExtensionsOverview,
    ExtensionUsage,
    FindAccount,
    FindAccounts,
    FindActor,
    FindArtifact,
    FindArtifacts,
    FindChat,
    FindExtension,
    FindFile,
    FindFiles,
    FindJob,
    FindJobs,
    FindMark,
    FindPolicy,
    FindPreview,
    FindRoom,
    FindRooms,
    FindRunning,
    FindVoid,
    FindWaste,
    FindWorker,
    FindWorkers,
    JobEvents,
    JobHistory,
    JobLogs,
    LastValues,
    NewChat,
    Page,
    Query,
    RoomEvents,
    Running,
    VisibleExtensions,
)
from workroom.domain.waiting import Circumstances, why
from workroom.domain.worker import Worker
from workroom.stores.sqlite import directory, events, logbook, rows, shelf
from workroom.stores.sqlite.lanes import policy_of
from workroom.stores.sqlite.statements import SQL


def answer(connection: sqlite3.Connection, query: Query[Any]) -> Any:
    return _ANSWERS[type(query)](connection, query)


def find_job(connection: sqlite3.Connection, query: FindJob) -> Job | None:
    row = connection.execute(f"{SQL['find_jobs']} WHERE j.id = ?", (query.id,)).fetchone()
    return None if row is None else _placed(connection, *rows.job(row))


def _placed(connection: sqlite3.Connection, job: Job, standing: rows.Standing) -> Job:
    """A pending job with its place in the queue and what it waits for."""
    if job.status is not JobState.PENDING:
        return job
    slots, _ = connection.execute(SQL["slots_of_extension"], (standing.extension,)).fetchone()
    circumstances = Circumstances(
        paused=bool(standing.paused),
        opened_us=standing.opened_us,
        due_us=standing.due_us,
        lane=standing.lane,
        ready=bool(standing.ready),
        lane_holder=_lane_holder(connection, standing),
        slots=slots,
    )
    position = _position(connection, job, standing)
    return replace(job, waiting=why(circumstances), queue_position=position, slots=slots)


def _position(connection: sqlite3.Connection, job: Job, standing: rows.Standing) -> int:
    place = {
        "extension": standing.extension,
        "lane": standing.lane,
        "rank": standing.rank,
        "tag": standing.tag,
        "seq": job.sequence,
    }
    ahead: int = connection.execute(SQL["ready_ahead"], place).fetchone()[0]
    if standing.lane is not None and not standing.ready:
        ahead += connection.execute(SQL["parked_ahead"], place).fetchone()[0]
    return ahead


def _lane_holder(connection: sqlite3.Connection, standing: rows.Standing) -> str | None:
    if standing.lane is None:
        return None
    row = connection.execute(SQL["job_in_lane"], (standing.extension, standing.lane)).fetchone()
    return None if row is None else str(row[0])


_FILTERS = {
    "room": "j.room = ?",
    "user": "j.user = ?",
    "worker": "s.worker = ?",
    "status": "s.status = ?",
    "category": "e.category = ?",
    "name": "e.name = ?",
    "replayed": "EXISTS (SELECT 1 FROM jobs r WHERE r.retry_of = j.id) = ?",
    "before": "j.seq < ?",
}


def find_jobs(connection: sqlite3.Connection, query: FindJobs) -> Page[Job]:
    wanted = {field: getattr(query, field) for field in _FILTERS}
    given = {field: value for field, value in wanted.items() if value is not None}
    where = " AND ".join(_FILTERS[field] for field in given) or "1"
    sql = f"{SQL['find_jobs']} WHERE {where} ORDER BY j.seq DESC LIMIT ?"
    found = connection.execute(sql, (*given.values(), query.limit + 1)).fetchall()
    jobs = [_placed(connection, *rows.job(row)) for row in found]
    page = jobs[: query.limit]
    return Page(page, page[-1].sequence if len(jobs) > query.limit else None)


def job_history(connection: sqlite3.Connection, query: JobHistory) -> list[Transition]:
    return [rows.transition(row) for row in connection.execute(SQL["job_history"], (query.job_id,))]


def find_extension(connection: sqlite3.Connection, query: FindExtension) -> Extension | None:
    row = connection.execute(SQL["find_extension"], (query.room, query.category, query.name)).fetchone()
    return None if row is None else Extension(row[0], rows.extension_spec(row[1:9]))


def find_actor(connection: sqlite3.Connection, query: FindActor) -> Extension | None:
    row = connection.execute(SQL["find_actor"], (query.actor,)).fetchone()
    return None if row is None else Extension(row[0], rows.extension_spec(row[1:9]))


def visible_extensions(connection: sqlite3.Connection, query: VisibleExtensions) -> list[Extension]:
    found = connection.execute(SQL["visible_extensions"], {"room": query.room})
    return [Extension(row[0], rows.extension_spec(row[1:9]), *row[10:]) for row in found]


def extensions_overview(connection: sqlite3.Connection, query: ExtensionsOverview) -> list[ExtensionUsage]:
    counts: dict[int, list[tuple[str, int, int]]] = {}
    for extension, *count in connection.execute(SQL["extension_usage"]):
        counts.setdefault(extension, []).append((count[0], count[1], count[2]))
    return [
        _usage(each, counts.get(each.id, [])) for each in visible_extensions(connection, VisibleExtensions())
    ]


def _usage(extension: Extension, counts: list[tuple[str, int, int]]) -> ExtensionUsage:
    jobs = {status: count for status, count, _ in counts}
    return ExtensionUsage(extension, jobs, max((last for *_, last in counts), default=None))


def count_ready(connection: sqlite3.Connection, query: CountReady) -> int:
    counts = [connection.execute(SQL["count_waiting"], (each,)).fetchone() for each in query.extensions]
    return sum(count for (count,) in counts)


def find_worker(connection: sqlite3.Connection, query: FindWorker) -> Worker | None:
    found = _workers(connection, worker_id=query.id, room=None)
    return found[0] if found else None


def find_workers(connection: sqlite3.Connection, query: FindWorkers) -> list[Worker]:
    return _workers(connection, worker_id=None, room=query.room)


def _workers(connection: sqlite3.Connection, worker_id: str | None, room: str | None) -> list[Worker]:
    found = connection.execute(SQL["find_workers"], {"id": worker_id, "room": room}).fetchall()
    return [rows.worker(row, connection.execute(SQL["offered_keys"], (row[0],)).fetchall()) for row in found]


def last_values(connection: sqlite3.Connection, query: LastValues) -> bytes | None:
    key = (query.user, query.room, query.category, query.name)
    row = connection.execute(SQL["last_values"], key).fetchone()
    return None if row is None else row[0]


def find_running(connection: sqlite3.Connection, query: FindRunning) -> Running | None:
    fence = query.fence
    row = connection.execute(SQL["running_attempt"], (fence.job_id, fence.attempt, fence.token)).fetchone()
    return None if row is None else Running(*row)


_ANSWERS: dict[type[Query[Any]], Callable[[sqlite3.Connection, Any], Any]] = {
    FindJob: find_job,
    FindJobs: find_jobs,
    JobHistory: job_history,
    JobLogs: logbook.job_logs,
    JobEvents: events.job_events,
    RoomEvents: events.room_events,
    FindMark: events.find_mark,
    FindChat: events.find_chat,
    NewChat: events.new_chat,
    FindExtension: find_extension,
    FindActor: find_actor,
    FindPolicy: lambda connection, query: policy_of(connection, query.extension_id),
    VisibleExtensions: visible_extensions,
    ExtensionsOverview: extensions_overview,
    CountReady: count_ready,
    FindWorker: find_worker,
    FindWorkers: find_workers,
    LastValues: last_values,
    FindRunning: find_running,
    FindRooms: directory.find_rooms,
    FindRoom: directory.find_room,
    FindAccount: directory.find_account,
    FindAccounts: directory.find_accounts,
    FindVoid: directory.find_void,
    FindArtifacts: shelf.find_artifacts,
    FindArtifact: shelf.find_artifact,
    FindPreview: shelf.find_preview,
    FindFiles: shelf.find_files,
    FindFile: shelf.find_file,
    FindWaste: shelf.find_waste,
}
