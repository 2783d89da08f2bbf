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
        await self._count(scope, receive, send)

    async def _count(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Once too much has come, the request is over for the application, and the answer is ours."""
        received = 0
        is_started = False

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return {"type": "http.disconnect"} if received > self._max_bytes else message

        async def unless_refused(message: Message) -> None:
            nonlocal is_started
            if received <= self._max_bytes:
                is_started = True
                await send(message)

        try:
            await self._app(scope, counted, unless_refused)
        except Exception:
            if received <= self._max_bytes:
                raise
        if received > self._max_bytes and not is_started:
            await problems.response(self._refusal())(scope, receive, send)

    def _refusal(self) -> BodyTooLarge:
        return BodyTooLarge(f"a request body may have {self._max_bytes} bytes", max_bytes=self._max_bytes)
