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

from workroom.client.addresses import DEFAULT_URL, Addresses
from workroom.client.events import StreamEvent, read_events
from workroom.client.identity import Identity
from workroom.client.requests import Request
from workroom.client.transfer import pieces, receive, upload_headers
from workroom.errors import DigestMismatch, ServerUnreachable, Unauthenticated, WorkroomError, from_code
from workroom.runtime.content import Content

T = TypeVar("T")
_RETRY_SECONDS = (0.3, 0.6, 1.2)
_REQUEST_SECONDS = 330.0
_ELSEWHERE_SECONDS = 20.0  # until another server is asked the same
_STALL_SECONDS = 120.0
_SILENCE_SECONDS = 60.0  # a stream says more often that it is alive
_STREAM_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=_SILENCE_SECONDS)
_LINE_BYTES = 2**22
_GATEWAY = frozenset({502, 503, 504})  # what a proxy answers for a server that is not there


class Http:
    """Lives on one event loop. Without a token of their own, requests show the one of the identity."""

    def __init__(self, addresses: Addresses, user: str, password: str | None, token: str | None) -> None:
        self._addresses = addresses
        self.identity = Identity(addresses.name, user, password, token, self.exchange)
        self.session = aiohttp.ClientSession(
            json_serialize=lambda value: orjson.dumps(value).decode(),
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
        for delay in _RETRY_SECONDS if request.is_waited_for else ():
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
        url = self._addresses.current
        try:
            async with self.session.get(
                url + request.path, headers=headers, timeout=_STREAM_TIMEOUT, read_bufsize=_LINE_BYTES
            ) as response:
                if response.status >= 400:
                    await parsed(response)
                async for event in read_events(response.content, request.headers.get("Last-Event-ID", "")):
                    yield event
        except (aiohttp.ClientError, TimeoutError) as error:
            self._addresses.leave(url)
            raise ServerUnreachable(unreachable(url, error)) from error

    async def exchange(self, request: Request, headers: dict[str, str]) -> Any:
        return await self._anywhere(
            lambda url: self._exchange_at(url, request, headers), may_repeat=request.is_repeatable
        )

    async def _anywhere(self, act: Callable[[str], Awaitable[T]], *, may_repeat: bool) -> T:
        """At the server that answered last; where it does not, at each other one.

        What may not be done twice goes on only if it never left.
        """
        failure = ServerUnreachable()
        for url in self._addresses.round():
            try:
                return await act(url)
            except ServerUnreachable as error:
                self._addresses.leave(url)
                failure = error
                if not may_repeat and not _never_left(error):
                    break
        raise failure

    async def _exchange_at(self, url: str, request: Request, headers: dict[str, str]) -> Any:
        try:
            async with self.session.request(
                request.method,
                url + request.path,
                json=request.body,
                params=request.params,
                headers=headers,
                timeout=self._timeout(request),
            ) as response:
                return await parsed(response)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ServerUnreachable(unreachable(url, error)) from error

    def _timeout(self, request: Request) -> aiohttp.ClientTimeout:
        """A server that stands still is left for another."""
        is_brief = self._addresses.are_several and request.is_repeatable and "wait" not in request.params
        return aiohttp.ClientTimeout(
            total=_ELSEWHERE_SECONDS if is_brief else _REQUEST_SECONDS, sock_connect=10
        )

    async def upload(
        self, request: Request, content: Content, media_type: str | None, token: str | None
    ) -> Any:
        headers = {**request.headers, **upload_headers(content, media_type)}
        transfer = partial(self._transfer, request, headers, content)
        delays = iter(_RETRY_SECONDS if request.is_waited_for else ())
        while True:
            try:
                return await self._acting(token, transfer)
            except ServerUnreachable:
                delay = next(delays, None)
                if delay is None or content.start is None:
                    raise
                await asyncio.sleep(delay)

    async def _transfer(self, request: Request, headers: dict[str, str], content: Content, token: str) -> Any:
        shown = {**headers, "Authorization": f"Bearer {token}"}
        return await self._anywhere(
            lambda url: self._transfer_to(url, request, shown, content),
            may_repeat=request.is_repeatable and content.start is not None,
        )

    async def _transfer_to(
        self, url: str, request: Request, headers: dict[str, str], content: Content
    ) -> Any:
        content.rewind()
        digest = hashlib.sha256()
        async with self._exchanging(url) as heard:
            body = pieces(content.file, digest, heard)
            async with self._streamed(url, request, headers, data=body) as response:
                document = await parsed(response)
        if document["sha256"] != digest.hexdigest():
            raise DigestMismatch()
        return document

    async def download(self, request: Request, target: Path, token: str | None) -> Path:
        def receive(shown: str) -> Awaitable[Path]:
            return self._anywhere(
                lambda url: self._receive_from(url, request, target, shown), may_repeat=True
            )

        return await self._acting(token, receive)

    async def _receive_from(self, url: str, request: Request, target: Path, token: str) -> Path:
        headers = {"Authorization": f"Bearer {token}"}
        async with self._exchanging(url) as heard, self._streamed(url, request, headers) as response:
            if response.status >= 400:
                await parsed(response)
            return await receive(response, target, heard)

    def _streamed(self, url: str, request: Request, headers: dict[str, str], **body: Any) -> Any:
        where, timeout = url + request.path, aiohttp.ClientTimeout(total=None, sock_connect=10)
        params = request.params
        return self.session.request(
            request.method, where, params=params, headers=headers, timeout=timeout, **body
        )

    @contextlib.asynccontextmanager
    async def _exchanging(self, url: str) -> AsyncIterator[Callable[[], None]]:
        """A transfer may take hours, but not stand still; `heard` says that it does not."""
        try:
            async with asyncio.timeout(_STALL_SECONDS) as limit:
                yield lambda: limit.reschedule(asyncio.get_running_loop().time() + _STALL_SECONDS)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ServerUnreachable(unreachable(url, error)) from error


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


def _never_left(error: ServerUnreachable) -> bool:
    """Was there nobody to send it to?"""
    return isinstance(error.__cause__, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)


def _parsed(content: bytes) -> Any:
    try:
        return orjson.loads(content) if content else None
    except orjson.JSONDecodeError:
        return None
