"""Searches the jobs of a room, newest first, a bounded number for each request.

The store lists jobs and the domain matches them, so that every store finds the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import orjson

from workroom.domain.identity import Principal
from workroom.domain.job import Job, JobState
from workroom.domain.permissions import Permission
from workroom.domain.queries import FindJobs, FindJobsById, Page
from workroom.domain.search.parser import parse_search
from workroom.domain.search.terms import (
    Candidate,
    InState,
    OfExtension,
    OfUser,
    Search,
    Term,
)
from workroom.ports import Clock, ReadableStore
from workroom.services.identity.access import Access
from workroom.services.limits.fair_queue import FairQueue

MAX_EXAMINED = 1000
MAX_BYTES = 16_000_000
_CHUNK = 100
_DAY_US = 86_400_000_000
_QUEUED = frozenset({JobState.PENDING, JobState.ASSIGNED})


@dataclass(frozen=True, slots=True)
class Found(Page[Job]):
    """A page of a search. Without a cursor, no older job can match."""

    examined: int


class JobSearch:
    def __init__(
        self, store: ReadableStore, access: Access, clock: Clock, estimate: Callable[[Job], Job]
    ) -> None:
        """Create a search. `estimate` adds when a pending job will start."""
        self._store = store
        self._access = access
        self._clock = clock
        self._estimate = estimate
        self._turns = FairQueue("searches", running=2, max_waiting=200, max_per_key=8)

    async def in_room(self, who: Principal, query: FindJobs, text: str) -> Found:
        """Search the room of a query. Its other filters count as terms."""
        search = await self.prepare(who, query, text)
        found = await self.find(who, query.room or "", search, query.before, query.limit)
        return replace(found, items=[self._estimate(job) for job in found.items])

    async def prepare(self, who: Principal, query: FindJobs, text: str) -> Search:
        await self._access.room(who, query.room or "", Permission.SEE_ROOM)
        typed = parse_search(text, me=who.user, now_us=self._clock.now_us())
        return Search((*_terms(query), *typed.terms))

    async def find(self, who: Principal, room: str, search: Search, before: int | None, limit: int) -> Found:
        found: list[Job] = []
        examined = size = 0
        async with self._turns.turn(who.user):
            async for job, is_match, is_last in self._examine(room, search, before):
                examined += 1
                size += len(job.data) + len(job.result or b"")
                if is_match:
                    found.append(job)
                if is_last or _is_too_old(job, search):
                    return Found(found, None, examined)
                if len(found) == limit or examined >= MAX_EXAMINED or size >= MAX_BYTES:
                    return Found(found, job.sequence, examined)
        return Found(found, None, examined)

    async def by_id(self, who: Principal, ids: Sequence[str]) -> list[Job]:
        async with self._turns.turn(who.user):
            return await self._store.read(FindJobsById(tuple(ids)))

    async def _examine(
        self, room: str, search: Search, before: int | None
    ) -> AsyncIterator[tuple[Job, bool, bool]]:
        """Each job, whether it matches, and whether it is the last one."""
        while True:
            query = FindJobs(room=room, annotated=search.needs_annotation, before=before, limit=_CHUNK)
            page = await self._store.read(query)
            matches = await asyncio.to_thread(_match, search, page.items)
            for index, (job, is_match) in enumerate(zip(page.items, matches, strict=True), 1):
                yield job, is_match, page.next_cursor is None and index == len(page.items)
            if page.next_cursor is None:
                return
            before = page.next_cursor


def _match(search: Search, jobs: Iterable[Job]) -> list[bool]:
    return [search.matches(_candidate(job)) for job in jobs]


def _candidate(job: Job) -> Candidate:
    return Candidate(job, orjson.loads(job.data), "" if job.error is None else _error_text(job.error))


def _error_text(error: bytes) -> str:
    """Details and stack traces are not for everyone, so they cannot be searched."""
    document = orjson.loads(error)
    return f"{document['type']}: {document['message']}"


def _terms(query: FindJobs) -> list[Term]:
    terms: list[Term] = []
    if query.status is not None:
        terms.append(InState(frozenset({query.status})))
    if query.queued:
        terms.append(InState(_QUEUED))
    if query.user is not None:
        terms.append(OfUser(query.user))
    if query.category is not None and query.name is not None:
        terms.append(OfExtension(query.category, query.name))
    return terms


def _is_too_old(job: Job, search: Search) -> bool:
    """Jobs are listed in the order of submits; the clock may have been set by a few hours in between."""
    return search.since_us is not None and job.created_at_us < search.since_us - _DAY_US
