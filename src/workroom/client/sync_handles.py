"""Handles on jobs and groups for synchronous code: each method waits for its asyncio counterpart."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from workroom.client.job_group import AsyncJobGroup, describe
from workroom.client.job_handle import AsyncJobHandle, Document
from workroom.client.loop_thread import LoopThread
from workroom.client.notebook import progress_line
from workroom.client.transport.sse import StreamEvent


class JobHandle:
    """A submitted job."""

    def __init__(self, loop_thread: LoopThread, handle: AsyncJobHandle) -> None:
        self._loop_thread = loop_thread
        self._handle = handle
        self._line: progress_line.ProgressLine | None = None

    @property
    def id(self) -> str:
        return self._handle.id

    @property
    def status(self) -> str:
        """The current status, read from the server unless the job has ended."""
        if not self._handle.is_finished:
            self.refresh()
        return self._handle.status

    @property
    def document(self) -> Document:
        return self._handle.document

    @property
    def is_finished(self) -> bool:
        return self._handle.is_finished

    def refresh(self) -> Document:
        return self._loop_thread.call(self._handle.refresh())

    def cancel(self) -> None:
        self._loop_thread.call(self._handle.cancel())

    def questions(self) -> list[Document]:
        """What the job asked the people in its room, in its order, with the answers."""
        return self._loop_thread.call(self._handle.questions())

    def answer(self, question_id: int, answer: dict[str, Any]) -> Document:
        """Answer a question of the job. Raises QuestionClosed if somebody else did before."""
        return self._loop_thread.call(self._handle.answer(question_id, answer))

    def annotate(
        self,
        *,
        name: str | None = None,
        starred: bool | None = None,
        tags: Sequence[str] | None = None,
        note: str | None = None,
    ) -> None:
        """Name, star, tag or note the job, for everybody in its room. What is left out stays as it is."""
        self._loop_thread.call(self._handle.annotate(name=name, starred=starred, tags=tags, note=note))

    def history(self) -> list[Document]:
        return self._loop_thread.call(self._handle.history())

    def logs(self, after: int = 0) -> list[Document]:
        """The job's output after line number `after`."""
        return self._loop_thread.call(self._handle.logs(after))

    def follow(self) -> Iterator[tuple[Document, list[Document]]]:
        """Yield the job and its new output each time either changes, until the job ends."""
        return self._loop_thread.iterate(self._handle.follow())

    def result(self, timeout: float | None = None) -> Any:
        """The return value of `run()`. Raises JobFailed, JobCancelled, or ResultTimeout if it is late."""
        try:
            return self._loop_thread.call(self._handle.result(timeout))
        finally:
            if self._line is not None:
                self._line.update()

    def stream(self) -> Iterator[Any]:
        """Yield each item that `run()` yields, as it comes, and raise what `result()` would raise."""
        return self._loop_thread.iterate(self._handle.stream())

    def artifacts(self) -> list[Document]:
        """The files that the job saved, by name."""
        return self._loop_thread.call(self._handle.artifacts())

    def download(self, name: str, path: str | os.PathLike[str] = ".") -> Path:
        """Download an artifact to a file, or under its own name into a folder."""
        return self._loop_thread.call(self._handle.download(name, path))

    def watch(self) -> Iterator[Document]:
        """Yield the job each time it changes, until it ends. Survives lost connections and restarts."""
        return self._loop_thread.iterate(self._handle.watch())

    def events(self) -> Iterator[StreamEvent]:
        """Yield every event of the job from its start, each once. The last event is `end`."""
        return self._loop_thread.iterate(self._handle.events())

    def __repr__(self) -> str:
        return f"<JobHandle {self.id} {progress_line.describe(self.document)}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return progress_line.mimebundle(self.document)

    def _ipython_display_(self) -> None:
        """In a notebook: a line that follows the job."""
        self._line = progress_line.ProgressLine(self)
        self._line.show()


class JobGroup:
    """Jobs that were submitted as one thing, and a sequence of their handles."""

    def __init__(self, loop_thread: LoopThread, group: AsyncJobGroup) -> None:
        self._loop_thread = loop_thread
        self._group = group

    def __repr__(self) -> str:
        return f"<JobGroup {self.id} {describe(self.document)}>"

    @property
    def id(self) -> str:
        return self._group.id

    @property
    def title(self) -> str:
        return self._group.title

    @property
    def document(self) -> Document:
        """The last known state of the group."""
        return self._group.document

    @property
    def counts(self) -> dict[str, int]:
        """The current number of jobs in each state, read from the server unless all have ended."""
        self._refresh_unless_finished()
        return self._group.counts

    @property
    def progress(self) -> float:
        """The part of its jobs that have ended by now."""
        self._refresh_unless_finished()
        return self._group.progress

    @property
    def is_finished(self) -> bool:
        return self._group.is_finished

    def _refresh_unless_finished(self) -> None:
        if not self._group.is_finished:
            self.refresh()

    def __len__(self) -> int:
        return len(self._group)

    def __iter__(self) -> Iterator[JobHandle]:
        return (self._handle(each) for each in self._group)

    def __getitem__(self, index: int) -> JobHandle:
        return self._handle(self._group[index])

    def refresh(self) -> Document:
        return self._loop_thread.call(self._group.refresh())

    def cancel(self) -> None:
        """Cancel all jobs. Returns at once; the server carries it out in the background."""
        self._loop_thread.call(self._group.cancel())

    def pause(self) -> None:
        """Start no further jobs; what runs goes on."""
        self._loop_thread.call(self._group.pause())

    def resume(self) -> None:
        self._loop_thread.call(self._group.resume())

    def retry_failed(self) -> int:
        """Submit the failed jobs again, as new jobs of the group. Returns how many."""
        return self._loop_thread.call(self._group.retry_failed())

    def jobs(self, *, status: str | None = None) -> list[JobHandle]:
        """Its jobs, in the order in which they were submitted."""
        return [self._handle(each) for each in self._loop_thread.call(self._group.jobs(status=status))]

    def as_completed(self) -> Iterator[JobHandle]:
        """Yield each job once, as soon as it has ended, until all have. Survives lost connections."""
        return (self._handle(each) for each in self._loop_thread.iterate(self._group.as_completed()))

    def wait(self, timeout: float | None = None) -> None:
        """Wait until all jobs have ended. Raises ResultTimeout if it is late."""
        self._loop_thread.call(self._group.wait(timeout))

    def results(self) -> list[dict[str, Any]]:
        """A row for each job that has ended: its parameters, `status`, `result` and `job`, the id."""
        return self._loop_thread.call(self._group.results())

    def _handle(self, handle: AsyncJobHandle) -> JobHandle:
        return JobHandle(self._loop_thread, handle)
