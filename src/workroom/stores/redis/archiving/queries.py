"""Queries about jobs, run on Redis first and then on the archive.

A job leaves Redis only after the archive has it, so this order misses none; duplicates are dropped.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from workroom.domain.files import Artifact, Preview
from workroom.domain.job import Job, Transition
from workroom.domain.jobs.logs import LogLine
from workroom.domain.queries import (
    ExtensionsOverview,
    ExtensionUsage,
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
    LastFailure,
    NewChat,
    Page,
    Query,
    RoomEvents,
)
from workroom.domain.room import ChatMessage
from workroom.ports import Archive
from workroom.stores.redis import file_index
from workroom.stores.redis.connection import Command
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.messages.codec import to_text
from workroom.stores.redis.queries import dispatch, events, fleet, jobs
from workroom.stores.redis.reader import Reader


async def run_query(reader: Reader, archive: Archive, query: Query[Any]) -> Any:
    handler = _HANDLERS.get(type(query))
    return await (dispatch.run_query(reader, query) if handler is None else handler(reader, archive, query))


async def find_job(reader: Reader, archive: Archive, query: FindJob) -> Job | None:
    found = await jobs.find_job(reader, query)
    if found is not None:
        return found
    moved = await archive.read(query)
    return None if moved is None else (await _with_current_owner(reader, [moved]))[0]


async def find_jobs(reader: Reader, archive: Archive, query: FindJobs) -> Page[Job]:
    here = await jobs.find_jobs(reader, query)
    is_of_unfinished = query.queued or query.unfinished
    if is_of_unfinished or (query.status is not None and not query.status.is_terminal):
        return here
    there = await _moved_jobs(reader, archive, query)
    known = {job.id: job for job in [*there.items, *here.items]}
    page = sorted(known.values(), key=lambda job: job.sequence, reverse=True)[: query.limit]
    has_more = len(known) > query.limit or here.next_cursor is not None or there.next_cursor is not None
    return Page(page, page[-1].sequence if page and has_more else None)


async def find_jobs_by_id(reader: Reader, archive: Archive, query: FindJobsById) -> list[Job]:
    found = {job.id: job for job in await jobs.find_jobs_by_id(reader, query)}
    missing = tuple(each for each in query.ids if each not in found)
    moved = await archive.read(replace(query, ids=missing)) if missing else []
    found |= {job.id: job for job in await _with_current_owner(reader, moved)}
    return [found[each] for each in query.ids if each in found]


async def _moved_jobs(reader: Reader, archive: Archive, query: FindJobs) -> Page[Job]:
    """Only Redis knows which jobs were replayed, so that filter is applied page by page."""
    found: list[Job] = []
    page_query = replace(query, replayed=None)
    while True:
        page = await archive.read(page_query)
        found += await _replayed(reader, page.items, query.replayed)
        if page.next_cursor is None or query.replayed is None or len(found) > query.limit:
            break
        page_query = replace(page_query, before=page.next_cursor)
    kept = await _with_current_owner(reader, found[: query.limit])
    has_more = len(found) > query.limit or page.next_cursor is not None
    return Page(kept, kept[-1].sequence if kept and has_more else None)


async def _replayed(reader: Reader, moved: Sequence[Job], wanted: bool | None) -> Sequence[Job]:
    if wanted is None or not moved:
        return moved
    replays = await reader.execute("HMGET", scheduling("replays"), *(job.id for job in moved))
    return [job for job, replay in zip(moved, replays, strict=True) if (replay is not None) is wanted]


async def _with_current_owner(reader: Reader, moved: Sequence[Job]) -> list[Job]:
    """Update the extension's owner and runner, which may have changed since the job moved."""
    ids = sorted({job.extension_id for job in moved})
    commands: list[Command] = [("HMGET", scheduling("ext", str(each)), "runner", "owner") for each in ids]
    offered = dict(zip(ids, await reader.send(commands) if commands else [], strict=True))
    return [_offered(job, *offered[job.extension_id]) for job in moved]


def _offered(job: Job, runner: bytes | None, owner: bytes | None) -> Job:
    if runner is None or owner is None:
        return job
    return replace(job, runner=to_text(runner), extension_owner=to_text(owner))


async def job_history(reader: Reader, archive: Archive, query: JobHistory) -> list[Transition]:
    here, there = await events.job_history(reader, query), await archive.read(query)
    return _in_order(here, there)


async def job_events(reader: Reader, archive: Archive, query: JobEvents) -> list[Transition]:
    here, there = await events.job_events(reader, query), await archive.read(query)
    return _in_order(here, there)[: query.limit]


async def room_events(reader: Reader, archive: Archive, query: RoomEvents) -> list[Transition]:
    here, there = await events.room_events(reader, query), await archive.read(query)
    return _in_order(here, there)[: query.limit]


def _in_order(here: Sequence[Transition], there: Sequence[Transition]) -> list[Transition]:
    return sorted({*here, *there}, key=lambda step: step.sequence)


async def job_logs(reader: Reader, archive: Archive, query: JobLogs) -> list[LogLine]:
    lines = {*await events.job_logs(reader, query), *await archive.read(query)}
    return sorted(lines, key=lambda line: line.seq)[: query.limit]


async def find_chat(reader: Reader, archive: Archive, query: FindChat) -> Page[ChatMessage]:
    here, there = await events.find_chat(reader, query), await archive.read(query)
    messages = sorted({*here.items, *there.items}, key=lambda message: message.sequence, reverse=True)
    page = messages[: query.limit]
    has_more = len(messages) > query.limit or here.next_cursor is not None or there.next_cursor is not None
    return Page(page, page[-1].sequence if has_more else None)


async def new_chat(reader: Reader, archive: Archive, query: NewChat) -> list[ChatMessage]:
    messages = {*await events.new_chat(reader, query), *await archive.read(query)}
    return sorted(messages, key=lambda message: message.sequence)[: query.limit]


async def find_artifacts(reader: Reader, archive: Archive, query: FindArtifacts) -> list[Artifact]:
    return await file_index.find_artifacts(reader, query) or await archive.read(query)


async def find_artifact(reader: Reader, archive: Archive, query: FindArtifact) -> Artifact | None:
    return await file_index.find_artifact(reader, query) or await archive.read(query)


async def find_preview(reader: Reader, archive: Archive, query: FindPreview) -> Preview | None:
    return await file_index.find_preview(reader, query) or await archive.read(query)


async def extensions_overview(
    reader: Reader, archive: Archive, query: ExtensionsOverview
) -> list[ExtensionUsage]:
    async def find_departed(job_id: str) -> LastFailure | None:
        job = await archive.read(FindJob(job_id))
        if job is None or job.error is None or job.completed_at_us is None:
            return None
        return LastFailure(job_id, job.completed_at_us, job.error)

    return await fleet.extensions_overview(reader, query, find_departed)


_HANDLERS: dict[type[Query[Any]], Callable[[Reader, Archive, Any], Awaitable[Any]]] = {
    FindJob: find_job,
    FindJobs: find_jobs,
    FindJobsById: find_jobs_by_id,
    JobHistory: job_history,
    JobEvents: job_events,
    RoomEvents: room_events,
    JobLogs: job_logs,
    FindChat: find_chat,
    NewChat: new_chat,
    FindArtifacts: find_artifacts,
    FindArtifact: find_artifact,
    FindPreview: find_preview,
    ExtensionsOverview: extensions_overview,
}
