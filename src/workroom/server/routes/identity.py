"""Who am I?"""

from __future__ import annotations

from fastapi import APIRouter, Response

from workroom.domain.identity import Principal, Role
from workroom.errors import Unauthenticated
from workroom.server.auth import matches
from workroom.server.context import Inside, Who, answer
from workroom.server.json_route import JsonRoute
from workroom.server.wire import LoginBody

router = APIRouter(prefix="/api", tags=["identity"], route_class=JsonRoute)


@router.post("/login")
async def login(body: LoginBody, inside: Inside) -> Response:
    """A guest gives a name; the admin gives the password too."""
    role = Role.GUEST
    if body.password is not None:
        expected = inside.settings.admin_password
        if expected is None or not matches(body.password, expected):
            raise Unauthenticated("the name or the password is wrong")
        role = Role.ADMIN
    who = Principal(body.name, role)
    return answer({"token": inside.tokens.issue(who), "user": who.user, "role": who.role})


@router.get("/users/me")
async def me(who: Who) -> Response:
    return answer({"user": who.user, "role": who.role})
