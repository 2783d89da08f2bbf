"""Lets a request act for the user that the application around this server names."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from enum import Enum, auto

from fastapi.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import Scope

from workroom.domain.jobs.job_ids import fence_in
from workroom.errors import Unauthenticated
from workroom.server.http.context import Services
from workroom.services.identity.identified_users import User

Identify = Callable[[HTTPConnection], User | Awaitable[User | None] | None]
_SCHEME = "bearer"
_UNAUTHENTICATED = (401, 403)
Headers = list[tuple[bytes, bytes]]


async def identify_user(identify: Identify, connection: HTTPConnection) -> User | None:
    """Functions that are no coroutines run in a thread: they may read a database."""
    try:
        if inspect.iscoroutinefunction(identify):
            found = await identify(connection)
        else:
            found = await run_in_threadpool(identify, connection)
            if inspect.isawaitable(found):
                found = await found
    except HTTPException as refusal:  # as dependencies of FastAPI raise it
        if refusal.status_code in _UNAUTHENTICATED:
            return None
        raise
    if found is not None and not isinstance(found, User):
        raise TypeError(f"identify returns a workroom.User or None, not {type(found).__name__}")
    return found


async def as_user(scope: Scope, outer: Scope, identify: Identify, services: Services) -> Scope:
    """The scope with a token of the user. Tokens of workers and links are kept; cookies of ours are not."""
    headers = _without_cookie(scope["headers"], services.settings.cookie)
    match await _bearer_of(headers, services):
        case _Bearer.OWN:
            return {**scope, "headers": headers}
        case _Bearer.IDENTIFIED:
            headers = _without(headers, b"authorization")
    user = await identify_user(identify, HTTPConnection(outer))
    if user is not None:
        token = await services.identified_users.token(user)
        headers = _with_token(headers, token, scope["type"], services.settings.cookie)
    return {**scope, "headers": headers}


class _Bearer(Enum):
    """What the Authorization header of a request has."""

    OWN = auto()  # a token of this server
    IDENTIFIED = auto()  # one that was made for a user of the application: its holder would stay logged in
    OTHER = auto()


async def _bearer_of(headers: Headers, services: Services) -> _Bearer:
    scheme, _, token = _header(headers, b"authorization").partition(" ")
    if scheme.lower() != _SCHEME:
        return _Bearer.OTHER
    if fence_in(token) is not None:
        return _Bearer.OWN
    try:
        who = await services.accounts.read(token)
    except Unauthenticated:
        return _Bearer.OTHER
    return _Bearer.IDENTIFIED if who.is_identified else _Bearer.OWN


def _with_token(headers: Headers, token: str, kind: str, cookie: str) -> Headers:
    """Sockets read a cookie. Requests get a header: a response to a cookie might renew it in the browser."""
    if kind == "websocket":
        others = _header(headers, b"cookie")
        return [*_without(headers, b"cookie"), (b"cookie", f"{others}; {cookie}={token}".encode("latin-1"))]
    return [*_without(headers, b"authorization"), (b"authorization", f"Bearer {token}".encode())]


def _without_cookie(headers: Headers, cookie: str) -> Headers:
    """All cookies in one header, except the one that holds a token of this server."""
    pairs = [each.strip() for name, value in headers if name == b"cookie" for each in value.split(b";")]
    others = [each for each in pairs if each and each.partition(b"=")[0].strip() != cookie.encode()]
    kept = _without(headers, b"cookie")
    return [*kept, (b"cookie", b"; ".join(others))] if others else kept


def _without(headers: Headers, name: bytes) -> Headers:
    return [pair for pair in headers if pair[0] != name]


def _header(headers: Headers, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in headers if key == name), "")
