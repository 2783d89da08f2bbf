"""Questions about jobs are answered by Redis first and then by the archive.

Jobs leave Redis only once the archive has them, so what is asked in this order misses none; what both know
is told once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from workroom.domain.chat import ChatMessage
from workroom.domain.files import Artifact, Preview
from workroom.domain.job import Job, Transition
from workroom.domain.logs import LogLine
from workroom.domain.queries import (
    FindArtifact,
    FindArtifacts,
    FindChat,
    FindJob,
    FindJobs,
    FindPreview,
    JobEvents,
    JobHistory,
    JobLogs,
    NewChat,
    Page,
    Query,
    RoomEvents,
)
from workroom.ports import Archive
from workroom.stores.redis import events, jobs, queries, shelf
from workroom.stores.redis.asking import Asker
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.packing import to_text
from workroom.stores.redis.wire import Command


async def answer(asker: Asker, archive: Archive, query: Query[Any]) -> Any:
    own = _ANSWERS.get(type(query))
    return await (queries.answer(asker, query) if own is None else own(asker, archive, query))


async def find_job(asker: Asker, archive: Archive, query: FindJob) -> Job | None:
    found = await jobs.find_job(asker, query)
    if found is not None:
        return found
    moved = await archive.read(query)
    return None if moved is None else (await _as_offered_now(asker, [moved]))[0]


async def find_jobs(asker: Asker, archive: Archive, query: FindJobs) -> Page[Job]:
    here = await jobs.find_jobs(asker, query)
    if query.status is not None and not query.status.is_terminal:
        return here
    there = await _moved_jobs(asker, archive, query)
    known = {job.id: job for job in [*there.items, *here.items]}
    page = sorted(known.values(), key=lambda job: job.sequence, reverse=True)[: query.limit]
    has_more = len(known) > query.limit or here.next_cursor is not None or there.next_cursor is not None
    return Page(page, page[-1].sequence if page and has_more else None)


async def _moved_jobs(asker: Asker, archive: Archive, query: FindJobs) -> Page[Job]:
    """Which jobs were replayed is known in Redis only, so that is looked up page by page."""
    found: list[Job] = []
    asked = replace(query, replayed=None)
    while True:
        page = await archive.read(asked)
        found += await _replayed(asker, page.items, query.replayed)
        if page.next_cursor is None or query.replayed is None or len(found) > query.limit:
            break
        asked = replace(asked, before=page.next_cursor)
    kept = await _as_offered_now(asker, found[: query.limit])
    has_more = len(found) > query.limit or page.next_cursor is not None
    return Page(kept, kept[-1].sequence if kept and has_more else None)


async def _replayed(asker: Asker, moved: Sequence[Job], wanted: bool | None) -> Sequence[Job]:
    if wanted is None or not moved:
        return moved
    replays = await asker.one("HMGET", scheduling("replays"), *(job.id for job in moved))
    return [job for job, replay in zip(moved, replays, strict=True) if (replay is not None) is wanted]


async def _as_offered_now(asker: Asker, moved: Sequence[Job]) -> list[Job]:
    """Who owns and runs the extension of a job may have changed since it moved."""
    ids = sorted({job.extension_id for job in moved})
    commands: list[Command] = [("HMGET", scheduling("ext", str(each)), "runner", "owner") for each in ids]
    offered = dict(zip(ids, await asker.send(commands) if commands else [], strict=True))
    return [_offered(job, *offered[job.extension_id]) for job in moved]


def _offered(job: Job, runner: bytes | None, owner: bytes | None) -> Job:
    if runner is None or owner is None:
        return job
    return replace(job, runner=to_text(runner), extension_owner=to_text(owner))


async def job_history(asker: Asker, archive: Archive, query: JobHistory) -> list[Transition]:
    here, there = await events.job_history(asker, query), await archive.read(query)
    return _in_order(here, there)


async def job_events(asker: Asker, archive: Archive, query: JobEvents) -> list[Transition]:
    here, there = await events.job_events(asker, query), await archive.read(query)
    return _in_order(here, there)[: query.limit]


async def room_events(asker: Asker, archive: Archive, query: RoomEvents) -> list[Transition]:
    here, there = await events.room_events(asker, query), await archive.read(query)
    return _in_order(here, there)[: query.limit]


def _in_order(here: Sequence[Transition], there: Sequence[Transition]) -> list[Transition]:
    return sorted({*here, *there}, key=lambda step: step.sequence)


async def job_logs(asker: Asker, archive: Archive, query: JobLogs) -> list[LogLine]:
    lines = {*await events.job_logs(asker, query), *await archive.read(query)}
    return sorted(lines, key=lambda line: line.seq)[: query.limit]


async def find_chat(asker: Asker, archive: Archive, query: FindChat) -> Page[ChatMessage]:
    here, there = await events.find_chat(asker, query), await archive.read(query)
    said = sorted({*here.items, *there.items}, key=lambda message: message.sequence, reverse=True)
    page = said[: query.limit]
    has_more = len(said) > query.limit or here.next_cursor is not None or there.next_cursor is not None
    return Page(page, page[-1].sequence if has_more else None)


async def new_chat(asker: Asker, archive: Archive, query: NewChat) -> list[ChatMessage]:
    said = {*await events.new_chat(asker, query), *await archive.read(query)}
    return sorted(said, key=lambda message: message.sequence)[: query.limit]


async def find_artifacts(asker: Asker, archive: Archive, query: FindArtifacts) -> list[Artifact]:
    return await shelf.find_artifacts(asker, query) or await archive.read(query)


async def find_artifact(asker: Asker, archive: Archive, query: FindArtifact) -> Artifact | None:
    return await shelf.find_artifact(asker, query) or await archive.read(query)


async def find_preview(asker: Asker, archive: Archive, query: FindPreview) -> Preview | None:
    return await shelf.find_preview(asker, query) or await archive.read(query)


_ANSWERS: dict[type[Query[Any]], Callable[[Asker, Archive, Any], Awaitable[Any]]] = {
    FindJob: find_job,
    FindJobs: find_jobs,
    JobHistory: job_history,
    JobEvents: job_events,
    RoomEvents: room_events,
    JobLogs: job_logs,
    FindChat: find_chat,
    NewChat: new_chat,
    FindArtifacts: find_artifacts,
    FindArtifact: find_artifact,
    FindPreview: find_preview,
}
