"""Documents of a room."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import orjson
from fastapi import Query, Request, Response

from workroom.domain.identity import Principal
from workroom.domain.permissions import Permission
from workroom.domain.room_data import documents as domain
from workroom.domain.room_data.documents import document_key
from workroom.errors import (
    DocumentNotFound,
    Forbidden,
    Locked,
    LockLost,
    MalformedJson,
    RoomNotFound,
    TooManyRequests,
    VersionConflict,
    VersionNotFound,
    WorkroomError,
)
from workroom.server.http.bodies.fields import MAX_INT
from workroom.server.http.conditions import EditOptionsDep, IfNoneMatch, etag, is_known
from workroom.server.http.context import Services
from workroom.server.http.dependencies import Caller, RoomName, ServicesDep, json_response
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.views.room_data import (
    DeletedDocument,
    DocumentContent,
    DocumentInfo,
    Documents,
    render_document_info,
    render_documents,
)
from workroom.services.room_data.documents import EditRequest

router = Router(prefix="/api/rooms/{room}/state", tags=["data"])

AtVersion = Annotated[int | None, Query(ge=1, le=MAX_INT, description="as it was in this version")]
_CHANGING: tuple[type[WorkroomError], ...] = (
    Forbidden,
    *STORING,
    RoomNotFound,
    LockLost,
    VersionConflict,
    Locked,
    TooManyRequests,
)
_KNOWN: dict[int | str, dict[str, Any]] = {304: {"description": "the caller has this version"}}


def _json(*media_types: str) -> dict[str, Any]:
    """A body that is any JSON value. FastAPI takes null for no body, so the routes read it themselves."""
    return {"requestBody": {"required": True, "content": {each: {"schema": {}} for each in media_types}}}


@router.get("", response_model=Documents, responses=refused(RoomNotFound))
async def list_documents(room: RoomName, caller: Caller, services: ServicesDep) -> Response:
    """The documents of the room by key, without their contents."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    return json_response(render_documents(await services.documents.of_room(room)))


@router.get(
    "/{key}",
    response_model=DocumentContent,
    responses={**_KNOWN, **refused(RoomNotFound, DocumentNotFound, VersionNotFound)},
)
async def read_document(
    room: RoomName,
    key: str,
    caller: Caller,
    services: ServicesDep,
    version: AtVersion = None,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """The content of a document. Its version is in `ETag`."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    if version is not None:
        return _content(await services.versions.content(room, key, version))
    found = await services.documents.read(room, key)
    headers = {"ETag": etag(found.info.version), "Cache-Control": "private, no-cache"}
    if is_known(if_none_match, found.info.version):
        return Response(None, 304, headers)
    return _content(found.content, headers)


@router.put(
    "/{key}",
    response_model=DocumentInfo,
    responses=refused(*_CHANGING),
    openapi_extra=_json("application/json"),
)
async def put_document(
    room: RoomName,
    key: str,
    caller: Caller,
    services: ServicesDep,
    request: Request,
    options: EditOptionsDep,
) -> Response:
    """Write a document: any JSON value."""
    edit = EditRequest(caller, room, document_key(key), options)
    await _check(caller, room, services)
    return _written(await services.documents.put(edit, await _body(request)))


@router.patch(
    "/{key}",
    response_model=DocumentInfo,
    responses=refused(*_CHANGING),
    openapi_extra=_json("application/merge-patch+json", "application/json"),
)
async def patch_document(
    room: RoomName,
    key: str,
    caller: Caller,
    services: ServicesDep,
    request: Request,
    options: EditOptionsDep,
) -> Response:
    """Apply a JSON merge patch (RFC 7396). A missing document is created."""
    edit = EditRequest(caller, room, document_key(key), options)
    await _check(caller, room, services)
    return _written(await services.documents.patch(edit, await _body(request)))


@router.delete("/{key}", response_model=DeletedDocument, responses=refused(DocumentNotFound, *_CHANGING))
async def delete_document(
    room: RoomName,
    key: str,
    caller: Caller,
    services: ServicesDep,
    options: EditOptionsDep,
) -> Response:
    """Delete a document. It can be undone, like any change. `Idempotency-Key` has no effect here."""
    edit = EditRequest(caller, room, document_key(key), replace(options, request=""))
    await _check(caller, room, services)
    written = await services.documents.delete(edit)
    return json_response({"key": key, "version": written.version})


async def _check(caller: Principal, room: str, services: Services) -> None:
    await services.access.room(caller, room, Permission.EDIT_DATA)
    services.throttles.room_data.take(caller.user)
    services.quotas.check_disk()


async def _body(request: Request) -> Any:
    try:
        return await request.json()
    except orjson.JSONDecodeError as error:
        raise MalformedJson() from error


def _written(info: domain.DocumentInfo) -> Response:
    response = json_response(render_document_info(info))
    response.headers["ETag"] = etag(info.version)
    return response


def _content(content: bytes, headers: dict[str, str] | None = None) -> Response:
    return Response(content, headers=headers, media_type="application/json")
