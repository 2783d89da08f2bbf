"""Bodies that are too large are refused before they are buffered."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workroom.errors import BodyTooLarge
from workroom.server import problems


class BodyLimit:
    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "DELETE"):
            await self._app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > self._max_bytes:
            await problems.response(self._refusal())(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_bytes:
                raise self._refusal()
            return message

        await self._app(scope, counted, send)

    def _refusal(self) -> BodyTooLarge:
        return BodyTooLarge(f"a request body may have {self._max_bytes} bytes", max_bytes=self._max_bytes)
