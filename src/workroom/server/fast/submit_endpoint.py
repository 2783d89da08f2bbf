"""Submit requests without FastAPI, as ASGI middleware in front of it and of the guard.

Takes only requests of the usual form that the guard accepts. Any other request, valid or not, goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

import orjson
from pydantic import ValidationError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workroom.domain.room import room_name
from workroom.domain.schema.json_parts import check_parts
from workroom.errors import InvalidName, WorkroomError
from workroom.server.fast.http_protocol import respond
from workroom.server.fast.message_decoder import decode_submit
from workroom.server.http import problems, request_guard
from workroom.server.http.bodies.fields import MAX_KEY
from workroom.server.http.context import Services
from workroom.server.http.request_guard import RequestGuard, headers_of, with_headers
from workroom.server.http.views.job import render_submitted, submitted_status
from workroom.server.http.views.values import Document
from workroom.server.protocols.transport import encode_headers
from workroom.services.jobs.submit_requests import SubmitRequest
from workroom.settings import Settings
from workroom.tracing import valid

_PATH = re.compile(rb"/api/rooms/([^/?]+)/extensions/([^/?]+)/([^/?]+)/submit")
_BEARER = b"bearer "
_UNUSUAL_HEADERS = frozenset({b"origin", b"expect", b"transfer-encoding"})
_MAX_PATH = 512
_JSON = (b"content-type", b"application/json")
_HEADERS = encode_headers((_JSON, *request_guard.HEADERS))


class _Head(NamedTuple):
    extension: tuple[str, str, str]  # room, category and name
    token: str
    key: str | None
    trace: str | None


class SubmitEndpoint:
    def __init__(
        self,
        app: ASGIApp,
        guard: RequestGuard,
        settings: Settings,
        services: Callable[[], Services | None],
    ) -> None:
        self._app = app
        self._guard = guard
        self._max_body = settings.max_body
        self._max_parts = settings.max_json_parts
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        services = self._services()
        head = self._head(scope) if services is not None else None
        if services is None or head is None:
            await self._app(scope, receive, send)
            return
        message = await receive()
        request = self._request(message, head)
        if request is None:
            await self._app(scope, _replay(message, receive), send)
            return
        try:
            status, document = await _submit(services, head.token, request)
        except WorkroomError as error:
            await problems.response(error)(scope, receive, with_headers(send))
            return
        body = orjson.dumps(document)
        if respond(scope, status, _HEADERS, body):
            return
        headers = [_JSON, (b"content-length", str(len(body)).encode()), *request_guard.HEADERS]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _head(self, scope: Scope) -> _Head | None:
        """None unless it is a submit of the usual form."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope["query_string"]:
            return None
        path = scope["raw_path"]
        extension = _extension(path) if len(path) <= _MAX_PATH and path.endswith(b"/submit") else None
        if extension is None:
            return None
        headers = headers_of(scope)
        authorization, length = headers.get(b"authorization", b""), headers.get(b"content-length", b"")
        key = headers.get(b"idempotency-key")
        is_json = headers.get(b"content-type", b"").startswith(b"application/json")
        is_short = length.isdigit() and int(length) <= self._max_body
        is_bearer = authorization[: len(_BEARER)].lower() == _BEARER
        is_key_valid = key is None or 0 < len(key) <= MAX_KEY
        is_usual = is_json and is_short and is_bearer and is_key_valid
        if not is_usual or not _UNUSUAL_HEADERS.isdisjoint(headers):
            return None
        if self._guard.refusal(scope, headers) is not None:
            return None
        token = str(authorization[len(_BEARER) :], "latin-1")
        trace = headers.get(b"traceparent")
        return _Head(
            extension,
            token,
            None if key is None else str(key, "latin-1"),
            None if trace is None else valid(str(trace, "latin-1")),
        )

    def _request(self, message: Message, head: _Head) -> SubmitRequest | None:
        """None unless the whole body has arrived and is valid."""
        if message["type"] != "http.request" or message.get("more_body"):
            return None
        body = message.get("body", b"")
        try:
            check_parts(body, self._max_parts)
            request = decode_submit(orjson.loads(body), head.extension, head.key)
        except (WorkroomError, orjson.JSONDecodeError, ValidationError):
            return None
        request.trace = head.trace
        return request


@lru_cache(maxsize=1024)
def _extension(path: bytes) -> tuple[str, str, str] | None:
    found = _PATH.fullmatch(path)
    if found is None:
        return None
    room, category, name = (unquote(part.decode()) for part in found.groups())
    try:
        return room_name(room), category, name
    except InvalidName:
        return None


async def _submit(services: Services, token: str, request: SubmitRequest) -> tuple[int, Document]:
    caller = await services.accounts.read(token)
    job = await services.submission.submit(caller, request)
    return submitted_status(job), render_submitted(job, caller)


def _replay(first: Message, receive: Receive) -> Receive:
    """`receive`, starting again with a message that was already read."""
    unread = [first]

    async def replaying() -> Message:
        return unread.pop() if unread else await receive()

    return replaying
