"""Responses past ASGI: the whole response of a submit in one write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from workroom.server.protocols.http_protocol import HttpProtocol
from workroom.server.protocols.transport import encode_headers

_RESPOND = "workroom.respond"


class FastHttpProtocol(HttpProtocol):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._extensions[_RESPOND] = self._respond

    def _respond(self, status: int, headers: bytes, body: bytes) -> bool:
        cycle = self._current
        assert cycle is not None
        is_unusual = cycle.response_started or cycle.access_log or not cycle.keep_alive
        if is_unusual or cycle.disconnected or cycle.flow.write_paused:
            return False
        cycle.response_started = cycle.response_complete = True
        length = (b"content-length", str(len(body)).encode())
        head = STATUS_LINE[status] + encode_headers((*cycle.default_headers, length)) + headers
        if not self.transport.is_closing():
            self.transport.write(head + b"\r\n" + body)
        cycle.message_event.set()
        cycle.on_response()
        return True


def respond(scope: Scope, status: int, headers: bytes, body: bytes) -> bool:
    """Write a response past ASGI. Returns False, with nothing written, where that is not possible.

    The caller vouches for the headers: they are not checked again.
    """
    write: Callable[[int, bytes, bytes], bool] | None = scope.get("extensions", {}).get(_RESPOND)
    return write is not None and write(status, headers, body)
