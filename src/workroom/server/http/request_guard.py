"""Checks host, origin and encoding of every request before it is read, and adds security headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workroom.errors import ForeignOrigin, UnknownHost, UnsupportedEncoding, WorkroomError
from workroom.server.http import problems

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "media-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
    "frame-ancestors {}; form-action 'self'"
)
_COMMON = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_NO_FRAMES = (b"x-frame-options", b"DENY")
Pairs = tuple[tuple[bytes, bytes], ...]


def security_headers(frame_ancestors: Sequence[str] = ()) -> Pairs:
    """`frame_ancestors` are the sites that may show the page in a frame."""
    sites = " ".join("'self'" if site == "self" else site for site in frame_ancestors)
    policy = (b"content-security-policy", _POLICY.format(sites or "'none'").encode())
    return (*_COMMON, policy) if sites else (*_COMMON, _NO_FRAMES, policy)


HEADERS = security_headers()
Headers = Mapping[bytes, bytes]


def headers_of(scope: Scope) -> Headers:
    """By name. The first of two headers counts."""
    return dict(reversed(scope["headers"]))


class RequestGuard:
    """A server on a loopback address accepts only loopback host names, which prevents DNS rebinding."""

    def __init__(
        self,
        app: ASGIApp,
        host: str,
        hosts: Sequence[str],
        origins: Sequence[str],
        frame_ancestors: Sequence[str] = (),
    ) -> None:
        self._app = app
        self._hosts = None if host not in _LOOPBACK and not hosts else _LOOPBACK | {*hosts}
        self._origins = frozenset(origin.rstrip("/") for origin in origins)
        self._headers = security_headers(frame_ancestors)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self.refusal(scope, headers_of(scope))
        if refusal is not None:
            await self._refuse(refusal, scope, receive, send)
            return
        await self._app(
            scope, receive, with_headers(send, self._headers) if scope["type"] == "http" else send
        )

    def refusal(self, scope: Scope, headers: Headers) -> WorkroomError | None:
        host = str(headers.get(b"host", b""), "latin-1")
        if self._hosts is not None and _name(host) not in self._hosts:
            return UnknownHost(f"unknown host '{host[:100]}': add it to WORKROOM_HOSTS", host=host)
        is_reading = scope["type"] == "http" and scope["method"] in _READING
        origin = str(headers.get(b"origin", b""), "latin-1")
        if not is_reading and b"origin" in headers and not self._is_ours(origin, host):
            return ForeignOrigin(
                f"requests from pages of {origin[:100]} are not allowed: add it to WORKROOM_ORIGINS"
            )
        if headers.get(b"content-encoding", b"identity") != b"identity":
            return UnsupportedEncoding()
        return None

    async def _refuse(self, refusal: WorkroomError, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal.detail[:120]})
            return
        await problems.response(refusal)(scope, receive, with_headers(send, self._headers))

    def _is_ours(self, origin: str, host: str) -> bool:
        return _site(origin) == host or origin in self._origins


def _site(origin: str) -> str | None:
    """Host and port of an origin; None if it is malformed."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _name(host: str) -> str:
    """A Host header without its port."""
    return host[: host.rindex("]") + 1] if host.startswith("[") and "]" in host else host.partition(":")[0]


def with_headers(send: Send, added: Pairs = HEADERS) -> Send:
    """`send`, with the security headers in each response."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = message.get("headers", [])
            names = {name for name, _ in headers}
            message["headers"] = [*headers, *(each for each in added if each[0] not in names)]
        await send(message)

    return send_with_headers
