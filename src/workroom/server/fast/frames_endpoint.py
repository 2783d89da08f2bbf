"""Reads of frames without FastAPI, as ASGI middleware in front of it and of the guard.

Takes only requests of the usual form that the guard accepts. Any other request, valid or not, goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from starlette.types import ASGIApp, Receive, Scope, Send

from workroom.domain.permissions import Permission
from workroom.domain.room import room_name
from workroom.domain.room_data.frame_selection import Selection
from workroom.errors import InvalidName, WorkroomError
from workroom.server.fast.http_protocol import respond
from workroom.server.http import problems, request_guard
from workroom.server.http.context import Services
from workroom.server.http.messages import MessageResponse, message_headers
from workroom.server.http.request_guard import RequestGuard, headers_of, with_headers
from workroom.server.protocols.transport import encode_headers
from workroom.services.limits.memory import Held
from workroom.services.room_data.frames.assembly import Wanted
from workroom.services.room_data.frames.reading import ReadFrames

_PATH = re.compile(rb"/api/rooms/([^/?]+)/frames/data")
_QUERY = re.compile(rb"(?:index=(-?\d{1,15})|start=(-?\d{1,15})&stop=(-?\d{1,15}))(&dtype=f32)?")
_BEARER = b"bearer "
_UNUSUAL_HEADERS = frozenset(
    {b"origin", b"expect", b"transfer-encoding", b"if-none-match", b"content-length"}
)
_MAX_PATH, _MAX_QUERY = 512, 100
_MAX_WRITE = 65_536
"""Bytes of a response that is written at once: of a larger one, the memory is given back once it is sent."""
_HEADERS = encode_headers(request_guard.HEADERS)


class _Read(NamedTuple):
    room: str
    selection: Selection
    is_single: bool
    token: str


class FramesEndpoint:
    def __init__(self, app: ASGIApp, guard: RequestGuard, services: Callable[[], Services | None]) -> None:
        self._app = app
        self._guard = guard
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        services = self._services()
        wanted = self._wanted(scope) if services is not None else None
        if services is None or wanted is None:
            await self._app(scope, receive, send)
            return
        try:
            read, held = await _read(services, wanted)
        except WorkroomError as error:
            await problems.response(error)(scope, receive, with_headers(send))
            return
        headers = message_headers(read)
        if len(read.content) <= _MAX_WRITE and respond(scope, 200, _encoded(headers), read.content):
            held.give_back()
            return
        await MessageResponse(read.content, headers, held)(scope, receive, with_headers(send))

    def _wanted(self, scope: Scope) -> _Read | None:
        """None unless it is a read of one frame or a slice, in the usual form."""
        if scope["type"] != "http" or scope["method"] != "GET":
            return None
        path = scope["raw_path"]
        room = _room(path) if len(path) <= _MAX_PATH and path.endswith(b"/frames/data") else None
        query = _selection(scope["query_string"]) if room is not None else None
        if room is None or query is None:
            return None
        headers = headers_of(scope)
        authorization = headers.get(b"authorization", b"")
        is_bearer = authorization[: len(_BEARER)].lower() == _BEARER
        if not is_bearer or not _UNUSUAL_HEADERS.isdisjoint(headers):
            return None
        if self._guard.refusal(scope, headers) is not None:
            return None
        return _Read(room, *query, str(authorization[len(_BEARER) :], "latin-1"))


async def _read(services: Services, wanted: _Read) -> tuple[ReadFrames, Held]:
    caller = await services.accounts.read(wanted.token)
    await services.access.room(caller, wanted.room, Permission.SEE_ROOM)
    frames = await services.frames.reader.index(wanted.room)
    chosen = Wanted(None, wanted.is_single)
    held = await services.frames.take_memory(caller.user, frames, wanted.selection, chosen)
    try:
        return await services.frames.reader.read(wanted.room, frames, wanted.selection, chosen), held
    except BaseException:
        held.give_back()
        raise


def _selection(query: bytes) -> tuple[Selection, bool] | None:
    found = _QUERY.fullmatch(query) if len(query) <= _MAX_QUERY else None
    if found is None:
        return None
    index, start, stop, single = found.groups()
    if index is not None:
        return Selection((int(index),)), single is not None
    return Selection(None, int(start), int(stop)), single is not None


@lru_cache(maxsize=1024)
def _room(path: bytes) -> str | None:
    found = _PATH.fullmatch(path)
    try:
        return None if found is None else room_name(unquote(found[1].decode()))
    except (InvalidName, UnicodeDecodeError):
        return None


def _encoded(headers: dict[str, str]) -> bytes:
    own = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return encode_headers(own) + _HEADERS
