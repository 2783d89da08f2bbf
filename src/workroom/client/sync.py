"""The same room for plain, blocking code: each method waits for its asyncio twin."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from workroom.client import room as rooms
from workroom.client.events import StreamEvent
from workroom.client.handle import AsyncJobHandle, Document
from workroom.client.portal import Portal
from workroom.runtime.content import Source
from workroom.runtime.extension import Extension, from_function
from workroom.runtime.files import File, FileRef


class JobHandle:
    """A submitted job."""

    def __init__(self, portal: Portal, handle: AsyncJobHandle) -> None:
        self._portal = portal
        self._handle = handle

    @property
    def id(self) -> str:
        return self._handle.id

    @property
    def status(self) -> str:
        """As the server sees it now."""
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
        return self._portal.call(self._handle.refresh())

    def cancel(self) -> None:
        self._portal.call(self._handle.cancel())

    def history(self) -> list[Document]:
        return self._portal.call(self._handle.history())

    def logs(self, after: int = 0) -> list[Document]:
        """What the job has printed and logged, behind line `after`."""
        return self._portal.call(self._handle.logs(after))

    def follow(self) -> Iterator[tuple[Document, list[Document]]]:
        """The job and what it has printed since, each time either changes, until it has ended."""
        return self._portal.iterate(self._handle.follow())

    def result(self, timeout: float | None = None) -> Any:
        """What `run()` returned. Raises JobFailed, JobCancelled, or ResultTimeout when it takes longer."""
        return self._portal.call(self._handle.result(timeout))

    def artifacts(self) -> list[Document]:
        """The files that the job has saved, by name."""
        return self._portal.call(self._handle.artifacts())

    def download(self, name: str, path: str | os.PathLike[str] = ".") -> Path:
        """Bring a file of the job here: as this file, or into this folder under its own name."""
        return self._portal.call(self._handle.download(name, path))

    def watch(self) -> Iterator[Document]:
        """The job each time it changes, until it has ended. A lost connection or server is waited for."""
        return self._portal.iterate(self._handle.watch())

    def events(self) -> Iterator[StreamEvent]:
        """All that happens to the job from its beginning, each once; the last event is `end`."""
        return self._portal.iterate(self._handle.events())


class Room:
    """A shared workspace: `room = Room("demo", url="http://localhost:8000")`."""

    def __init__(
        self,
        name: str,
        url: str | None = None,
        *,
        user: str | None = None,
        password: str | None = None,
        token: str | None = None,
    ) -> None:
        self._portal = Portal.open()
        self._is_own = True

        async def connect() -> rooms.AsyncRoom:
            return rooms.AsyncRoom(name, url, user=user, password=password, token=token)

        self._room = self._portal.call(connect())

    @classmethod
    def over(cls, portal: Portal, room: rooms.AsyncRoom) -> Room:
        """A room that uses a connection which somebody else keeps open."""
        self = cls.__new__(cls)
        self._portal, self._room, self._is_own = portal, room, False
        return self

    @property
    def name(self) -> str:
        return self._room.name

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def submit(self, extension: Extension, *, priority: int | None = None) -> JobHandle:
        """Submit an extension with its values: `room.submit(Smooth(window=9))`."""
        return self._handle(self._portal.call(self._room.submit(extension, priority=priority)))

    def submit_named(
        self, category: str, name: str, data: dict[str, Any], *, priority: int | None = None
    ) -> JobHandle:
        """Submit by name, without having the class."""
        work = self._room.submit_named(category, name, data, priority=priority)
        return self._handle(self._portal.call(work))

    def submit_many(self, extensions: Sequence[Extension], *, priority: int | None = None) -> list[JobHandle]:
        """Submit many in one commit."""
        handles = self._portal.call(self._room.submit_many(extensions, priority=priority))
        return [self._handle(handle) for handle in handles]

    def save(self, settings: Extension) -> None:
        """Keep my values of a `settings` extension."""
        self._portal.call(self._room.save(settings))

    def last_values(self, extension: type[Extension]) -> dict[str, Any] | None:
        """What I last submitted with this extension here."""
        return self._portal.call(self._room.last_values(extension))

    def job(self, job_id: str) -> JobHandle:
        return self._handle(self._portal.call(self._room.job(job_id)))

    def jobs(
        self, *, status: str | None = None, extension: str | None = None, limit: int = 50
    ) -> list[Document]:
        """Jobs of this room, newest first."""
        return self._portal.call(self._room.jobs(status=status, extension=extension, limit=limit))

    def watch_jobs(self, *, status: str | None = None, limit: int = 50) -> Iterator[list[Document]]:
        """Jobs of this room, newest first, each time one has changed."""
        return self._portal.iterate(self._room.watch_jobs(status=status, limit=limit))

    def extensions(self) -> list[Document]:
        return self._portal.call(self._room.extensions())

    def workers(self) -> list[Document]:
        return self._portal.call(self._room.workers())

    def say(self, text: str) -> Document:
        """Say something in the chat of this room."""
        return self._portal.call(self._room.say(text))

    def chat(self, *, limit: int = 50, before: int | None = None) -> list[Document]:
        """What was said in this room, newest first; `before` is the `seq` of a message."""
        return self._portal.call(self._room.chat(limit=limit, before=before))

    def upload(self, source: Source, *, name: str | None = None) -> FileRef:
        """Bring a file to the room, so that fields of type `File` can refer to it."""
        return self._portal.call(self._room.upload(source, name=name))

    def files(self, *, limit: int = 50) -> list[Document]:
        """The files of this room, newest first."""
        return self._portal.call(self._room.files(limit=limit))

    def download(self, file: File | str, path: str | os.PathLike[str] = ".") -> Path:
        """Bring a file of the room here: as this file, or into this folder under its own name."""
        return self._portal.call(self._room.download(file, path))

    def register(
        self,
        *extensions: type[Extension],
        public: bool = False,
        slots: int | None = None,
        worker_name: str | None = None,
    ) -> None:
        """Make this process a worker for these extensions, in this room or, public, in all."""
        work = self._room.register(*extensions, public=public, slots=slots, worker_name=worker_name)
        self._portal.call(work)

    def extension(self, function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
        """Decorate a plain function: it becomes an extension that this process serves at once."""
        public, slots = options.pop("public", False), options.pop("slots", None)

        def decorate(decorated: Callable[..., Any]) -> type[Extension]:
            made = from_function(decorated, **options)
            self.register(made, public=public, slots=slots)
            return made

        return decorate if function is None else decorate(function)

    def wait(self) -> None:
        """Serve jobs until Ctrl-C."""
        try:
            self._portal.call(self._room.wait())
        except KeyboardInterrupt:
            self.close()

    def serve_until(self, stop: threading.Event) -> None:
        """Serve jobs until the event is set, or a newer process takes over."""
        serving = self._portal.submit(self._room.wait())
        while not stop.is_set() and not serving.done():
            stop.wait(0.2)
        if serving.done():
            serving.result()
        serving.cancel()

    def close(self) -> None:
        """Finish what runs, say goodbye, disconnect."""
        if self._is_own:
            self._is_own = False
            self._portal.call(self._room.aclose())
            self._portal.close()

    def _handle(self, handle: AsyncJobHandle) -> JobHandle:
        return JobHandle(self._portal, handle)
