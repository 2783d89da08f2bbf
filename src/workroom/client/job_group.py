"""Handles on groups of jobs, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from functools import partial
from typing import Any

from workroom.client import requests
from workroom.client.job_handle import AsyncJobHandle, Document
from workroom.client.transport.retries import retry
from workroom.client.worker.reports.job_connection import Sender
from workroom.errors import ResultTimeout
from workroom.runtime.context import waiting

_WAIT_SECONDS = 20.0  # how long one request for the next end stays open
_PAGE = 200


def describe(group: Document) -> str:
    """`Relax over fmax: 3 jobs, 2 completed, 1 failed`"""
    counts = [f"{count} {state}" for state, count in group["counts"].items() if count]
    return ": ".join(filter(None, [group["title"], ", ".join([f"{group['total']} jobs", *counts])]))


class AsyncJobGroup:
    """Jobs that were submitted as one thing. `document` is the last known state of the group.

    What `submit_many` and `sweep` return is also a sequence of the handles of their jobs.
    """

    def __init__(
        self,
        connection: Sender,
        handle: Callable[[Document], AsyncJobHandle],
        document: Document,
        handles: Sequence[AsyncJobHandle] | None = None,
    ) -> None:
        self._connection = connection
        self._handle = handle
        self._handles = handles
        self.document = document

    @property
    def id(self) -> str:
        return str(self.document["id"])

    @property
    def title(self) -> str:
        return str(self.document["title"])

    @property
    def counts(self) -> dict[str, int]:
        """The number of jobs in each state."""
        return dict(self.document["counts"])

    @property
    def progress(self) -> float:
        """The part of its jobs that have ended."""
        return float(self.document["progress"])

    @property
    def is_finished(self) -> bool:
        return self.document["ended_at"] is not None

    @property
    def handles(self) -> Sequence[AsyncJobHandle]:
        """The jobs that were submitted with this handle; of any other group, `await group.jobs()`."""
        if self._handles is None:
            raise TypeError("this handle did not submit the jobs of the group: read them with group.jobs()")
        return self._handles

    def __repr__(self) -> str:
        return f"<AsyncJobGroup {self.id} {describe(self.document)}>"

    def __len__(self) -> int:
        return int(self.document["total"]) if self._handles is None else len(self._handles)

    def __iter__(self) -> Iterator[AsyncJobHandle]:
        return iter(self.handles)

    def __getitem__(self, index: int) -> AsyncJobHandle:
        return self.handles[index]

    async def refresh(self) -> Document:
        self.document = await self._connection.send(requests.group(self.id))
        return self.document

    async def cancel(self) -> None:
        """Cancel all jobs. Returns at once; the server carries it out in the background."""
        await self._change("cancel")

    async def pause(self) -> None:
        """Start no further jobs; what runs goes on."""
        await self._change("pause")

    async def resume(self) -> None:
        await self._change("resume")

    async def _change(self, change: str) -> None:
        self.document = await self._connection.send(requests.change_group(self.id, change))

    async def retry_failed(self) -> int:
        """Submit the failed jobs again, as new jobs of the group. Returns how many."""
        retried, more = 0, True
        while more:
            reply = await self._connection.send(requests.change_group(self.id, "retry"))
            self.document = reply["group"]
            retried, more = retried + reply["retried"], reply["more"]
        return retried

    async def jobs(self, *, status: str | None = None) -> list[AsyncJobHandle]:
        """Its jobs, in the order in which they were submitted."""
        found: list[Document] = []
        cursor: int | None = None
        while True:
            request = requests.group_jobs(self.id, status, cursor, _PAGE)
            page = await retry(partial(self._connection.send, request))
            found += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return [self._handle(document) for document in reversed(found)]

    async def as_completed(self) -> AsyncGenerator[AsyncJobHandle, None]:
        """Yield each job once, as soon as it has ended, until all have. Survives lost connections.

        A job that waits for a group gives up its slot meanwhile, so that the group can run.
        """
        page = await self._ended(0, 0.0)
        while True:
            for document in page["items"]:
                yield self._handle(document)
            if page["is_over"]:
                break
            async with waiting("children", self.id):
                page = await self._ended(page["next_after"], _WAIT_SECONDS)
        await retry(self.refresh)

    async def _ended(self, after: int, seconds: float) -> Document:
        request = requests.ended_jobs(self.id, after, _PAGE, seconds)
        page: Document = await retry(partial(self._connection.send, request))
        return page

    async def wait(self, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Wait until all jobs have ended. Raises ResultTimeout if it is late."""
        try:
            async with asyncio.timeout(timeout):
                async for _ in self.as_completed():
                    pass
        except TimeoutError:
            raise ResultTimeout(f"group {self.id} has not ended after {timeout} s") from None

    async def results(self) -> list[dict[str, Any]]:
        """A row for each job that has ended: its parameters, `status`, `result` and `job`, the id.

        The parameters are the fields in which the jobs differ, or all fields if the group names none. Large
        results are read from their artifacts.
        """
        return [await self._row(job) for job in await self.jobs() if job.is_finished]

    async def _row(self, job: AsyncJobHandle) -> dict[str, Any]:
        names: Sequence[str] = self.document["parameters"]
        data = job.document["data"]
        values = {name: data.get(name) for name in names} if names else dict(data)
        result = await job.result() if job.status == "completed" else None
        return {**values, "status": job.status, "result": result, "job": job.id}
