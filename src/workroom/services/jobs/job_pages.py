"""Reads jobs a few at a time: each may have megabytes of values and of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workroom.domain.job import Job
from workroom.domain.queries import FindJobs, FindJobsById, Page
from workroom.ports import ReadableStore

MAX_PAGE_BYTES = 16_000_000  # of values, results and errors in one response
CHUNK = 20  # jobs that are read at once


async def read_page(store: ReadableStore, query: FindJobs) -> Page[Job]:
    """A page ends early when its jobs are large; its cursor leads on."""
    found: list[Job] = []
    before, size = query.before, 0
    while True:
        part = await store.read(replace(query, before=before, limit=min(CHUNK, query.limit - len(found))))
        for job in part.items:
            found.append(job)
            size += size_of(job)
            if size >= MAX_PAGE_BYTES:
                is_last = job is part.items[-1] and part.next_cursor is None
                return Page(found, None if is_last else job.sequence)
        before = part.next_cursor
        if before is None or len(found) >= query.limit:
            return Page(found, before)


async def read_first(store: ReadableStore, ids: Sequence[str]) -> tuple[list[Job], int]:
    """The jobs of the first of these ids, until they are large, and of how many ids that is."""
    jobs: list[Job] = []
    for count in range(0, len(ids), CHUNK):
        if sum(map(size_of, jobs)) >= MAX_PAGE_BYTES:
            return jobs, count
        part = await store.read(FindJobsById(tuple(ids[count : count + CHUNK])))
        jobs += part
    return jobs, len(ids)


def size_of(job: Job) -> int:
    """The bytes of a job that may be large."""
    return sum(len(each) for each in (job.data, job.result, job.error, job.progress) if each is not None)
