"""Most requests are plain submits: they are taken in front of the framework, which takes ten times as long.

What is not plain, or not right, goes the long way, where everything is understood and explained.
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

from workroom.domain.job import Job
from workroom.domain.room import room_name
from workroom.errors import InvalidName, WorkroomError
from workroom.server import documents, doors, plain_speech, problems, transport
from workroom.server.context import Services
from workroom.server.ordering import Wish
from workroom.server.wire import MAX_KEY

_PATH = re.compile(rb"/api/rooms/([^/?]+)/extensions/([^/?]+)/([^/?]+)/submit")
_BEARER = b"bearer "
_UNUSUAL = frozenset({b"origin", b"expect", b"transfer-encoding"})
_LONGEST_PATH = 512
_JSON = (b"content-type", b"application/json")
_HEADERS = transport.encode_headers((_JSON, *doors.HEADERS))


class _Envelope(NamedTuple):
    """What the head of a plain submit says."""

    address: tuple[str, str, str]  # room, category and name
    token: str
    key: str | None


class PlainSubmits:
    def __init__(self, app: ASGIApp, max_body: int, services: Callable[[], Services | None]) -> None:
        self._app = app
        self._max_body = max_body
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        inside = self._services()
        envelope = self._envelope(scope) if inside is not None else None
        if inside is None or envelope is None:
            await self._app(scope, receive, send)
            return
        message = await receive()
        order = _order(message)
        if order is None:
            await self._app(scope, _again(message, receive), send)
            return
        try:
            status, document = await _submitted(inside, envelope, order)
        except WorkroomError as refusal:
            await problems.response(refusal)(scope, receive, send)
            return
        body = orjson.dumps(document)
        if transport.answer(scope, status, _HEADERS, body):
            return
        headers = [_JSON, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _envelope(self, scope: Scope) -> _Envelope | None:
        """If it is a plain one."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope["query_string"]:
            return None
        path = scope["raw_path"]
        address = _address(path) if len(path) <= _LONGEST_PATH and path.endswith(b"/submit") else None
        if address is None:
            return None
        headers = dict(scope["headers"])
        authorization, length = headers.get(b"authorization", b""), headers.get(b"content-length", b"")
        key = headers.get(b"idempotency-key")
        is_json = headers.get(b"content-type", b"").startswith(b"application/json")
        is_short = length.isdigit() and int(length) <= self._max_body
        is_bearer = authorization[: len(_BEARER)].lower() == _BEARER
        is_keyed_well = key is None or 0 < len(key) <= MAX_KEY
        if not (is_json and is_short and is_bearer and is_keyed_well) or not _UNUSUAL.isdisjoint(headers):
            return None
        token = str(authorization[len(_BEARER) :], "latin-1")
        return _Envelope(address, token, None if key is None else str(key, "latin-1"))


@lru_cache(maxsize=1024)
def _address(path: bytes) -> tuple[str, str, str] | None:
    found = _PATH.fullmatch(path)
    if found is None:
        return None
    room, category, name = (unquote(part.decode()) for part in found.groups())
    try:
        return room_name(room), category, name
    except InvalidName:
        return None


async def _submitted(inside: Services, envelope: _Envelope, order: Wish) -> tuple[int, documents.Document]:
    who = await inside.accounts.read(envelope.token)
    job = await inside.ordering.submit(who, *envelope.address, order, envelope.key)
    is_under_way = isinstance(job, Job) and not job.status.is_terminal
    return 202 if is_under_way else 200, documents.ordered(job, who)


def _order(message: Message) -> Wish | None:
    """What is wanted, if it came whole and is well formed."""
    if message["type"] != "http.request" or message.get("more_body"):
        return None
    try:
        return plain_speech.wish(orjson.loads(message.get("body", b"")))
    except (orjson.JSONDecodeError, ValidationError):
        return None


def _again(first: Message, receive: Receive) -> Receive:
    """What was read already is read again."""
    waiting = [first]

    async def receiving() -> Message:
        return waiting.pop() if waiting else await receive()

    return receiving
