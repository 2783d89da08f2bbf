"""What submitting gives back: a handle on the job."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncGenerator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from workroom.client import requests
from workroom.client.acting import Sender, Watcher
from workroom.client.events import END, StreamEvent
from workroom.client.large_results import NAME, is_elsewhere
from workroom.client.patience import PASSING, Patience, patiently
from workroom.domain.job import JobState
from workroom.errors import JobCancelled, JobFailed, ResultTimeout, WorkroomError

Document = dict[str, Any]
_WAIT_SECONDS = 20.0  # so long one question stays open; then it is asked again
_LOOK_SECONDS = 2.0


class AsyncJobHandle:
    """A submitted job. `document` is what was last known of it."""

    def __init__(self, connection: Sender, news: Watcher, document: Document) -> None:
        self._connection = connection
        self._news = news
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

    async def refresh(self) -> Document:
        self.document = await self._connection.send(requests.job(self.id))
        return self.document

    async def cancel(self) -> None:
        self.document = await self._connection.send(requests.cancel(self.id))

    async def history(self) -> list[Document]:
        answer = await self._connection.send(requests.job_history(self.id))
        return list(answer["items"])

    async def logs(self, after: int = 0) -> list[Document]:
        """What the job has printed and logged, behind line `after`."""
        lines: list[Document] = []
        following: int | None = after
        while following is not None:
            page = await self._connection.send(requests.job_logs(self.id, following))
            lines += page["items"]
            following = page["next_after"]
        return lines

    async def follow(self) -> AsyncGenerator[tuple[Document, list[Document]], None]:
        """The job and what it has printed since, each time either changes, until it has ended."""
        last, progress = 0, None
        async with self._news.about(self.id, logs=True) as changes:
            while True:
                document = await self._caught_up(progress)
                lines = await patiently(partial(self.logs, last))
                last = lines[-1]["seq"] if lines else last
                yield document, lines
                if self.is_finished:
                    return
                progress = await changes.wait()

    async def _caught_up(self, progress: Document | None) -> Document:
        """Progress comes with its news; what else there is to know is asked for."""
        if progress is None:
            return await patiently(self.refresh)
        self.document = {**self.document, "progress": progress}
        return self.document

    async def result(self, timeout: float | None = None) -> Any:  # noqa: ASYNC109
        """What `run()` returned. Raises JobFailed, JobCancelled, or ResultTimeout when it takes longer."""
        try:
            async with asyncio.timeout(timeout):
                while not self.is_finished:
                    self.document = await patiently(partial(self._news.ended, self.id, seconds=_WAIT_SECONDS))
        except TimeoutError:
            await self._look_again()
            raise ResultTimeout(f"job {self.id} is {self.status} after {timeout} s") from None
        if self.status == JobState.CANCELLED:
            raise JobCancelled(f"job {self.id} was cancelled")
        if self.status == JobState.FAILED:
            error = self.document["error"] or {}
            raise JobFailed(f"{error.get('type')}: {error.get('message')}", **error)
        result = self.document["result"]
        return await patiently(self._fetched_result) if is_elsewhere(result) else result

    async def _look_again(self) -> None:
        """How it stands now, if the server will say."""
        with suppress(WorkroomError, TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                await self.refresh()

    async def artifacts(self) -> list[Document]:
        """The files that the job has saved, by name."""
        answer = await self._connection.send(requests.artifacts(self.id))
        return list(answer["items"])

    async def download(self, name: str, path: str | os.PathLike[str] = ".") -> Path:
        """Bring a file of the job here: as this file, or into this folder under its own name."""
        return await self._connection.download(requests.artifact(self.id, name), Path(path))

    async def _fetched_result(self) -> Any:
        with tempfile.TemporaryDirectory(prefix="workroom-") as folder:
            path = await self.download(NAME, folder)
            return orjson.loads(await asyncio.to_thread(path.read_bytes))

    async def watch(self) -> AsyncGenerator[Document, None]:
        """The job each time it changes, until it has ended. A lost connection or server is waited for."""
        async with self._news.about(self.id) as changes:
            yield await patiently(self.refresh)
            while not self.is_finished:
                progress = await changes.wait()
                before = (self.document["version"], self.document["progress"])
                await self._caught_up(progress)
                if (self.document["version"], self.document["progress"]) != before:
                    yield self.document

    async def events(self) -> AsyncGenerator[StreamEvent, None]:
        """All that happens to the job from its beginning, each once: `state`, `progress`, `log`, `preview`, …

        Comes back by itself after a lost connection, to where it was. The last event is `end`.
        """
        last_id, patience = "", Patience()
        while True:
            try:
                async for event in self._connection.stream(requests.job_stream(self.id, last_id)):
                    last_id, patience = event.id, Patience()
                    yield event
                    if event.name == END:
                        return
            except PASSING as error:
                await patience.wait(error)
            else:
                await patience.wait(None)
