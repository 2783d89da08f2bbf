"""What routes may reach: who is asking, and the services."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import orjson
from fastapi import Depends, Path, Request, Response

from workroom.domain.identity import Principal
from workroom.domain.policy import Act
from workroom.domain.room import room_name
from workroom.ports import Clock, Store
from workroom.server.connections import Connections
from workroom.server.ordering import Ordering
from workroom.server.throttle import Throttles
from workroom.services.access import Access
from workroom.services.accounts import Accounts
from workroom.services.chat import Chat
from workroom.services.departure import Departure
from workroom.services.files import Files
from workroom.services.membership import Membership
from workroom.services.operating import Operating
from workroom.services.readiness import Readiness
from workroom.services.reading import Reading
from workroom.services.reporting import Reporting
from workroom.services.rooms import Rooms
from workroom.services.streaming import Streams
from workroom.services.submission import Submission
from workroom.services.tasks_facade import TaskFacade
from workroom.services.waiting import Waiters
from workroom.settings import Settings


@dataclass(frozen=True, slots=True)
class Services:
    settings: Settings
    clock: Clock
    store: Store
    accounts: Accounts
    access: Access
    throttles: Throttles
    rooms: Rooms
    submission: Submission
    ordering: Ordering
    reporting: Reporting
    membership: Membership
    tasks: TaskFacade
    reading: Reading
    operating: Operating
    readiness: Readiness
    departure: Departure
    chat: Chat
    streams: Streams
    connections: Connections
    waiters: Waiters
    files: Files


# Dependencies are coroutines: FastAPI would send plain functions through a thread pool.


async def services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


def token_of(request: Request, cookie: str) -> str | None:
    """What the caller shows: a bearer token, or the cookie of a page that logged in."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" else request.cookies.get(cookie)


async def principal(request: Request) -> Principal:
    inside: Services = request.app.state.services
    return await inside.accounts.read(token_of(request, inside.settings.cookie))


async def admin(request: Request, who: Annotated[Principal, Depends(principal)]) -> Principal:
    inside: Services = request.app.state.services
    inside.access.check(who, Act.ADMINISTER)
    return who


async def room(room: Annotated[str, Path()]) -> str:
    return room_name(room)


Inside = Annotated[Services, Depends(services)]
Who = Annotated[Principal, Depends(principal)]
Admin = Annotated[Principal, Depends(admin)]
Room = Annotated[str, Depends(room)]


def answer(document: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(document), status, media_type="application/json")
