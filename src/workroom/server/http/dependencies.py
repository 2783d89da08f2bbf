"""What routes receive: the caller, the services, the parts of a page; and how they respond."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from fastapi import Depends, Path, Query, Request, Response

from workroom.domain.identity import Principal
from workroom.domain.permissions import Permission
from workroom.domain.room import room_name
from workroom.server.http.bodies.fields import MAX_INT
from workroom.server.http.context import Services

# Dependencies are coroutines: FastAPI would send plain functions through a thread pool.


async def get_services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


async def get_caller(request: Request) -> Principal:
    services: Services = request.app.state.services
    return await services.accounts.read(read_token(request, services.settings.cookie))


async def get_admin(request: Request, caller: Annotated[Principal, Depends(get_caller)]) -> Principal:
    services: Services = request.app.state.services
    services.access.check(caller, Permission.ADMINISTER)
    return caller


async def get_room_name(room: Annotated[str, Path()]) -> str:
    return room_name(room)


ServicesDep = Annotated[Services, Depends(get_services)]
Caller = Annotated[Principal, Depends(get_caller)]
AdminCaller = Annotated[Principal, Depends(get_admin)]
RoomName = Annotated[str, Depends(get_room_name)]
Cursor = Annotated[int | None, Query(ge=1, le=MAX_INT, description="`next_cursor` of the previous page")]
After = Annotated[str, Query(max_length=200, description="`next_after` of the previous page")]
Limit = Annotated[int, Query(ge=1, le=500)]


def read_token(request: Request, cookie: str) -> str | None:
    """The caller's bearer token, or the cookie of a page that logged in."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" else read_cookie(request.headers.get("cookie", ""), cookie)


def read_cookie(header: str, name: str) -> str | None:
    """One cookie of a header; the standard library takes a second to parse some headers.

    Our cookies are never quoted. If a name occurs twice, the last value counts.
    """
    found = None
    for pair in header.split(";"):
        key, is_pair, value = pair.partition("=")
        if is_pair and key.strip() == name:
            found = value.strip()
    return found


def json_response(document: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(document), status, media_type="application/json")
