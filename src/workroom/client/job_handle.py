"""Handles on submitted jobs, for asyncio."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from workroom.client import requests
from workroom.client.notebook import progress_line
from workroom.client.transport.retries import TRANSIENT, Backoff, retry
from workroom.client.transport.sse import END, StreamEvent
from workroom.client.worker.reports.job_connection import Sender, Watcher
from workroom.client.worker.reports.large_results import ARTIFACT, is_reference
from workroom.domain.job import JobState
from workroom.errors import JobCancelled, JobFailed, ResultTimeout, WorkroomError
from workroom.runtime.context import waiting
from workroom.runtime.results import content_names, decode_result

Document = dict[str, Any]
ITEM = "item"  # the stream of what a job yields, among the lines that it prints
_WAIT_SECONDS = 20.0  # how long one request for the end of a job stays open
_REFRESH_SECONDS = 2.0


class AsyncJobHandle:
    """A submitted job. `document` is its last known state."""

    def __init__(self, connection: Sender, updates: Watcher, document: Document) -> None:
        self._connection = connection
        self._updates = updates
        self.document = document

    @property
    def id(self) -> str:
        return str(self.document["id"])

    @property
    def status(self) -> str:
        return str(self.document["status"])

    @property
    def is_finished(self) -> bool:
        return JobState(self.status).is_terminal

    def _repr_mimebundle_(self, **_: Any) -> Document:
        return progress_line.mimebundle(self.document)

    async def refresh(self) -> Document:
        self.document = await self._connection.send(requests.job(self.id))
        return self.document

    async def cancel(self) -> None:
        self.document = await self._connection.send(requests.cancel(self.id))

    async def annotate(
        self,
        *,
        name: str | None = None,
        starred: bool | None = None,
        tags: Sequence[str] | None = None,
        note: str | None = None,
    ) -> None:
        """Name, star, tag or note the job, for everybody in its room. What is left out stays as it is."""
        given = {"name": name, "starred": starred, "tags": None if tags is None else list(tags), "note": note}
        change = {field: value for field, value in given.items() if value is not None}
        self.document = await self._connection.send(requests.annotate(self.id, change))

    async def questions(self) -> list[Document]:
        """What the job asked the people in its room, in its order, with the answers."""
        reply = await self._connection.send(requests.job_questions(self.id))
        return list(reply["items"])

    async def answer(self, question_id: int, answer: dict[str, Any]) -> Document:
        """Answer a question of the job. Raises QuestionClosed if somebody else did before."""
        document: Document = await self._connection.send(requests.answer(self.id, question_id, answer))
        return document

    async def history(self) -> list[Document]:
        reply = await self._connection.send(requests.job_history(self.id))
        return list(reply["items"])

    async def logs(self, after: int = 0) -> list[Document]:
        """The job's output after line number `after`."""
        return [line for line in await self._lines(after) if line["stream"] != ITEM]

    async def _lines(self, after: int) -> list[Document]:
        """Output and yielded items."""
        lines: list[Document] = []
        cursor: int | None = after
        while cursor is not None:
            page = await self._connection.send(requests.job_logs(self.id, cursor))
            lines += page["items"]
            cursor = page["next_after"]
        return lines

    async def follow(self) -> AsyncGenerator[tuple[Document, list[Document]], None]:
        """Yield the job and its new output each time either changes, until the job ends."""
        last, progress = 0, None
        async with self._updates.subscribe(self.id, logs=True) as subscription:
            while True:
                document = await self._updated(progress)
                lines = await retry(partial(self._lines, last))
                last = lines[-1]["seq"] if lines else last
                yield document, [line for line in lines if line["stream"] != ITEM]
                if self.is_finished:
                    return
                progress = await subscription.wait()

    async def _updated(self, progress: Document | None) -> Document:
        """Events carry progress; for anything else, read the job again."""
        if progress is None:
            return await retry(self.refresh)
        self.document = {**self.document, "progress": progress}
        return self.document

    async def result(self, timeout: float | None = None) -> Any:  # noqa: ASYNC109
        """The return value of `run()`. Raises JobFailed, JobCancelled, or ResultTimeout if it is late."""
        try:
            async with asyncio.timeout(timeout):
                await self._wait_for_end()
        except TimeoutError:
            await self._try_refresh()
            raise ResultTimeout(f"job {self.id} is still {self.status} after {timeout} s") from None
        if self.status == JobState.CANCELLED:
            last = (await retry(self.history))[-1]
            raise JobCancelled(f"job {self.id} did not complete: {last['reason'] or 'it was cancelled'}")
        if self.status == JobState.FAILED:
            error = self.document["error"] or {}
            raise JobFailed(f"{error.get('type')}: {error.get('message')}", **error)
        result = self.document["result"]
        return await self._decoded(await retry(self._download_result) if is_reference(result) else result)

    async def _wait_for_end(self) -> None:
        """A job that waits for another one gives up its slot meanwhile, so that the other one can run."""
        if self.is_finished:
            return
        async with waiting("children", self.id):
            while not self.is_finished:
                self.document = await retry(
                    partial(self._updates.wait_for_end, self.id, seconds=_WAIT_SECONDS)
                )

    async def stream(self) -> AsyncGenerator[Any, None]:
        """Yield each item that `run()` yields, as it comes, and raise what `result()` would raise.

        Survives lost connections and restarts. If the job is retried, the items of the new attempt follow.
        Of a `run()` that returns, its result is the only item.
        """
        last, attempt, count, progress = 0, 0, 0, None
        async with self._updates.subscribe(self.id, logs=True) as subscription:
            while True:
                await self._updated(progress)
                for line in await retry(partial(self._lines, last)):
                    last = line["seq"]
                    if line["stream"] == ITEM:
                        attempt, count = line["attempt"], (count if attempt == line["attempt"] else 0) + 1
                        yield await self._item(line["text"])
                if self.is_finished:
                    break
                async with waiting("children", self.id):
                    progress = await subscription.wait()
        result = await self.result()
        sent = count if attempt == self.document["attempt"] else 0
        for item in result[sent:] if await self._is_stream() else [result]:
            yield item

    async def _item(self, text: str) -> Any:
        """Decode an item, which is an artifact if it is large."""
        item = orjson.loads(text)
        if isinstance(item, dict) and item.get("$type") == ITEM:
            item = orjson.loads(await retry(partial(self._read, item["artifact"])))
        return await self._decoded(item)

    async def _is_stream(self) -> bool:
        result = self.document["result"]
        if is_reference(result):
            result = await retry(self._download_result)
        return isinstance(result, dict) and result.get("$type") == "stream"

    async def _decoded(self, value: Any) -> Any:
        contents = {name: await retry(partial(self._read, name)) for name in content_names(value)}
        return decode_result(value, contents)

    async def _try_refresh(self) -> None:
        with suppress(WorkroomError, TimeoutError):
            async with asyncio.timeout(_REFRESH_SECONDS):
                await self.refresh()

    async def artifacts(self) -> list[Document]:
        """The files that the job saved, by name."""
        reply = await self._connection.send(requests.artifacts(self.id))
        return list(reply["items"])

    async def download(self, name: str, path: str | os.PathLike[str] = ".") -> Path:
        """Download an artifact to a file, or under its own name into a folder."""
        return await self._connection.download(requests.artifact(self.id, name), Path(path))

    async def _download_result(self) -> Any:
        return orjson.loads(await self._read(ARTIFACT))

    async def _read(self, name: str) -> bytes:
        """The content of an artifact."""
        with tempfile.TemporaryDirectory(prefix="workroom-") as folder:
            path = await self.download(name, folder)
            return await asyncio.to_thread(path.read_bytes)

    async def watch(self) -> AsyncGenerator[Document, None]:
        """Yield the job each time it changes, until it ends. Survives lost connections and restarts."""
        async with self._updates.subscribe(self.id) as subscription:
            yield await retry(self.refresh)
            while not self.is_finished:
                async with waiting("children", self.id):
                    progress = await subscription.wait()
                before = (self.document["version"], self.document["progress"])
                await self._updated(progress)
                if (self.document["version"], self.document["progress"]) != before:
                    yield self.document

    async def events(self) -> AsyncGenerator[StreamEvent, None]:
        """Yield every event of the job from its start, each once: `state`, `progress`, `log`, `preview`, …

        Resumes after a lost connection. The last event is `end`.
        """
        last_id, backoff = "", Backoff()
        while True:
            try:
                async for event in self._connection.stream(requests.job_stream(self.id, last_id)):
                    last_id, backoff = event.id, Backoff()
                    yield event
                    if event.name == END:
                        return
            except TRANSIENT as error:
                await backoff.wait(error)
            else:
                await backoff.wait(None)
