"""Refuses bodies that are too large before they are buffered."""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workroom.errors import BodyTooLarge, StoreUnavailable, WorkroomError
from workroom.server.http import problems
from workroom.server.http.context import Services
from workroom.server.http.dependencies import read_token
from workroom.server.protocols import transport
from workroom.settings import Settings


class BodyLimit:
    """Limits the size of documents, and of each kind of file separately. Callers without a token get less."""

    def __init__(self, app: ASGIApp, settings: Settings, services: Callable[[], Services | None]) -> None:
        self._app = app
        self._services = services
        self._max_body = settings.max_body
        self._max_anonymous = settings.max_anonymous_body
        self._files = (
            ("PUT", re.compile(r"/api/jobs/[^/]+/artifacts/[^/]+"), settings.max_artifact),
            ("PUT", re.compile(r"/api/jobs/[^/]+/preview"), settings.max_preview),
            ("POST", re.compile(r"/api/jobs/[^/]+/positions"), settings.max_positions),
            ("POST", re.compile(r"/api/rooms/[^/]+/files"), settings.max_file),
            ("PUT", re.compile(r"/api/rooms/[^/]+/frames/pieces/[^/]+"), settings.max_piece),
            ("POST", re.compile(r"/api/rooms/[^/]+/frames(/pieces)?"), settings.max_piece),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "DELETE"):
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        declared = headers.get(b"content-length", b"0")
        max_file = self._max_file(scope)
        if max_file is not None:
            transport.expect_file(scope)
        max_bytes = self._max_body if max_file is None else max_file
        refusal: WorkroomError = _too_large(max_bytes)
        size = int(declared) if declared.isdigit() else max_bytes + 1
        if size <= max_bytes and (size > self._max_anonymous or b"transfer-encoding" in headers):
            unknown = await self._check_token(scope)
            if unknown is not None:
                max_bytes, refusal = self._max_anonymous, unknown
        if size > max_bytes:
            await problems.response(refusal)(scope, receive, send)
        else:
            await self._count(scope, receive, send, max_bytes, refusal)

    async def _check_token(self, scope: Scope) -> WorkroomError | None:
        """The error of a caller without a valid token, who may not fill much memory."""
        services = self._services()
        if services is None:
            return StoreUnavailable("the server is starting")
        try:
            await services.accounts.read(read_token(Request(scope), services.settings.cookie))
        except WorkroomError as error:
            return error
        return None

    def _max_file(self, scope: Scope) -> int | None:
        found = (
            max_bytes
            for method, path, max_bytes in self._files
            if method == scope["method"] and path.fullmatch(scope["path"])
        )
        return next(found, None)

    async def _count(
        self, scope: Scope, receive: Receive, send: Send, max_bytes: int, refusal: WorkroomError
    ) -> None:
        """Beyond the limit, the application sees a disconnect, and the client gets the refusal."""
        received = 0
        is_started = False

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return {"type": "http.disconnect"} if received > max_bytes else message

        async def unless_refused(message: Message) -> None:
            nonlocal is_started
            if received <= max_bytes:
                is_started = True
                await send(message)

        try:
            await self._app(scope, counted, unless_refused)
        except Exception:
            if received <= max_bytes:
                raise
        if received > max_bytes and not is_started:
            await problems.response(refusal)(scope, receive, send)


def _too_large(max_bytes: int) -> BodyTooLarge:
    return BodyTooLarge(f"the request body may have at most {max_bytes} bytes", max_bytes=max_bytes)
