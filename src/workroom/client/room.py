"""A room, for asyncio."""

from __future__ import annotations

import asyncio
import copy
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from workroom.client import requests, sync
from workroom.client.acting import ActingConnection, ActingNews, Sender, Watcher
from workroom.client.connection import Connection
from workroom.client.handle import AsyncJobHandle, Document
from workroom.client.http import problem
from workroom.client.news import News
from workroom.client.patience import patiently
from workroom.client.portal import Portal
from workroom.client.worker import Worker
from workroom.domain.extension import SETTINGS
from workroom.domain.room import room_name
from workroom.errors import JobNotFound
from workroom.runtime.actors import as_extension
from workroom.runtime.content import Source, named, opened
from workroom.runtime.extension import Extension, ScriptEnd, from_function, is_isolated
from workroom.runtime.files import File, FileRef

_BREATH = 0.2  # of many changes at once one answer tells all


class Link:
    """What all rooms of one process share: the connection, the news and the worker."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.sender: Sender = connection
        self.news = News(connection)
        self.watcher: Watcher = self.news
        self.worker: Worker | None = None
        self._portal = Portal(asyncio.get_running_loop())

    def serve(self, slots: int | None, name: str | None) -> Worker:
        """The worker of this process; all that it serves shares its slots and its name."""
        if self.worker is None:
            count = 1 if slots is None else slots
            self.worker = Worker(self.connection, self.room_for, slots=count, name=name)
        if slots not in (None, self.worker.slot_count):
            raise ValueError(
                f"this worker has slots={self.worker.slot_count} for all that it serves: "
                f"slots={slots} must be given with the first extension, or to another Room"
            )
        if name not in (None, self.worker.name):
            raise ValueError(f"this worker is named '{self.worker.name}': it cannot be '{name}' too")
        return self.worker

    def room_for(self, name: str, token: str, is_async: bool) -> AsyncRoom | sync.Room:
        """The room that run() is given: the connections that are there, the rights of the job alone."""
        link = copy.copy(self)
        link.sender = ActingConnection(self.connection, token)
        link.watcher = ActingNews(self.news, token)
        room = AsyncRoom(name, link=link)
        return room if is_async else sync.Room.over(self._portal, room)


class AsyncRoom:
    """A shared workspace. Use it as `async with AsyncRoom("demo") as room:`."""

    def __init__(
        self,
        name: str,
        url: str | None = None,
        *,
        user: str | None = None,
        password: str | None = None,
        token: str | None = None,
        link: Link | None = None,
    ) -> None:
        self.name = room_name(name)
        self._is_own = link is None
        self._registering: asyncio.Task[None] | None = None
        self._link = link or Link(Connection(url, user=user, password=password, token=token))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def submit(self, extension: Extension, *, priority: int | None = None) -> AsyncJobHandle:
        """Submit an extension with its values: `await room.submit(Smooth(window=9))`."""
        if extension.category == SETTINGS:
            raise TypeError(f"{extension.label()} is not a job: keep it with room.save(...)")
        data = extension.model_dump(mode="json")
        return await self.submit_named(extension.category, extension.extension_name, data, priority=priority)

    async def submit_named(
        self, category: str, name: str, data: dict[str, Any], *, priority: int | None = None
    ) -> AsyncJobHandle:
        """Submit by name, without having the class."""
        request = requests.submit(self.name, category, name, data, priority)
        return self._handle(await self._send(request))

    async def submit_many(
        self, extensions: Sequence[Extension], *, priority: int | None = None
    ) -> list[AsyncJobHandle]:
        """Submit many in one commit. If one is refused, its problem is raised; the others are submitted."""
        answer = await self._send(requests.submit_batch(self.name, extensions, priority))
        for item in answer["items"]:
            if "error" in item:
                raise problem(item["error"], 422)
        return [self._handle(item["job"]) for item in answer["items"]]

    async def save(self, settings: Extension) -> None:
        """Keep my values of a `settings` extension."""
        data = settings.model_dump(mode="json")
        request = requests.submit(self.name, settings.category, settings.extension_name, data, None)
        await self._send(request)

    async def last_values(self, extension: type[Extension]) -> dict[str, Any] | None:
        """What I last submitted with this extension here."""
        request = requests.last_values(self.name, extension.category, extension.extension_name)
        values: dict[str, Any] | None = (await self._send(request))["data"]
        return values

    async def job(self, job_id: str) -> AsyncJobHandle:
        try:
            return self._handle(await self._send(requests.job(job_id)))
        except JobNotFound as error:
            raise JobNotFound(f"There is no job {job_id}.", **error.fields) from error

    async def jobs(
        self, *, status: str | None = None, extension: str | None = None, limit: int = 50
    ) -> list[Document]:
        """Jobs of this room, newest first."""
        request = requests.room_jobs(self.name, status, extension, limit)
        return list((await self._send(request))["items"])

    async def watch_jobs(
        self, *, status: str | None = None, limit: int = 50
    ) -> AsyncGenerator[list[Document], None]:
        """Jobs of this room, newest first, each time one has changed."""
        async with self._link.news.of_room(self.name) as changes:
            while True:
                yield await patiently(partial(self.jobs, status=status, limit=limit))
                await changes.wait()
                await asyncio.sleep(_BREATH)

    async def extensions(self) -> list[Document]:
        return list((await self._send(requests.extensions(self.name)))["items"])

    async def workers(self) -> list[Document]:
        return list((await self._send(requests.workers(self.name)))["items"])

    async def say(self, text: str) -> Document:
        """Say something in the chat of this room."""
        return dict(await self._send(requests.say(self.name, text)))

    async def chat(self, *, limit: int = 50, before: int | None = None) -> list[Document]:
        """What was said in this room, newest first; `before` is the `seq` of a message."""
        return list((await self._send(requests.chat(self.name, limit, before)))["items"])

    async def upload(self, source: Source, *, name: str | None = None) -> FileRef:
        """Bring a file to the room, so that fields of type `File` can refer to it."""
        request = requests.upload_file(self.name, named(source, name))
        await self._settle()
        with ExitStack() as stack:
            content = await asyncio.to_thread(stack.enter_context, opened(source))
            return FileRef(await self._link.sender.upload(request, content, None))

    async def files(self, *, limit: int = 50) -> list[Document]:
        """The files of this room, newest first."""
        return list((await self._send(requests.room_files(self.name, limit)))["items"])

    async def download(self, file: File | str, path: str | os.PathLike[str] = ".") -> Path:
        """Bring a file of the room here: as this file, or into this folder under its own name."""
        file_id = file.id if isinstance(file, File) else file
        return await self._link.sender.download(requests.room_file(self.name, file_id), Path(path))

    async def register(
        self,
        *extensions: type[Extension],
        public: bool = False,
        slots: int | None = None,
        worker_name: str | None = None,
    ) -> None:
        """Make this process a worker for these extensions, in this room or, public, in all."""
        if is_isolated():
            return
        await self._settle()
        worker = self._link.serve(slots, worker_name)
        await worker.offer([as_extension(each) for each in extensions], None if public else self.name)

    def extension(self, function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
        """Decorate a plain function: it becomes an extension that this process serves.

        It registers in the background; whatever is awaited next on this room waits for that.
        """
        public, slots = options.pop("public", False), options.pop("slots", None)

        def decorate(decorated: Callable[..., Any]) -> type[Extension]:
            made = from_function(decorated, **options)
            self._register_later(self._registering, made, public, slots)
            return made

        return decorate if function is None else decorate(function)

    def _register_later(
        self, before: asyncio.Task[None] | None, made: type[Extension], public: bool, slots: int | None
    ) -> None:
        async def register() -> None:
            if before is not None:
                await before
            if not is_isolated():
                await self._link.serve(slots, None).offer([made], None if public else self.name)

        self._registering = asyncio.get_running_loop().create_task(register())

    async def _settle(self) -> None:
        """Wait for what `extension` began; raise what it met."""
        registering = self._registering
        if registering is not None:
            try:
                await asyncio.shield(registering)
            finally:
                if registering.done() and self._registering is registering:
                    self._registering = None

    async def wait(self) -> None:
        """Serve jobs until the room is closed."""
        if is_isolated():
            raise ScriptEnd
        await self._settle()
        if self._link.worker is None:
            raise RuntimeError("nothing is registered: call room.register(...) first")
        await self._link.worker.wait()

    async def aclose(self) -> None:
        """Finish what runs, say goodbye, disconnect."""
        if not self._is_own:
            return
        try:
            await self._settle()
        finally:
            if self._link.worker is not None:
                await self._link.worker.aclose()
            await self._link.connection.aclose()

    async def _send(self, request: requests.Request) -> Any:
        await self._settle()
        return await self._link.sender.send(request)

    def _handle(self, document: Document) -> AsyncJobHandle:
        return AsyncJobHandle(self._link.sender, self._link.watcher, document)
