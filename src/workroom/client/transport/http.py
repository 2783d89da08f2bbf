"""Requests, streams and files over one HTTP pool, with the token of this process."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import orjson
from aiohttp import AddrInfoType

from workroom.client.requests import Request
from workroom.client.transport.addresses import Addresses
from workroom.client.transport.identity import Identity
from workroom.client.transport.problems import (
    GATEWAY_STATUSES,
    read_bytes,
    read_response,
    unreachable,
    was_never_sent,
)
from workroom.client.transport.retries import OVERLOADED
from workroom.client.transport.sse import StreamEvent, read_events
from workroom.client.transport.transfer import read_chunks, save, upload_headers
from workroom.errors import DigestMismatch, ServerUnreachable, Unauthenticated, WorkroomError
from workroom.runtime.content import Content
from workroom.runtime.forks import close_in_children

T = TypeVar("T")
_RETRY_SECONDS = (0.3, 0.6, 1.2)
_RESTART_SECONDS = (2.0,) * 14  # then, for a server that responded before: it may be restarting
_REQUEST_SECONDS = 330.0
_FAILOVER_SECONDS = 20.0  # until a repeatable request goes to another server
_STALL_SECONDS = 120.0
_SILENCE_SECONDS = 60.0  # streams send keep-alives more often than this
_STREAM_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=_SILENCE_SECONDS)
_LINE_BYTES = 2**22
_PART_BYTES = 2**20  # of a body that are written at once


class Http:
    """Lives on one event loop. Requests without a token of their own use that of the identity."""

    def __init__(self, addresses: Addresses, user: str, password: str | None, token: str | None) -> None:
        self._addresses = addresses
        self._has_responded = False
        self.identity = Identity(addresses.round(), user, password, token, self.exchange)
        self.session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(socket_factory=_open_socket),
            json_serialize=lambda value: orjson.dumps(value).decode(),
        )

    async def aclose(self) -> None:
        await self.session.close()

    async def send(self, request: Request, token: str | None) -> Any:
        return await self._with_token(token, lambda chosen: self._send_as(request, chosen))

    async def _with_token(self, token: str | None, act: Callable[[str], Awaitable[T]]) -> T:
        """Use the given token, or this process's own, logging in again if the server rejects that."""
        if token is not None:
            return await act(token)
        own = await self.identity.token()
        try:
            return await act(own)
        except Unauthenticated:
            await self.identity.reject(own)
            return await act(await self.identity.token())

    async def _send_as(self, request: Request, token: str) -> Any:
        headers = {"Authorization": f"Bearer {token}", **request.headers}
        delays = chain(_RETRY_SECONDS, _RESTART_SECONDS if self._has_responded else ())
        for delay in delays if request.is_retried else ():
            try:
                return await self.exchange(request, headers)
            except ServerUnreachable:
                await asyncio.sleep(delay)
        return await self.exchange(request, headers)

    async def stream(self, request: Request, token: str | None) -> AsyncGenerator[StreamEvent, None]:
        chosen = token or await self.identity.token()
        try:
            async for event in self._stream_as(request, chosen):
                yield event
        except Unauthenticated:  # raised before the first event
            if token is not None:
                raise
            await self.identity.reject(chosen)
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
                    await read_response(response)
                async for event in read_events(response.content, request.headers.get("Last-Event-ID", "")):
                    yield event
        except OVERLOADED:
            self._addresses.leave(url)
            raise
        except (aiohttp.ClientError, TimeoutError) as error:
            self._addresses.leave(url)
            raise unreachable(url, error) from error

    async def exchange(self, request: Request, headers: dict[str, str]) -> Any:
        """Send a request with these headers and no token but what they contain."""
        return await self._on_any_server(
            lambda url: self._exchange_with(url, request, headers), is_repeatable=request.is_repeatable
        )

    async def _on_any_server(
        self, act: Callable[[str], Awaitable[T]], *, is_repeatable: bool, is_readable: bool = True
    ) -> T:
        """Try the server that responded last, then each of the others.

        An unrepeatable request goes to the next server only if it was never sent, or refused with status 503.
        `is_readable` is false for content that can be read only once.
        """
        failure: WorkroomError = ServerUnreachable()
        for url in self._addresses.round():
            try:
                return await act(url)
            except ServerUnreachable as error:
                self._addresses.leave(url)
                failure = error
                if not is_repeatable and not was_never_sent(error):
                    break
            except OVERLOADED as error:
                self._addresses.leave(url)
                failure = error
                if not is_readable:
                    break
        raise failure

    async def _exchange_with(self, url: str, request: Request, headers: dict[str, str]) -> Any:
        try:
            async with self.session.request(
                request.method,
                url + request.path,
                params=request.params,
                timeout=self._timeout(request),
                **_body(request, headers),
            ) as response:
                self._has_responded |= response.status not in GATEWAY_STATUSES
                if request.is_binary:
                    return await read_bytes(response)
                document = await read_response(response)
                return (document, response.headers.get("ETag", "")) if request.with_etag else document
        except (aiohttp.ClientError, TimeoutError) as error:
            raise unreachable(url, error) from error

    def _timeout(self, request: Request) -> aiohttp.ClientTimeout:
        """Wait less where another server can take the request."""
        can_fail_over = self._addresses.are_several and request.is_repeatable and "wait" not in request.params
        return aiohttp.ClientTimeout(
            total=_FAILOVER_SECONDS if can_fail_over else _REQUEST_SECONDS, sock_connect=10
        )

    async def upload(
        self, request: Request, content: Content, media_type: str | None, token: str | None
    ) -> Any:
        headers = {**request.headers, **upload_headers(content, media_type)}
        upload = partial(self._upload_as, request, headers, content)
        delays = iter(_RETRY_SECONDS if request.is_retried else ())
        while True:
            try:
                return await self._with_token(token, upload)
            except ServerUnreachable:
                delay = next(delays, None)
                if delay is None or content.start is None:
                    raise
                await asyncio.sleep(delay)

    async def _upload_as(
        self, request: Request, headers: dict[str, str], content: Content, token: str
    ) -> Any:
        authorized = {**headers, "Authorization": f"Bearer {token}"}
        return await self._on_any_server(
            lambda url: self._upload_to(url, request, authorized, content),
            is_repeatable=request.is_repeatable and content.start is not None,
            is_readable=content.start is not None,
        )

    async def _upload_to(self, url: str, request: Request, headers: dict[str, str], content: Content) -> Any:
        content.rewind()
        digest = hashlib.sha256()
        async with self._transfer(url) as on_chunk:
            body = read_chunks(content.file, digest, on_chunk)
            async with self._open(url, request, headers, data=body) as response:
                document = await read_response(response)
        if document["sha256"] != digest.hexdigest():
            raise DigestMismatch()
        return document

    async def download(self, request: Request, target: Path, token: str | None) -> Path:
        def download_as(chosen: str) -> Awaitable[Path]:
            return self._on_any_server(
                lambda url: self._download_from(url, request, target, chosen), is_repeatable=True
            )

        return await self._with_token(token, download_as)

    async def _download_from(self, url: str, request: Request, target: Path, token: str) -> Path:
        headers = {"Authorization": f"Bearer {token}"}
        async with self._transfer(url) as on_chunk, self._open(url, request, headers) as response:
            if response.status >= 400:
                await read_response(response)
            return await save(response, target, on_chunk)

    def _open(self, url: str, request: Request, headers: dict[str, str], **body: Any) -> Any:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10)
        return self.session.request(
            request.method,
            url + request.path,
            params=request.params,
            headers=headers,
            timeout=timeout,
            **body,
        )

    @contextlib.asynccontextmanager
    async def _transfer(self, url: str) -> AsyncIterator[Callable[[], None]]:
        """Time out when a transfer stalls, however long it takes; call the yielded function per chunk."""
        try:
            async with asyncio.timeout(_STALL_SECONDS) as limit:
                yield lambda: limit.reschedule(asyncio.get_running_loop().time() + _STALL_SECONDS)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise unreachable(url, error) from error


def _body(request: Request, headers: dict[str, str]) -> dict[str, Any]:
    if not request.parts:
        return {"json": request.body, "headers": headers}
    size = sum(memoryview(part).nbytes for part in request.parts)
    described = {**headers, "Content-Type": request.media_type, "Content-Length": str(size)}
    return {"data": _stream_parts(request.parts), "headers": described}


async def _stream_parts(parts: tuple[bytes | memoryview, ...]) -> AsyncIterator[bytes | memoryview]:
    for part in parts:
        whole = memoryview(part)
        for start in range(0, len(whole), _PART_BYTES):
            yield whole[start : start + _PART_BYTES]


def _open_socket(address: AddrInfoType) -> socket.socket:
    family, kind, protocol, *_ = address
    return close_in_children(socket.socket(family, kind, protocol))


def call_once(url: str | None, token: str | None, method: str, path: str, body: Any = None) -> Any:
    """Send one request from synchronous code, unauthenticated without a token."""
    return asyncio.run(_call_once(Addresses.of(url), token, Request(method, path, body)))


async def _call_once(addresses: Addresses, token: str | None, request: Request) -> Any:
    http = Http(addresses, "", None, None)
    try:
        return await (http.exchange(request, {}) if token is None else http.send(request, token))
    finally:
        await http.aclose()
