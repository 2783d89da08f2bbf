"""Bodies that are too large are refused before they are buffered."""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workroom.errors import BodyTooLarge
from workroom.server import problems
from workroom.settings import Settings


class BodyLimit:
    """Most bodies are small documents; files may be large, each kind with a limit of its own."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._max_body = settings.max_body
        self._files = (
            ("PUT", re.compile(r"/api/jobs/[^/]+/artifacts/[^/]+"), settings.max_artifact),
            ("PUT", re.compile(r"/api/jobs/[^/]+/preview"), settings.max_preview),
            ("POST", re.compile(r"/api/rooms/[^/]+/files"), settings.max_file),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "DELETE"):
            await self._app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        max_bytes = self._limit(scope)
        if not declared.isdigit() or int(declared) > max_bytes:
            await problems.response(_refusal(max_bytes))(scope, receive, send)
            return
        await self._count(scope, receive, send, max_bytes)

    def _limit(self, scope: Scope) -> int:
        found = (
            max_bytes
            for method, path, max_bytes in self._files
            if method == scope["method"] and path.fullmatch(scope["path"])
        )
        return next(found, self._max_body)

    async def _count(self, scope: Scope, receive: Receive, send: Send, max_bytes: int) -> None:
        """Once too much has come, the request is over for the application, and the answer is ours."""
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
            await problems.response(_refusal(max_bytes))(scope, receive, send)


def _refusal(max_bytes: int) -> BodyTooLarge:
    return BodyTooLarge(f"a request body may have {max_bytes} bytes here", max_bytes=max_bytes)
