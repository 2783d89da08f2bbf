"""Requests, streams and files over one HTTP pool, as whoever this process is."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import orjson

from workroom.client.events import StreamEvent, read_events
from workroom.client.identity import Identity
from workroom.client.requests import Request
from workroom.client.transfer import pieces, receive, upload_headers
from workroom.errors import DigestMismatch, ServerUnreachable, Unauthenticated, WorkroomError, from_code
from workroom.runtime.content import Content

T = TypeVar("T")
DEFAULT_URL = "http://127.0.0.1:8000"
_RETRY_SECONDS = (0.3, 0.6, 1.2)
_REQUEST_SECONDS = 330.0
_STALL_SECONDS = 120.0
_SILENCE_SECONDS = 60.0  # a stream says more often that it is alive
_STREAM_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=_SILENCE_SECONDS)
_LINE_BYTES = 2**22
_GATEWAY = frozenset({502, 503, 504})  # what a proxy answers for a server that is not there


class Http:
    """Lives on one event loop. Without a token of their own, requests show the one of the identity."""

    def __init__(self, url: str, user: str, password: str | None, token: str | None) -> None:
        self.url = url
        self.identity = Identity(url, user, password, token, self.exchange)
        self.session = aiohttp.ClientSession(
            json_serialize=lambda value: orjson.dumps(value).decode(),
            timeout=aiohttp.ClientTimeout(total=_REQUEST_SECONDS, sock_connect=10),
        )

    async def aclose(self) -> None:
        await self.session.close()

    async def send(self, request: Request, token: str | None) -> Any:
        return await self._acting(token, lambda shown: self._send_as(request, shown))

    async def _acting(self, token: str | None, act: Callable[[str], Awaitable[T]]) -> T:
        """With the token that is given, or with one's own, which may have to be a new one."""
        if token is not None:
            return await act(token)
        own = await self.identity.token()
        try:
            return await act(own)
        except Unauthenticated:
            await self.identity.refused(own)
            return await act(await self.identity.token())

    async def _send_as(self, request: Request, token: str) -> Any:
        headers = {"Authorization": f"Bearer {token}", **request.headers}
        for delay in _RETRY_SECONDS if request.is_repeatable else ():
            try:
                return await self.exchange(request, headers)
            except ServerUnreachable:
                await asyncio.sleep(delay)
        return await self.exchange(request, headers)

    async def stream(self, request: Request, token: str | None) -> AsyncGenerator[StreamEvent, None]:
        shown = token or await self.identity.token()
        try:
            async for event in self._stream_as(request, shown):
                yield event
        except Unauthenticated:  # nothing was told yet
            if token is not None:
                raise
            await self.identity.refused(shown)
            async for event in self._stream_as(request, await self.identity.token()):
                yield event

    async def _stream_as(self, request: Request, token: str) -> AsyncGenerator[StreamEvent, None]:
        headers = {"Authorization": f"Bearer {token}", **request.headers}
        try:
            async with self.session.get(
                self.url + request.path, headers=headers, timeout=_STREAM_TIMEOUT, read_bufsize=_LINE_BYTES
            ) as response:
                if response.status >= 400:
                    await parsed(response)
                async for event in read_events(response.content, request.headers.get("Last-Event-ID", "")):
                    yield event
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ServerUnreachable(unreachable(self.url, error)) from error

    async def exchange(self, request: Request, headers: dict[str, str]) -> Any:
        try:
            async with self.session.request(
                request.method,
                self.url + request.path,
                json=request.body,
                params=request.params,
                headers=headers,
            ) as response:
                return await parsed(response)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ServerUnreachable(unreachable(self.url, error)) from error

    async def upload(
        self, request: Request, content: Content, media_type: str | None, token: str | None
    ) -> Any:
        headers = {**request.headers, **upload_headers(content, media_type)}
        transfer = partial(self._transfer, request, headers, content)
        delays = iter(_RETRY_SECONDS if request.is_repeatable else ())
        while True:
            try:
                return await self._acting(token, transfer)
            except ServerUnreachable:
                delay = next(delays, None)
                if delay is None or content.start is None:
                    raise
                await asyncio.sleep(delay)

    async def _transfer(self, request: Request, headers: dict[str, str], content: Content, token: str) -> Any:
        content.rewind()
        digest = hashlib.sha256()
        shown = {**headers, "Authorization": f"Bearer {token}"}
        async with self._exchanging() as heard:
            body = pieces(content.file, digest, heard)
            async with self._streamed(request, shown, data=body) as response:
                document = await parsed(response)
        if document["sha256"] != digest.hexdigest():
            raise DigestMismatch()
        return document

    async def download(self, request: Request, target: Path, token: str | None) -> Path:
        return await self._acting(token, lambda shown: self._receive(request, target, shown))

    async def _receive(self, request: Request, target: Path, token: str) -> Path:
        headers = {"Authorization": f"Bearer {token}"}
        async with self._exchanging() as heard, self._streamed(request, headers) as response:
            if response.status >= 400:
                await parsed(response)
            return await receive(response, target, heard)

    def _streamed(self, request: Request, headers: dict[str, str], **body: Any) -> Any:
        url, timeout = self.url + request.path, aiohttp.ClientTimeout(total=None, sock_connect=10)
        params = request.params
        return self.session.request(
            request.method, url, params=params, headers=headers, timeout=timeout, **body
        )

    @contextlib.asynccontextmanager
    async def _exchanging(self) -> AsyncIterator[Callable[[], None]]:
        """A transfer may take hours, but not stand still; `heard` says that it does not."""
        try:
            async with asyncio.timeout(_STALL_SECONDS) as limit:
                yield lambda: limit.reschedule(asyncio.get_running_loop().time() + _STALL_SECONDS)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ServerUnreachable(unreachable(self.url, error)) from error


async def parsed(response: aiohttp.ClientResponse) -> Any:
    """What the server answered, or the exception it stands for."""
    document = _parsed(await response.read())
    if response.status >= 400:
        raise problem(document, response.status)
    return document


def problem(document: Any, status: int) -> WorkroomError:
    """The exception that a problem document stands for."""
    if not isinstance(document, dict) or "code" not in document:
        kind = ServerUnreachable if status in _GATEWAY else WorkroomError
        return kind(f"the server answered {status}")
    told = {"type", "title", "status", "code", "detail"}
    fields = {name: value for name, value in document.items() if name not in told}
    return from_code(document["code"], document.get("detail"), **fields)


def unreachable(url: str, error: Exception) -> str:
    """Why there is no answer, and what to do about it."""
    match error:
        case aiohttp.InvalidURL() | aiohttp.NonHttpUrlClientError():
            return f"'{url}' is not the address of a server: write it like {DEFAULT_URL}"
        case aiohttp.ClientSSLError():
            return f"Cannot reach {url}: no secure connection could be made. Is it http, not https?"
        case aiohttp.ClientConnectorError() | aiohttp.ConnectionTimeoutError():
            return f"Cannot reach {url}: is the server running? Start one with `workroom serve`."
        case TimeoutError():
            return f"No answer from {url} in time."
    return f"The connection to {url} was lost: {error or type(error).__name__}"


def _parsed(content: bytes) -> Any:
    try:
        return orjson.loads(content) if content else None
    except orjson.JSONDecodeError:
        return None
