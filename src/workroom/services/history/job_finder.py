"""Finds the jobs of a room that match a search, newest first, examining a bounded number for each request.

The store lists jobs and the domain matches them, so that every store finds the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import orjson

from workroom.domain.job import Job
from workroom.domain.queries import FindJobs, FindJobsById, Page
from workroom.domain.search.terms import Candidate, Search
from workroom.ports import ReadableStore
from workroom.services.limits.fair_queue import FairQueue

T = TypeVar("T")
MAX_EXAMINED = 1000
MAX_BYTES = 16_000_000
CHUNK = 20  # jobs that are read at once: each may have megabytes of values and of results
_DAY_US = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Found(Page[Job]):
    """A page of a search. Without a cursor, no older job can match."""

    examined: int


class JobFinder:
    def __init__(self, store: ReadableStore) -> None:
        self._store = store
        self._turns = FairQueue("searches", running=2, max_waiting=200, max_per_key=8)

    async def find(self, user: str, room: str, search: Search, before: int | None, limit: int) -> Found:
        """Users take turns, so that nobody's searches delay those of others."""
        found: list[Job] = []
        examined = size = 0
        async with self._turns.turn(user):
            async for job, is_match, is_last in self._examine(room, search, before):
                examined += 1
                size += len(job.data) + len(job.result or b"")
                if is_match:
                    found.append(job)
                if is_last or _is_too_old(job, search):
                    break
                if len(found) == limit or examined >= MAX_EXAMINED or size >= MAX_BYTES:
                    return Found(found, job.sequence, examined)
        return Found(found, None, examined)

    async def convert(
        self, user: str, ids: Sequence[str], to: Callable[[Sequence[Job]], T]
    ) -> AsyncIterator[T]:
        """What `to` makes of these jobs, of some at a time, in a thread. Deleted jobs are left out."""
        for first in range(0, len(ids), CHUNK):
            async with self._turns.turn(user):
                jobs = await self._store.read(FindJobsById(tuple(ids[first : first + CHUNK])))
                made = await asyncio.to_thread(to, jobs)
                del jobs  # while the caller is busy, or slow to receive
            yield made

    async def _examine(
        self, room: str, search: Search, before: int | None
    ) -> AsyncIterator[tuple[Job, bool, bool]]:
        """Each job, whether it matches, and whether it is the last one."""
        while True:
            query = FindJobs(room=room, annotated=search.needs_annotation, before=before, limit=CHUNK)
            page = await self._store.read(query)
            matches = await asyncio.to_thread(_match, search, page.items)
            for index, (job, is_match) in enumerate(zip(page.items, matches, strict=True), 1):
                yield job, is_match, page.next_cursor is None and index == len(page.items)
            if page.next_cursor is None:
                return
            before = page.next_cursor


def _match(search: Search, jobs: Sequence[Job]) -> list[bool]:
    return [search.matches(_candidate(job)) for job in jobs]


def _candidate(job: Job) -> Candidate:
    return Candidate(job, orjson.loads(job.data), "" if job.error is None else _error_text(job.error))


def _error_text(error: bytes) -> str:
    """Details and stack traces are not for everyone, so they cannot be searched."""
    document = orjson.loads(error)
    return f"{document['type']}: {document['message']}"


def _is_too_old(job: Job, search: Search) -> bool:
    """Jobs are listed in the order of submits; the clock may have been set by a few hours in between."""
    return search.since_us is not None and job.created_at_us < search.since_us - _DAY_US
