"""Reads jobs a few at a time: each may have megabytes of values and of results."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.job import Job
from workroom.domain.queries import FindJobs, Page
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


def size_of(job: Job) -> int:
    """The bytes of a job that may be large."""
    return sum(len(each) for each in (job.data, job.result, job.error, job.progress) if each is not None)
