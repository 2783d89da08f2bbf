"""Rooms for synchronous code: each method waits for its asyncio counterpart."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

from workroom.client import room as rooms
from workroom.client.conditions import When
from workroom.client.group_submission import OnProgress
from workroom.client.job_handle import AsyncJobHandle, Document
from workroom.client.loop_thread import LoopThread
from workroom.client.notebook import room_display
from workroom.client.room_data.sync_data import RoomData
from workroom.client.sync_handles import JobGroup, JobHandle
from workroom.runtime.content import Source
from workroom.runtime.extension import Extension, from_function
from workroom.runtime.files import File, FileRef


class Room(RoomData):
    """A shared workspace: `room = Room("demo", url="http://localhost:8000")`."""

    def __init__(
        self,
        name: str,
        url: str | None = None,
        *,
        user: str | None = None,
        password: str | None = None,
        token: str | None = None,
        create: bool = True,
    ) -> None:
        """A missing room is created on first use, unless `create` is false."""
        self._loop_thread = LoopThread.open()
        self._owns_connection = True

        async def connect() -> rooms.AsyncRoom:
            return rooms.AsyncRoom(name, url, user=user, password=password, token=token, create=create)

        self._room: rooms.AsyncRoom = self._loop_thread.call(connect())

    @classmethod
    def over(cls, loop_thread: LoopThread, room: rooms.AsyncRoom) -> Room:
        """A room over a connection that the caller owns."""
        self = cls.__new__(cls)
        self._loop_thread, self._room, self._owns_connection = loop_thread, room, False
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

    def submit(self, extension: Extension, *, priority: int | None = None, **when: Unpack[When]) -> JobHandle:
        """Submit an extension with its values: `room.submit(Smooth(window=9))`.

        It may start later: after `delay` seconds, or at `run_at`.
        """
        return self._handle(self._loop_thread.call(self._room.submit(extension, priority=priority, **when)))

    def submit_named(
        self,
        category: str,
        name: str,
        data: dict[str, Any],
        *,
        priority: int | None = None,
        **when: Unpack[When],
    ) -> JobHandle:
        """Submit by name, without the class."""
        work = self._room.submit_named(category, name, data, priority=priority, **when)
        return self._handle(self._loop_thread.call(work))

    def submit_many(
        self,
        extensions: Sequence[Extension],
        *,
        title: str = "",
        parameters: Sequence[str] = (),
        priority: int | None = None,
        on_progress: OnProgress | None = None,
        **when: Unpack[When],
    ) -> JobGroup:
        """Submit many jobs as a group, in batches. Raises the first refusal; the other jobs are submitted.

        `parameters` are the fields in which the jobs differ. `on_progress` is called with the number of jobs
        that are submitted, and of all.
        """
        work = self._room.submit_many(
            extensions,
            title=title,
            parameters=parameters,
            priority=priority,
            on_progress=on_progress,
            **when,
        )
        return JobGroup(self._loop_thread, self._loop_thread.call(work))

    def sweep(
        self,
        extension: type[Extension],
        *,
        title: str | None = None,
        priority: int | None = None,
        **values: Any,
    ) -> JobGroup:
        """Submit every combination: `room.sweep(Relax, fmax=[0.1, 0.01], steps=100)`.

        Lists, tuples, ranges and arrays vary; other values are the same for all jobs. `delay`, `run_at`,
        `after` and `on` are those of `submit`, unless the extension has fields of these names.
        """
        work = self._room.sweep(extension, title=title, priority=priority, **values)
        return JobGroup(self._loop_thread, self._loop_thread.call(work))

    def group(self, group_id: str) -> JobGroup:
        return JobGroup(self._loop_thread, self._loop_thread.call(self._room.group(group_id)))

    def groups(self, *, limit: int = 50) -> list[Document]:
        """The groups of this room, newest first."""
        return self._loop_thread.call(self._room.groups(limit=limit))

    def save(self, settings: Extension) -> None:
        """Save my values of a `settings` extension."""
        self._loop_thread.call(self._room.save(settings))

    def last_values(self, extension: type[Extension]) -> dict[str, Any] | None:
        """The values that I last submitted for this extension in this room."""
        return self._loop_thread.call(self._room.last_values(extension))

    def presets(self, extension: type[Extension] | str) -> list[Document]:
        """The presets of an extension, or of `category/Name`, that I see: the room's, then mine."""
        return self._loop_thread.call(self._room.presets(extension))

    def preset(self, extension: type[Extension] | str, name: str, *, shared: bool = False) -> dict[str, Any]:
        """The values of my preset of this name or, with `shared`, of the room's: `Smooth(**values)`."""
        return self._loop_thread.call(self._room.preset(extension, name, shared=shared))

    def save_preset(
        self, name: str, extension: Extension, *, shared: bool = False, replace: bool = False
    ) -> Document:
        """Keep the values under a name, for me or, with `shared`, for the room. Secrets are not kept."""
        return self._loop_thread.call(self._room.save_preset(name, extension, shared=shared, replace=replace))

    def delete_preset(self, extension: type[Extension] | str, name: str, *, shared: bool = False) -> None:
        self._loop_thread.call(self._room.delete_preset(extension, name, shared=shared))

    def invite(self, *, days: float | None = None, uses: int = 100, role: str = "member") -> str:
        """A link that makes so many people members of this room. It is valid for a week, or for `days`.

        With `role="viewer"` they may read everything in the room, which must be private, and change nothing.
        """
        return self._loop_thread.call(self._room.invite(days=days, uses=uses, role=role))

    @property
    def view_url(self) -> str:
        """The address of the room's view on the page."""
        return self._room.view_url

    def frame_url(self) -> str | None:
        """An address that shows this room, read-only, in a frame: once, within two minutes.

        None if the server lets no site show it in a frame.
        """
        return self._loop_thread.call(self._room.frame_url())

    def __repr__(self) -> str:
        return f"<Room {self.name!r} at {self.view_url}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """In a notebook: the view, and a picture where it is not shown."""
        return room_display.mimebundle(room_display.look_at(self))

    def _repr_html_(self) -> str:
        return self._repr_mimebundle_()["text/html"]

    def job(self, job_id: str) -> JobHandle:
        return self._handle(self._loop_thread.call(self._room.job(job_id)))

    def jobs(
        self,
        *,
        status: str | None = None,
        extension: str | None = None,
        search: str | None = None,
        limit: int = 50,
    ) -> list[Document]:
        """Jobs of this room, newest first. `search` is what one types on the page: `"starred window>5"`."""
        return self._loop_thread.call(
            self._room.jobs(status=status, extension=extension, search=search, limit=limit)
        )

    def watch_jobs(self, *, status: str | None = None, limit: int = 50) -> Iterator[list[Document]]:
        """Yield the jobs of this room, newest first, each time one changes."""
        return self._loop_thread.iterate(self._room.watch_jobs(status=status, limit=limit))

    def rooms(self, *, limit: int = 100) -> list[Document]:
        """The rooms that I can enter, by name."""
        return self._loop_thread.call(self._room.rooms(limit=limit))

    def extensions(self) -> list[Document]:
        return self._loop_thread.call(self._room.extensions())

    def workers(self) -> list[Document]:
        return self._loop_thread.call(self._room.workers())

    def accept_worker(self, worker_id: str, *, public: bool = False) -> None:
        """Accept a worker for extensions that others offer already, here or, with `public`, in all rooms."""
        self._loop_thread.call(self._room.accept_worker(worker_id, public=public))

    def refuse_worker(self, worker_id: str, reason: str | None = None, *, public: bool = False) -> None:
        """Refuse a worker that waits to be accepted."""
        self._loop_thread.call(self._room.refuse_worker(worker_id, reason, public=public))

    def dismiss_worker(self, worker_id: str, reason: str | None = None, *, public: bool = False) -> None:
        """Remove a worker from this room or, with `public`, from all."""
        self._loop_thread.call(self._room.dismiss_worker(worker_id, reason, public=public))

    def post(self, text: str) -> Document:
        """Post a message to the chat of this room."""
        return self._loop_thread.call(self._room.post(text))

    def questions(self) -> list[Document]:
        """The open questions of jobs in this room; `JobHandle.answer` answers them."""
        return self._loop_thread.call(self._room.questions())

    def chat(self, *, limit: int = 50, before: int | None = None) -> list[Document]:
        """Chat messages, newest first; `before` is the `seq` of a message."""
        return self._loop_thread.call(self._room.chat(limit=limit, before=before))

    def upload(self, source: Source, *, name: str | None = None) -> FileRef:
        """Upload a file to the room, as a value for fields of type `File`."""
        return self._loop_thread.call(self._room.upload(source, name=name))

    def files(self, *, limit: int = 50) -> list[Document]:
        """The files of this room, newest first."""
        return self._loop_thread.call(self._room.files(limit=limit))

    def download(self, file: File | str, path: str | os.PathLike[str] = ".") -> Path:
        """Download a file of the room to a file, or under its own name into a folder."""
        return self._loop_thread.call(self._room.download(file, path))

    def register(
        self,
        *extensions: type[Extension],
        public: bool = False,
        slots: int | None = None,
        worker_name: str | None = None,
        wait: bool = True,
    ) -> None:
        """Make this process a worker for these extensions, in this room or, with `public`, in all.

        It waits for a server that is not there yet, unless `wait` is false.
        """
        work = self._room.register(
            *extensions, public=public, slots=slots, worker_name=worker_name, wait=wait
        )
        self._loop_thread.call(work)

    def extension(self, function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
        """Decorator: turn a function into an extension and serve it from this process."""
        public, slots = options.pop("public", False), options.pop("slots", None)

        def decorate(decorated: Callable[..., Any]) -> type[Extension]:
            made = from_function(decorated, **options)
            self.register(made, public=public, slots=slots)
            return made

        return decorate if function is None else decorate(function)

    def wait(self) -> None:
        """Serve jobs until Ctrl-C."""
        try:
            self._loop_thread.call(self._room.wait())
        except KeyboardInterrupt:
            self.close()

    def serve_until(self, stop: threading.Event) -> None:
        """Serve jobs until the event is set, or another process takes over this worker."""
        serving = self._loop_thread.submit(self._room.wait())
        while not stop.is_set() and not serving.done():
            stop.wait(0.2)
        if serving.done():
            serving.result()
        serving.cancel()

    def close(self) -> None:
        """Finish running jobs and disconnect."""
        if self._owns_connection:
            self._owns_connection = False
            self._loop_thread.call(self._room.aclose())
            self._loop_thread.close()

    def _handle(self, handle: AsyncJobHandle) -> JobHandle:
        return JobHandle(self._loop_thread, handle)
