"""Rooms, for asyncio."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from workroom import tracing
from workroom.client import requests
from workroom.client.conditions import When, condition_fields, values_and_refs, without_refs
from workroom.client.context import ClientContext
from workroom.client.group_submission import OnProgress, submit_group
from workroom.client.job_group import AsyncJobGroup
from workroom.client.job_handle import AsyncJobHandle, Document
from workroom.client.room_data.room_data import AsyncRoomData
from workroom.client.sweeps import combinations, conditions_among
from workroom.client.transport.connection import Connection
from workroom.client.transport.retries import retry, wait_for_server
from workroom.client.worker.worker import Worker
from workroom.domain.extension import SETTINGS
from workroom.domain.room import room_name
from workroom.errors import Forbidden, JobNotFound, NameTaken, RoomNotFound
from workroom.runtime.actors import as_extension
from workroom.runtime.content import Source, name_of, open_content
from workroom.runtime.extension import Extension, ScriptEnd, from_function, is_isolated
from workroom.runtime.files import File, FileRef
from workroom.runtime.secrets import submitted_values

T = TypeVar("T")
_DAY_SECONDS = 86_400
_GATHER_SECONDS = 0.2  # many changes in quick succession are one update


class AsyncRoom(AsyncRoomData):
    """A shared workspace. Use it as `async with AsyncRoom("demo") as room:`."""

    def __init__(
        self,
        name: str,
        url: str | None = None,
        *,
        user: str | None = None,
        password: str | None = None,
        token: str | None = None,
        create: bool = True,
        context: ClientContext | None = None,
    ) -> None:
        """A missing room is created on first use, unless `create` is false."""
        self.name = room_name(name)
        self._owns_connection = context is None
        self._exists = context is not None or not create
        self._registering: asyncio.Task[None] | None = None
        self._context = context or ClientContext(Connection(url, user=user, password=password, token=token))
        self._open_data(self._context.writer)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def submit(
        self, extension: Extension, *, priority: int | None = None, **when: Unpack[When]
    ) -> AsyncJobHandle:
        """Submit an extension with its values: `await room.submit(Smooth(window=9))`.

        It may start later: after `delay` seconds, or at `run_at`.
        """
        if extension.category == SETTINGS:
            raise TypeError(f"{extension.label()} is not a job: save it with room.save(...)")
        data, refs = values_and_refs(extension)
        names = (extension.category, extension.extension_name)
        return await self._submit(*names, data, priority, condition_fields(when, refs))

    async def submit_named(
        self,
        category: str,
        name: str,
        data: dict[str, Any],
        *,
        priority: int | None = None,
        **when: Unpack[When],
    ) -> AsyncJobHandle:
        """Submit by name, without the class."""
        refs: list[str] = []
        data = without_refs(data, refs)
        return await self._submit(category, name, data, priority, condition_fields(when, refs))

    async def _submit(
        self, category: str, name: str, data: dict[str, Any], priority: int | None, conditions: dict[str, Any]
    ) -> AsyncJobHandle:
        with tracing.span(f"submit {category}/{name}", "CLIENT"):
            request = requests.submit(self.name, category, name, data, priority, conditions)
            return self._handle(await self._send(request))

    async def submit_many(
        self,
        extensions: Sequence[Extension],
        *,
        title: str = "",
        parameters: Sequence[str] = (),
        priority: int | None = None,
        on_progress: OnProgress | None = None,
        **when: Unpack[When],
    ) -> AsyncJobGroup:
        """Submit many jobs as a group, in batches. Raises the first refusal; the other jobs are submitted.

        `parameters` are the fields in which the jobs differ. `on_progress` is called with the number of jobs
        that are submitted, and of all.
        """
        items = requests.batch_items(extensions, priority, when)
        if not items:
            raise ValueError("a group has at least one job")
        with tracing.span("submit group", "CLIENT"):
            done = await submit_group(self._send, self.name, items, title, parameters, on_progress)
        if done.refusal is not None or done.group is None:
            raise done.refusal or ValueError("no job was accepted")
        handles = [self._handle(job) for job in done.jobs]
        return AsyncJobGroup(self._context.sender, self._handle, done.group, handles)

    async def sweep(
        self,
        extension: type[Extension],
        *,
        title: str | None = None,
        priority: int | None = None,
        **values: Any,
    ) -> AsyncJobGroup:
        """Submit every combination: `await room.sweep(Relax, fmax=[0.1, 0.01], steps=100)`.

        Lists, tuples, ranges and arrays vary; other values are the same for all jobs. `delay`, `run_at`,
        `after` and `on` are those of `submit`, unless the extension has fields of these names.
        """
        when = conditions_among(extension, values)
        jobs, names = combinations(extension, values)
        title = f"{extension.label()} over {', '.join(names)}" if title is None and names else title or ""
        return await self.submit_many(
            jobs, title=title[:200], parameters=names[:20], priority=priority, **when
        )

    async def group(self, group_id: str) -> AsyncJobGroup:
        document = await self._send(requests.group(group_id))
        return AsyncJobGroup(self._context.sender, self._handle, document)

    async def groups(self, *, limit: int = 50) -> list[Document]:
        """The groups of this room, newest first."""
        return list((await self._send(requests.groups(self.name, limit)))["items"])

    async def save(self, settings: Extension) -> None:
        """Save my values of a `settings` extension."""
        data = submitted_values(settings)
        request = requests.submit(self.name, settings.category, settings.extension_name, data, None)
        await self._send(request)

    async def last_values(self, extension: type[Extension]) -> dict[str, Any] | None:
        """The values that I last submitted for this extension in this room."""
        request = requests.last_values(self.name, extension.category, extension.extension_name)
        values: dict[str, Any] | None = (await self._send(request))["data"]
        return values

    async def presets(self, extension: type[Extension] | str) -> list[Document]:
        """The presets of an extension, or of `category/Name`, that I see: the room's, then mine."""
        return list((await self._send(requests.presets(self.name, *names_of(extension))))["items"])

    async def preset(
        self, extension: type[Extension] | str, name: str, *, shared: bool = False
    ) -> dict[str, Any]:
        """The values of my preset of this name or, with `shared`, of the room's: `Smooth(**values)`."""
        request = requests.preset(self.name, *names_of(extension), name, shared=shared)
        return dict((await self._send(request))["data"])

    async def save_preset(
        self, name: str, extension: Extension, *, shared: bool = False, replace: bool = False
    ) -> Document:
        """Keep the values under a name, for me or, with `shared`, for the room. Secrets are not kept."""
        names, data = names_of(type(extension)), extension.model_dump(mode="json")
        request = requests.save_preset(self.name, *names, name, data, shared=shared, replace=replace)
        return dict(await self._send(request))

    async def delete_preset(
        self, extension: type[Extension] | str, name: str, *, shared: bool = False
    ) -> None:
        await self._send(requests.delete_preset(self.name, *names_of(extension), name, shared=shared))

    async def invite(self, *, days: float | None = None, uses: int = 100, role: str = "member") -> str:
        """A link that makes so many people members of this room. It is valid for a week, or for `days`.

        With `role="viewer"` they may read everything in the room, which must be private, and change nothing.
        """
        seconds = None if days is None else days * _DAY_SECONDS
        issued = await self._send(requests.invite(self.name, seconds, uses, role))
        return f"{self._context.connection.url}/join#{self.name}/{issued['code']}"

    @property
    def view_url(self) -> str:
        """The address of the room's view on the page."""
        return f"{self._context.connection.url}/rooms/{self.name}/view"

    async def frame_url(self) -> str | None:
        """An address that shows this room, read-only, in a frame: once, within two minutes.

        None if the server lets no site show it in a frame.
        """
        link = await self._send(requests.view_link(self.name))
        return f"{self.view_url}#ticket={link['ticket']}" if link["frame_ancestors"] else None

    async def job(self, job_id: str) -> AsyncJobHandle:
        try:
            await self._wait_for_registration()
            return self._handle(await self._context.sender.send(requests.job(job_id)))
        except JobNotFound as error:
            raise JobNotFound(f"There is no job {job_id}.", **error.fields) from error

    async def jobs(
        self,
        *,
        status: str | None = None,
        extension: str | None = None,
        search: str | None = None,
        limit: int = 50,
    ) -> list[Document]:
        """Jobs of this room, newest first. `search` is what one types on the page: `"starred window>5"`."""
        found: list[Document] = []
        cursor: int | None = None
        while True:
            left = limit - len(found)
            page = await self._send(requests.room_jobs(self.name, status, extension, left, search, cursor))
            found += page["items"]
            cursor = page["next_cursor"]
            if not search or cursor is None or len(found) >= limit:
                return found

    async def watch_jobs(
        self, *, status: str | None = None, limit: int = 50
    ) -> AsyncGenerator[list[Document], None]:
        """Yield the jobs of this room, newest first, each time one changes."""
        await retry(partial(self._send, requests.room(self.name)))
        async with self._context.updates.subscribe_room(self.name) as subscription:
            while True:
                yield await retry(partial(self.jobs, status=status, limit=limit))
                await subscription.wait()
                await asyncio.sleep(_GATHER_SECONDS)

    async def rooms(self, *, limit: int = 100) -> list[Document]:
        """The rooms that I can enter, by name."""
        await self._wait_for_registration()
        return list((await self._context.sender.send(requests.rooms(limit)))["items"])

    async def extensions(self) -> list[Document]:
        return list((await self._send(requests.extensions(self.name)))["items"])

    async def workers(self) -> list[Document]:
        return list((await self._send(requests.workers(self.name)))["items"])

    async def accept_worker(self, worker_id: str, *, public: bool = False) -> None:
        """Accept a worker for extensions that others offer already, here or, with `public`, in all rooms."""
        await self._send(requests.accept_worker(None if public else self.name, worker_id))

    async def refuse_worker(self, worker_id: str, reason: str | None = None, *, public: bool = False) -> None:
        """Refuse a worker that waits to be accepted."""
        await self._send(requests.refuse_worker(None if public else self.name, worker_id, reason))

    async def dismiss_worker(
        self, worker_id: str, reason: str | None = None, *, public: bool = False
    ) -> None:
        """Remove a worker from this room or, with `public`, from all."""
        await self._send(requests.dismiss_worker(None if public else self.name, worker_id, reason))

    async def post(self, text: str) -> Document:
        """Post a message to the chat of this room."""
        return dict(await self._send(requests.post_chat(self.name, text)))

    async def questions(self) -> list[Document]:
        """The open questions of jobs in this room; `AsyncJobHandle.answer` answers them."""
        found: list[Document] = []
        cursor: int | None = None
        while True:
            page = await self._send(requests.room_questions(self.name, cursor))
            found += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return found

    async def chat(self, *, limit: int = 50, before: int | None = None) -> list[Document]:
        """Chat messages, newest first; `before` is the `seq` of a message."""
        return list((await self._send(requests.chat(self.name, limit, before)))["items"])

    async def upload(self, source: Source, *, name: str | None = None) -> FileRef:
        """Upload a file to the room, as a value for fields of type `File`."""
        request = requests.upload_file(self.name, name_of(source, name))
        await self._send(requests.room(self.name))  # creates the room: the content may be readable only once
        with ExitStack() as stack:
            content = await asyncio.to_thread(stack.enter_context, open_content(source))
            return FileRef(await self._context.sender.upload(request, content, None))

    async def files(self, *, limit: int = 50) -> list[Document]:
        """The files of this room, newest first."""
        return list((await self._send(requests.room_files(self.name, limit)))["items"])

    async def download(self, file: File | str, path: str | os.PathLike[str] = ".") -> Path:
        """Download a file of the room to a file, or under its own name into a folder."""
        file_id = file.id if isinstance(file, File) else file
        return await self._context.sender.download(requests.room_file(self.name, file_id), Path(path))

    async def register(
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
        if is_isolated():
            return
        await self._wait_for_registration()
        worker = self._context.serve(slots, worker_name)
        offer = partial(self._offer, worker, [as_extension(each) for each in extensions], public=public)
        await (wait_for_server(offer) if wait else offer())

    def extension(self, function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
        """Decorator: turn a function into an extension and serve it from this process.

        It registers in the background; the next call on this room waits for that.
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
                await self._offer(self._context.serve(slots, None), [made], public=public)

        self._registering = asyncio.get_running_loop().create_task(register())

    async def _offer(self, worker: Worker, extensions: list[type[Extension]], *, public: bool) -> None:
        if public:
            await worker.offer(extensions, None)
        else:
            await self._in_room(lambda: worker.offer(extensions, self.name))

    async def _wait_for_registration(self) -> None:
        """Wait for the registration that `extension` started; raise its error."""
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
        await self._wait_for_registration()
        if self._context.worker is None:
            raise RuntimeError("no extension is registered: call room.register(...) first")
        await self._context.worker.wait()

    async def aclose(self) -> None:
        """Finish running jobs and disconnect."""
        if not self._owns_connection:
            return
        try:
            await self._close_data()
            await self._wait_for_registration()
        finally:
            if self._context.worker is not None:
                await self._context.worker.aclose()
            await self._context.connection.aclose()

    async def _send(self, request: requests.Request) -> Any:
        await self._wait_for_registration()
        return await self._in_room(lambda: self._context.sender.send(request))

    async def _in_room(self, act: Callable[[], Awaitable[T]]) -> T:
        """Act; if the room is missing, create it and try again."""
        try:
            return await act()
        except RoomNotFound:
            if self._exists:
                raise
        refusal = await self._create()
        try:
            return await act()
        except RoomNotFound as error:
            if refusal is None:
                raise
            raise RoomNotFound(
                f"There is no room '{self.name}', and it cannot be created: {refusal.detail}.",
                **error.fields,
            ) from error

    async def _create(self) -> Forbidden | None:
        """Create the room, unless it exists by now. Return the error if this token is not allowed to."""
        try:
            await self._context.sender.send(requests.create_room(self.name))
        except NameTaken:
            pass
        except Forbidden as error:
            return error
        self._exists = True
        return None

    def _handle(self, document: Document) -> AsyncJobHandle:
        return AsyncJobHandle(self._context.sender, self._context.watcher, document)


def names_of(extension: type[Extension] | str) -> tuple[str, str]:
    """The category and the name of an extension."""
    if not isinstance(extension, str):
        return extension.category, extension.extension_name
    category, _, name = extension.partition("/")
    if not (category and name):
        raise ValueError(f"'{extension}' is not an extension name like analysis/EstimatePi")
    return category, name
