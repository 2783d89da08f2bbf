"""Questions are answered, each by one function, from a connection that cannot write."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from workroom.domain.extension import Extension
from workroom.domain.job import Job, JobState, Transition
from workroom.domain.queries import (
    CountLanes,
    CountReady,
    CountUsage,
    ExtensionsOverview,
    ExtensionUsage,
    FindAccount,
    FindAccounts,
    FindActor,
    FindArrays,
    FindArtifact,
    FindArtifacts,
    FindAudit,
    FindChat,
    FindContents,
    FindDocument,
    FindDocuments,
    FindExpiredLocks,
    FindExtension,
    FindFile,
    FindFiles,
    FindFrameIndexes,
    FindFrameNames,
    FindGroup,
    FindGroupEnds,
    FindGroups,
    FindIdle,
    FindJob,
    FindJobEdits,
    FindJobs,
    FindJobsById,
    FindLocks,
    FindLogPosition,
    FindLookalike,
    FindNeighbours,
    FindOpenQuestions,
    FindOrphanedBlobs,
    FindOwners,
    FindPeople,
    FindPieces,
    FindPolicy,
    FindPreset,
    FindPresets,
    FindPreview,
    FindQueues,
    FindRecord,
    FindRecords,
    FindRevokedTokens,
    FindRoom,
    FindRooms,
    FindRunning,
    FindSeating,
    FindSegments,
    FindSubmitted,
    FindVersions,
    FindWorker,
    FindWorkers,
    JobEvents,
    JobHistory,
    JobLogs,
    LaneUse,
    LastSecrets,
    LastValues,
    NewChat,
    Page,
    Query,
    RoomEvents,
    Running,
    VisibleExtensions,
)
from workroom.domain.rules.queue.limits import limit_of
from workroom.domain.rules.queue.rates import bucket_of, interval_us, rate_of, starts_at_us
from workroom.domain.rules.queue.waiting import Circumstances, Pace, Waiting, while_running, why
from workroom.domain.worker import Worker
from workroom.stores.exchanges import decode_exchanges
from workroom.stores.sqlite import directory, file_index, presets
from workroom.stores.sqlite.queries import events, queues, rows, usage
from workroom.stores.sqlite.queries.rows import EndedUsageRow, JobRow, WorkerRow
from workroom.stores.sqlite.room_data import documents, frames, history, job_edits, locks, records
from workroom.stores.sqlite.statements import SQL, without
from workroom.stores.sqlite.verbs.groups import groups
from workroom.stores.sqlite.verbs.jobs import exchanges, log_lines
from workroom.stores.sqlite.verbs.queue import postponing
from workroom.stores.sqlite.verbs.queue.lanes import policy_of
from workroom.stores.sqlite.verbs.queue.pacing import next_start
from workroom.stores.sqlite.verbs.queue.stages import PACED, PARKED, READY
from workroom.stores.sqlite.verbs.workers import consent


def run_query(connection: sqlite3.Connection, query: Query[Any]) -> Any:
    return _HANDLERS[type(query)](connection, query)


def find_job(connection: sqlite3.Connection, query: FindJob) -> Job | None:
    row = connection.execute(f"{SQL['find_jobs']} WHERE j.id = ?", (query.id,)).fetchone()
    return None if row is None else _with_queue_position(connection, JobRow(*row))


def _with_queue_position(connection: sqlite3.Connection, row: JobRow) -> Job:
    """Return the job; a pending one has its queue position, and that or a running one what it waits for."""
    job = rows.job(row)
    if job.status is JobState.RUNNING:
        waiting = _held_up(connection, row)
        return job if waiting is None else replace(job, waiting=waiting)
    if job.status is not JobState.PENDING:
        return job
    is_postponed = row.ready == postponing.POSTPONED
    slots, _ = connection.execute(SQL["slots_of_extension"], (row.extension,)).fetchone()
    circumstances = Circumstances(
        paused=bool(row.paused),
        opened_us=row.opened_us,
        due_us=row.due_us,
        lane=row.lane,
        ready=row.ready == READY,
        lane_holder=_lane_holder(connection, row),
        slots=slots,
        postponed=postponing.why(connection, row.sequence, row.group) if is_postponed else None,
        pace=_pace(connection, row),
    )
    position = None if is_postponed else _position(connection, row)
    return replace(job, waiting=why(circumstances), queue_position=position, slots=slots)


def _held_up(connection: sqlite3.Connection, row: JobRow) -> Waiting | None:
    found = connection.execute(SQL["read_waits"], (row.worker, row.sequence, row.attempt)).fetchone()
    return None if found is None else while_running(found[0], decode_exchanges(row.exchanges))


def _position(connection: sqlite3.Connection, row: JobRow) -> int:
    ahead: int = connection.execute(SQL["ready_ahead"], _place(row)).fetchone()[0]
    if row.lane is not None and row.ready != READY:
        ahead += _ahead_in_lane(connection, row, PARKED) + _ahead_in_lane(connection, row, PACED)
    return ahead


def _place(row: JobRow) -> dict[str, object]:
    return {
        "extension": row.extension,
        "lane": row.lane,
        "rank": row.rank,
        "tag": row.tag,
        "seq": row.sequence,
    }


def _ahead_in_lane(connection: sqlite3.Connection, row: JobRow, ready: int) -> int:
    count: int = connection.execute(SQL["ahead_in_lane"], {**_place(row), "ready": ready}).fetchone()[0]
    return count


def _pace(connection: sqlite3.Connection, row: JobRow) -> Pace | None:
    """The rate that a job waits for; None if it waits for something else."""
    if row.lane is None or row.ready == READY or row.due_us is not None:
        return None
    policy = policy_of(connection, row.extension)
    (active,) = connection.execute(SQL["active_in_lane"], (row.extension, row.lane)).fetchone()
    rate = rate_of(policy, row.lane)
    if rate is None or active >= limit_of(policy.concurrency, row.lane):
        return None
    next_us = next_start(connection, row.extension, bucket_of(policy, row.lane))
    ahead = sum(_ahead_in_lane(connection, row, ready) for ready in (PARKED, READY, PACED))
    starts_us = None if next_us is None else starts_at_us(next_us, ahead, interval_us(rate))
    return Pace(bucket_of(policy, row.lane) or None, starts_us)


def _lane_holder(connection: sqlite3.Connection, row: JobRow) -> str | None:
    if row.lane is None:
        return None
    holder = connection.execute(SQL["job_in_lane"], (row.extension, row.lane)).fetchone()
    return None if holder is None else str(holder[0])


_FILTERS = {
    "group": "j.grp = ?",
    "room": "j.room = ?",
    "user": "j.user = ?",
    "worker": "s.worker = ?",
    "status": "s.status = ?",
    "category": "e.category = ?",
    "name": "e.name = ?",
    "queued": "(s.status IN ('pending', 'assigned')) = ?",
    "unfinished": "(s.status IN ('pending', 'assigned', 'running')) = ?",
    "replayed": "EXISTS (SELECT 1 FROM jobs r WHERE r.retry_of = j.id) = ?",
    "parent": "j.parent = ?",
    "before": "j.seq < ?",
}


_OF_ANNOTATED = {**_FILTERS, "room": "a.room = ?", "before": "a.job < ?"}
_BRIEFLY = without(SQL["find_jobs"], "j.data", "p.document", "o.result", "o.error", "j.secrets", "x.document")


def find_jobs(connection: sqlite3.Connection, query: FindJobs) -> Page[Job]:
    wanted = {field: getattr(query, field) for field in _FILTERS}
    given = {field: value for field, value in wanted.items() if value is not None}
    filters = _OF_ANNOTATED if query.annotated else _FILTERS  # each for the index that has the fewest jobs
    conditions = [filters[field] for field in given] + (["a.job > 0"] if query.annotated else [])
    order = "a.job" if query.annotated else "j.seq"
    select, limit = _BRIEFLY if query.brief else SQL["find_jobs"], "?"
    values = [*given.values(), query.limit + 1]
    if query.unfinished and query.user is not None:  # they are counted, so the search ends with the last one
        limit = f"min(?, ({SQL['count_jobs_of_user'].replace(':subject', '?')}))"
        values.append(query.user)
    sql = f"{select} WHERE {' AND '.join(conditions) or '1'} ORDER BY {order} DESC LIMIT {limit}"
    found = [JobRow(*row) for row in connection.execute(sql, values)]
    jobs = [rows.job(row) if query.brief else _with_queue_position(connection, row) for row in found]
    page = jobs[: query.limit]
    return Page(page, page[-1].sequence if len(jobs) > query.limit else None)


def find_jobs_by_id(connection: sqlite3.Connection, query: FindJobsById) -> list[Job]:
    find = _find_briefly if query.brief else find_job
    found = (find(connection, FindJob(job_id)) for job_id in query.ids)
    return [job for job in found if job is not None]


def _find_briefly(connection: sqlite3.Connection, query: FindJob) -> Job | None:
    row = connection.execute(f"{_BRIEFLY} WHERE j.id = ?", (query.id,)).fetchone()
    return None if row is None else rows.job(JobRow(*row))


def job_history(connection: sqlite3.Connection, query: JobHistory) -> list[Transition]:
    return [rows.transition(row) for row in connection.execute(SQL["job_history"], (query.job_id,))]


def find_extension(connection: sqlite3.Connection, query: FindExtension) -> Extension | None:
    row = connection.execute(SQL["find_extension"], (query.room, query.category, query.name)).fetchone()
    return None if row is None else rows.extension(row)


def find_actor(connection: sqlite3.Connection, query: FindActor) -> Extension | None:
    row = connection.execute(SQL["find_actor"], (query.actor,)).fetchone()
    return None if row is None else rows.extension(row)


def visible_extensions(connection: sqlite3.Connection, query: VisibleExtensions) -> list[Extension]:
    found = connection.execute(SQL["visible_extensions"], {"room": query.room})
    return [rows.extension(row) for row in found]


def extensions_overview(connection: sqlite3.Connection, query: ExtensionsOverview) -> list[ExtensionUsage]:
    """Read the counters and the queues, never the jobs that have ended."""
    ended = {row[0]: EndedUsageRow(*row) for row in connection.execute(SQL["ended_usage"])}
    assigned: dict[int, dict[str, int]] = {}
    for extension, status, count in connection.execute(SQL["assigned_usage"]):
        assigned.setdefault(extension, {})[status] = count
    last: dict[int, int] = dict(connection.execute(SQL["last_unfinished"]).fetchall())
    return [
        rows.usage(each, ended.get(each.id), assigned.get(each.id, {}), last.get(each.id))
        for each in visible_extensions(connection, VisibleExtensions())
    ]


def count_lanes(connection: sqlite3.Connection, query: CountLanes) -> dict[str, LaneUse]:
    return {lane: _use_of(connection, (query.extension_id, lane)) for lane in query.lanes}


def _use_of(connection: sqlite3.Connection, lane: tuple[int, str]) -> LaneUse:
    running, waiting = (
        connection.execute(SQL[name], lane).fetchone()[0] for name in ("active_in_lane", "waiting_in_lane")
    )
    return LaneUse(running, waiting)


def count_ready(connection: sqlite3.Connection, query: CountReady) -> int:
    counts = [connection.execute(SQL["count_waiting"], (each,)).fetchone() for each in query.extensions]
    return sum(count for (count,) in counts)


def find_idle(connection: sqlite3.Connection, query: FindIdle) -> list[str]:
    return [worker for (worker,) in connection.execute(SQL["idle_workers"], (query.extension_id,))]


def find_worker(connection: sqlite3.Connection, query: FindWorker) -> Worker | None:
    found = _workers(connection, {"id": query.id, "room": None, "offline": False})
    return found[0] if found else None


def find_workers(connection: sqlite3.Connection, query: FindWorkers) -> list[Worker]:
    return _workers(connection, {"id": None, "room": query.room, "offline": query.offline})


def _workers(connection: sqlite3.Connection, filters: dict[str, object]) -> list[Worker]:
    found = connection.execute(SQL["find_workers"], filters).fetchall()
    return [
        rows.worker(
            WorkerRow(*row),
            connection.execute(SQL["offered_keys"], (row[0],)).fetchall(),
            consent.requests(connection, row[0]),
        )
        for row in found
    ]


def last_secrets(connection: sqlite3.Connection, query: LastSecrets) -> bytes | None:
    key = (query.user, query.room, query.category, query.name)
    row = connection.execute(SQL["last_secrets"], key).fetchone()
    return None if row is None else row[0]


def last_values(connection: sqlite3.Connection, query: LastValues) -> bytes | None:
    key = (query.user, query.room, query.category, query.name)
    row = connection.execute(SQL["last_values"], key).fetchone()
    return None if row is None else row[0]


def find_running(connection: sqlite3.Connection, query: FindRunning) -> Running | None:
    fence = query.fence
    row = connection.execute(SQL["running_attempt"], (fence.job_id, fence.attempt, fence.token)).fetchone()
    return None if row is None else Running(*row)


_HANDLERS: dict[type[Query[Any]], Callable[[sqlite3.Connection, Any], Any]] = {
    FindJob: find_job,
    FindJobs: find_jobs,
    FindJobsById: find_jobs_by_id,
    FindGroup: groups.find_group,
    FindGroups: groups.find_groups,
    FindGroupEnds: groups.find_group_ends,
    FindNeighbours: groups.find_neighbours,
    FindOpenQuestions: exchanges.find_open_questions,
    JobHistory: job_history,
    JobLogs: log_lines.job_logs,
    JobEvents: events.job_events,
    RoomEvents: events.room_events,
    FindLogPosition: events.find_log_position,
    FindChat: events.find_chat,
    NewChat: events.new_chat,
    FindExtension: find_extension,
    FindActor: find_actor,
    FindPolicy: lambda connection, query: policy_of(connection, query.extension_id),
    VisibleExtensions: visible_extensions,
    ExtensionsOverview: extensions_overview,
    FindQueues: queues.find_queues,
    CountLanes: count_lanes,
    CountReady: count_ready,
    FindIdle: find_idle,
    FindWorker: find_worker,
    FindWorkers: find_workers,
    LastSecrets: last_secrets,
    FindSeating: consent.find_seating,
    LastValues: last_values,
    FindRunning: find_running,
    FindRooms: directory.find_rooms,
    FindRoom: directory.find_room,
    FindAccount: directory.find_account,
    FindAccounts: directory.find_accounts,
    FindPeople: directory.find_people,
    FindAudit: directory.find_audit,
    FindLookalike: directory.find_lookalike,
    FindRevokedTokens: directory.find_revoked_tokens,
    FindArtifacts: file_index.find_artifacts,
    FindArtifact: file_index.find_artifact,
    FindPreview: file_index.find_preview,
    FindFiles: file_index.find_files,
    FindFile: file_index.find_file,
    FindOrphanedBlobs: file_index.find_orphaned_blobs,
    FindPresets: presets.find_presets,
    FindPreset: presets.find_preset,
    CountUsage: usage.count_usage,
    FindOwners: usage.find_owners,
    FindSubmitted: usage.find_submitted,
    FindLocks: locks.find_locks,
    FindExpiredLocks: locks.find_expired_locks,
    FindRecord: records.find_record,
    FindRecords: records.find_records,
    FindDocument: documents.find_document,
    FindDocuments: documents.find_documents,
    FindVersions: history.find_versions,
    FindContents: documents.find_contents,
    FindSegments: frames.find_segments,
    FindPieces: frames.find_pieces,
    FindArrays: frames.find_arrays,
    FindFrameIndexes: frames.find_indexes,
    FindFrameNames: frames.find_names,
    FindJobEdits: job_edits.find_job_edits,
}
