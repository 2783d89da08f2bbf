"""Searches the history of a room by what a person types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workroom.domain.identity import Principal
from workroom.domain.job import Job, JobState
from workroom.domain.permissions import Permission
from workroom.domain.queries import FindJobs
from workroom.domain.search.parser import parse_search
from workroom.domain.search.terms import InState, OfExtension, OfUser, Search, Term
from workroom.ports import Clock
from workroom.services.history.job_finder import Found, JobFinder
from workroom.services.identity.access import Access

_QUEUED = frozenset({JobState.PENDING, JobState.ASSIGNED})


class JobSearch:
    def __init__(
        self, finder: JobFinder, access: Access, clock: Clock, estimate: Callable[[Job], Job]
    ) -> None:
        """Create a search. `estimate` adds when a pending job will start."""
        self._finder = finder
        self._access = access
        self._clock = clock
        self._estimate = estimate

    async def in_room(self, who: Principal, query: FindJobs, text: str) -> Found:
        """Search the room of a query. Its other filters count as terms."""
        search = await self.prepare(who, query, text)
        found = await self._finder.find(who.user, query.room or "", search, query.before, query.limit)
        return replace(found, items=[self._estimate(job) for job in found.items])

    async def prepare(self, who: Principal, query: FindJobs, text: str) -> Search:
        await self._access.room(who, query.room or "", Permission.SEE_ROOM)
        typed = parse_search(text, me=who.user, now_us=self._clock.now_us())
        return Search((*_terms(query), *typed.terms))


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
