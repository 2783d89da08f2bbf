"""Runs extensions in the test itself: no server, no worker, no waiting.

The code runs as in a worker: its values are validated as JSON, what it returns is encoded and decoded, what
it prints is captured, and an exception fails the job. What needs a server is not there: retries, timeouts,
limits, isolation and questions to people.
"""

from __future__ import annotations

import asyncio
import contextvars
import shutil
import threading
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import orjson

from workroom.domain.files import media_type_of
from workroom.domain.job import JobError, JobState
from workroom.errors import FileNotFound, JobCancelled, JobFailed
from workroom.runtime import capture
from workroom.runtime.content import Content
from workroom.runtime.context import JobContext
from workroom.runtime.executor import execute
from workroom.runtime.extension import Extension
from workroom.runtime.files import FileRef
from workroom.runtime.outcome import Outcome
from workroom.runtime.output import JobOutput
from workroom.runtime.results.decoding import content_names, decode_result
from workroom.runtime.secrets import submitted_values


@dataclass(frozen=True)
class EagerJob:
    """A job that has ended, with what a job handle has, and all that it reported."""

    id: str
    status: str
    progress: list[dict[str, Any]]
    logs: list[str]
    artifacts: dict[str, bytes]
    previews: list[tuple[str, bytes]]
    error: JobError | None = None
    encoded: bytes | None = field(default=None, repr=False)

    def result(self, timeout: float | None = None) -> Any:
        """The return value of `run()`. Raises JobFailed or JobCancelled."""
        if self.status == JobState.CANCELLED:
            raise JobCancelled(f"job {self.id} was cancelled")
        if self.error is not None:
            fields = {"details": self.error.details, "stack_trace": self.error.stack_trace}
            raise JobFailed(f"{self.error.type}: {self.error.message}", type=self.error.type, **fields)
        value = None if self.encoded is None else orjson.loads(self.encoded)
        contents = {name: self.artifacts[name] for name in content_names(value)}
        return decode_result(value, contents)


class EagerRoom:
    """Takes the place of a room: `submit` runs the job and returns when it has ended.

    `run(self, room)` gets the same room; `async def run(self, room)` gets one with coroutines. `frames` is a
    plain list, and `state` a plain dict.
    """

    def __init__(self, name: str = "demo", user: str = "ada") -> None:
        self.name = name
        self.user = user
        self.frames: list[Mapping[str, Any]] = []
        self.state: dict[str, Any] = {}
        self.jobs: list[EagerJob] = []
        self._files: dict[str, Path] = {}
        self.numbers = count(1)  # of its jobs

    def submit(self, extension: Extension, **when: Any) -> EagerJob:
        """Run an extension with its values. Conditions such as `delay` are ignored."""
        job = _run(type(extension), orjson.dumps(submitted_values(extension)), self)
        self.jobs.append(job)
        return job

    def submit_many(self, extensions: Sequence[Extension], **when: Any) -> list[EagerJob]:
        return [self.submit(each) for each in extensions]

    def upload(self, source: str | Path) -> FileRef:
        """A file of this machine as a file of the room, for fields of the type `File`."""
        path = Path(source)
        file_id = f"file-{len(self._files) + 1}"
        self._files[file_id] = path
        media_type = media_type_of(path.name, None)
        return FileRef({"id": file_id, "name": path.name, "size": path.stat().st_size, "type": media_type})

    def file(self, file_id: str) -> Path:
        if file_id not in self._files:
            raise FileNotFound(f"there is no file '{file_id}': room.upload(...) it first")
        return self._files[file_id]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"room.{name} needs a server: use the fixture workroom_server")


class AsyncEagerRoom:
    """The room of `async def run`."""

    def __init__(self, room: EagerRoom) -> None:
        self._room = room
        self.name, self.frames, self.state = room.name, room.frames, room.state

    async def submit(self, extension: Extension, **when: Any) -> AsyncEagerJob:
        return AsyncEagerJob(await asyncio.to_thread(self._room.submit, extension))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"room.{name} needs a server: use the fixture workroom_server")


class AsyncEagerJob:
    def __init__(self, job: EagerJob) -> None:
        self._job = job

    async def result(self, timeout: float | None = None) -> Any:  # noqa: ASYNC109 - as of a job handle
        return self._job.result()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._job, name)


class _Files:
    """Keeps in memory what the job saves and shows."""

    def __init__(self, room: EagerRoom) -> None:
        self._room = room
        self.artifacts: dict[str, bytes] = {}
        self.previews: list[tuple[str, bytes]] = []

    def save(self, name: str, content: Content, media_type: str | None) -> dict[str, Any]:
        body = self.artifacts[name] = content.file.read()
        return {"name": name, "size": len(body), "media_type": media_type_of(name, media_type)}

    def show(self, kind: str, body: bytes) -> None:
        self.previews.append((kind, body))

    def preview(self, frame: int, positions: bytes) -> None:
        """Nobody watches."""

    def fetch(self, file_id: str, folder: Path) -> Path:
        path = self._room.file(file_id)
        return Path(shutil.copy(path, folder / path.name))

    def close(self) -> None:
        """Nothing is left to send."""


def _run(extension: type[Extension], data: bytes, room: EagerRoom) -> EagerJob:
    files, progress, lines = _Files(room), list[dict[str, Any]](), list[dict[str, Any]]()
    job = JobContext(
        f"eager-{next(room.numbers)}",
        room.name,
        room.user,
        1,
        progress.append,
        output=JobOutput(lines.extend),
        open_uploader=lambda: files,
        exchange=_only_waits,
    )
    capture.install()
    try:
        outcome = execute(
            extension, data, job, lambda is_async: AsyncEagerRoom(room) if is_async else room, _wait
        )
    finally:
        capture.uninstall()
    job.flush_progress()
    return _ended(job, outcome, files, progress, [line["text"] for line in lines])


def _ended(
    job: JobContext, outcome: Outcome, files: _Files, progress: list[dict[str, Any]], logs: list[str]
) -> EagerJob:
    return EagerJob(
        job.id, outcome.status, progress, logs, files.artifacts, files.previews, outcome.error, outcome.result
    )


def _only_waits(name: str, arguments: dict[str, Any]) -> Future[Any]:
    """A job may wait for another one, which has ended already."""
    if name not in ("begin_wait", "end_wait"):
        raise RuntimeError(f"job.{name}() needs a server: use the fixture workroom_server")
    done: Future[Any] = Future()
    done.set_result(None)
    return done


def _wait(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine in a thread of its own: the test itself may be one."""
    done: Future[Any] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            done.set_result(context.run(asyncio.run, work))
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run).start()
    return done.result()
