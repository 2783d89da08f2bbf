"""What routes may reach: who is asking, and the services."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import orjson
from fastapi import Depends, Path, Request, Response

from workroom.domain.identity import Principal
from workroom.domain.room import room_name
from workroom.errors import Forbidden
from workroom.ports import Clock, Store
from workroom.server.auth import Tokens
from workroom.services.departure import Departure
from workroom.services.membership import Membership
from workroom.services.operating import Operating
from workroom.services.readiness import Readiness
from workroom.services.reading import Reading
from workroom.services.reporting import Reporting
from workroom.services.rooms import Rooms
from workroom.services.submission import Submission
from workroom.settings import Settings


@dataclass(frozen=True, slots=True)
class Services:
    settings: Settings
    clock: Clock
    store: Store
    tokens: Tokens
    rooms: Rooms
    submission: Submission
    reporting: Reporting
    membership: Membership
    reading: Reading
    operating: Operating
    readiness: Readiness
    departure: Departure


# Dependencies are coroutines: FastAPI would send plain functions through a thread pool.


async def services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


async def principal(request: Request) -> Principal:
    inside: Services = request.app.state.services
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return inside.tokens.read(token if scheme.lower() == "bearer" else None)


async def admin(who: Annotated[Principal, Depends(principal)]) -> Principal:
    if not who.is_admin:
        raise Forbidden("this needs the role admin")
    return who


async def room(room: Annotated[str, Path()]) -> str:
    return room_name(room)


Inside = Annotated[Services, Depends(services)]
Who = Annotated[Principal, Depends(principal)]
Admin = Annotated[Principal, Depends(admin)]
Room = Annotated[str, Depends(room)]


def answer(document: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(document), status, media_type="application/json")
