"""What the routes of a pack may do: everything as the caller, checked as in the server's routes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import orjson
from fastapi import APIRouter, Request, Response

from workroom.domain.files import file_name, media_type_of
from workroom.domain.identity import Principal
from workroom.domain.permissions import Permission, role_in
from workroom.domain.room import room_name
from workroom.domain.room_data.records import FieldValue
from workroom.errors import DocumentNotFound, JobNotFound, RecordNotFound
from workroom.server.http.context import Services
from workroom.server.http.dependencies import read_token
from workroom.server.http.downloads import download
from workroom.server.http.router import JsonRoute
from workroom.server.http.uploads import incoming
from workroom.server.http.views.file import render_room_file
from workroom.server.http.views.job import render_job, render_submitted
from workroom.server.http.views.record import render_record
from workroom.services.jobs.submit_requests import SubmitRequest
from workroom.services.room_data.documents import EditOptions, EditRequest

Document = dict[str, Any]


class PackRouter(APIRouter):
    """A router that refuses unknown query parameters and decodes bodies as the server's own routes do."""

    def __init__(self, **options: Any) -> None:
        super().__init__(route_class=JsonRoute, **options)


class PackRequest:
    """The caller of a pack's route: `at: Annotated[PackRequest, Depends(PackRequest.of)]`."""

    def __init__(self, request: Request, caller: Principal, services: Services) -> None:
        self._request = request
        self._caller = caller
        self._services = services

    @staticmethod
    async def of(request: Request) -> PackRequest:
        """Raises Unauthenticated without a valid token."""
        services: Services = request.app.state.services
        caller = await services.accounts.read(read_token(request, services.settings.cookie))
        return PackRequest(request, caller, services)

    @property
    def user(self) -> str:
        return self._caller.user

    @property
    def job_id(self) -> str | None:
        """The job that sent the request with its own token, if one did."""
        return None if self._caller.job is None else self._caller.job.job_id

    async def room(self, name: str) -> PackRoom:
        """Raises RoomNotFound if the caller may not see the room."""
        found = await self._services.access.room(self._caller, room_name(name), Permission.SEE_ROOM)
        role = role_in(self._caller, found)
        return PackRoom(self._request, self._caller, self._services, found.name, found.owner, role)


class PackRoom:
    """A room that the caller sees. What changes it raises Forbidden for viewers."""

    def __init__(
        self, request: Request, caller: Principal, services: Services, name: str, owner: str, role: str
    ) -> None:
        self._request = request
        self._caller = caller
        self._services = services
        self.name = name
        self.owner = owner
        self.role = role

    async def require_member(self) -> None:
        """Raises Forbidden if the caller may only read."""
        await self._services.access.room(self._caller, self.name, Permission.EDIT_DATA)

    async def _change(self) -> None:
        await self.require_member()
        self._services.throttles.room_data.take(self._caller.user)
        self._services.quotas.check_disk()

    async def record(self, kind: str, id: str) -> Document | None:
        try:
            found = await self._services.records.read(self.name, kind, id)
        except RecordNotFound:
            return None
        return _plain(render_record(found))

    async def records(
        self,
        kind: str,
        where: Mapping[str, FieldValue] | None = None,
        *,
        cursor: int | None = None,
        limit: int = 50,
    ) -> tuple[list[Document], int | None]:
        """Records that have these fields, the latest created first, and the cursor of the next page."""
        page = await self._services.records.find(self.name, kind, where or {}, cursor, min(limit, 200))
        return [_plain(render_record(each)) for each in page.items], page.next_cursor

    async def put_record(
        self, kind: str, id: str, body: Mapping[str, Any], fields: Mapping[str, FieldValue] | None = None
    ) -> Document:
        await self._change()
        saved = await self._services.records.put(self._caller, self.name, kind, id, body, fields or {})
        return _plain(render_record(saved))

    async def delete_record(self, kind: str, id: str) -> None:
        await self._change()
        await self._services.records.delete(self._caller, self.name, kind, id)

    async def document(self, key: str) -> Any:
        """The value of a document; None if there is none."""
        try:
            found = await self._services.documents.read(self.name, key)
        except DocumentNotFound:
            return None
        return orjson.loads(found.content)

    async def put_document(self, key: str, value: Any, summary: str = "") -> int:
        """Write a document, and return its version. Raises Locked."""
        await self._change()
        request = EditRequest(self._caller, self.name, key, EditOptions(summary=summary))
        return (await self._services.documents.put(request, value)).version

    async def save_file(self, name: str, media_type: str | None = None) -> Document:
        """Save the body of this request as a file of the room, without holding it in memory."""
        await self._services.access.room(self._caller, self.name, Permission.SUBMIT_JOB)
        kept = file_name(name)
        kind = media_type_of(kept, media_type or self._request.headers.get("content-type"))
        file = await self._services.files.upload(self._caller, self.name, kept, kind, incoming(self._request))
        return _plain(render_room_file(file))

    async def read_file(self, file_id: str) -> AsyncIterator[bytes]:
        """The chunks of a file. Raises FileNotFound."""
        file = await self._services.access.file(self._caller, self.name, file_id, Permission.SEE_ROOM)
        return await self._services.files.read(file.blob, 0, file.blob.size)

    async def send_artifact(self, job_id: str, name: str, *, inline: bool = True) -> Response:
        """A response with a file of a job of this room, or with the part that `Range` names.

        Raises JobNotFound and ArtifactNotFound.
        """
        job = await self._services.access.job(self._caller, job_id, Permission.SEE_JOB)
        if job.room != self.name:
            raise JobNotFound()
        found = await self._services.files.artifact(job_id, file_name(name))
        return await download(
            self._request, self._services.files, found.blob, found.name, found.media_type, inline=inline
        )

    async def job(self, job_id: str) -> Document | None:
        """A job of this room, as the server's own route shows it."""
        try:
            job = await self._services.job_reader.read(self._caller, job_id)
        except JobNotFound:
            return None
        return _plain(render_job(job, self._caller)) if job.room == self.name else None

    async def submit(
        self, category: str, name: str, data: Mapping[str, Any], *, key: str | None = None
    ) -> Document:
        """Submit a job as the caller, and return it. With a key, sending it again returns the same job."""
        request = SubmitRequest(self.name, category, name, dict(data), None, key)
        job = await self._services.submission.submit(self._caller, request)
        return _plain(render_submitted(job, self._caller))


def _plain(rendered: Any) -> Document:
    """What was rendered for orjson as plain values."""
    document: Document = orjson.loads(orjson.dumps(rendered))
    return document
