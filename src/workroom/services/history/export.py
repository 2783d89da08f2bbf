"""Exports jobs as CSV: finds the jobs and their columns first, then reads the jobs again, some at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import partial

from workroom.domain.identity import Principal
from workroom.domain.jobs.group import Group
from workroom.domain.permissions import Permission
from workroom.domain.queries import FindJobs
from workroom.domain.search.terms import Search
from workroom.ports import ReadableStore
from workroom.services.history import csv_rows
from workroom.services.history.csv_rows import Columns
from workroom.services.history.job_finder import JobFinder
from workroom.services.history.job_search import JobSearch
from workroom.services.identity.access import Access

MAX_ROWS = 10_000
MAX_EXAMINED = 50_000
_PAGE = 100
_BRIEF_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Selection:
    """The jobs to export. `next_cursor` is where the next export continues, if there are more."""

    ids: Sequence[str]
    columns: Columns
    next_cursor: int | None = None


class JobExport:
    def __init__(self, store: ReadableStore, access: Access, search: JobSearch, finder: JobFinder) -> None:
        self._store = store
        self._access = access
        self._search = search
        self._finder = finder

    async def select(self, who: Principal, room: str, ids: Sequence[str]) -> Selection:
        """These jobs of a room, without those that do not exist or that the caller may not see."""
        found = await self._access.jobs(who, room, list(dict.fromkeys(ids)), Permission.SEE_JOB)
        seen = [job.id for job in found if not isinstance(job, Exception)]
        columns = Columns()
        async for _ in self._finder.convert(who.user, seen, columns.add):
            pass
        return Selection(seen, columns)

    async def search(self, who: Principal, query: FindJobs, text: str) -> Selection:
        """The newest jobs that match, up to a limit."""
        search = await self._search.prepare(who, query, text)
        return await self._search_all(who, query, search)

    async def _search_all(self, who: Principal, query: FindJobs, search: Search) -> Selection:
        ids: list[str] = []
        columns, before, examined = Columns(), query.before, 0
        while True:
            limit = min(_PAGE, MAX_ROWS - len(ids))
            found = await self._finder.find(who.user, query.room or "", search, before, limit)
            await asyncio.to_thread(columns.add, found.items)
            ids += [job.id for job in found.items]
            examined += found.examined
            before = found.next_cursor
            if before is None or len(ids) >= MAX_ROWS or examined >= MAX_EXAMINED:
                return Selection(ids, columns, before)

    async def of_group(self, who: Principal, group: Group, before: int | None) -> Selection:
        """The newest jobs of a group, which the caller may see."""
        ids: list[str] = []
        while True:
            limit = min(_BRIEF_PAGE, MAX_ROWS - len(ids))
            query = FindJobs(group=group.id, before=before, limit=limit, brief=True)
            page = await self._store.read(query)
            ids += [job.id for job in page.items]
            before = page.next_cursor
            if before is None or len(ids) >= MAX_ROWS:
                break
        columns = Columns()
        async for _ in self._finder.convert(who.user, ids, columns.add):
            pass
        return Selection(ids, columns, before)

    async def rows(self, who: Principal, selection: Selection) -> AsyncIterator[bytes]:
        """The lines of the file. A job that was deleted meanwhile is left out."""
        yield csv_rows.header(selection.columns)
        to_rows = partial(csv_rows.rows, columns=selection.columns)
        async for rows in self._finder.convert(who.user, selection.ids, to_rows):
            yield rows
