"""The worker's connection, used with the token of a running job."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from workroom.client.job_updates import JobUpdates, Subscription
from workroom.client.requests import Request
from workroom.client.transport.connection import Connection
from workroom.client.transport.sse import StreamEvent
from workroom.runtime.content import Content


class Sender(Protocol):
    """What rooms and job handles need of a connection."""

    async def send(self, request: Request) -> Any: ...

    def stream(self, request: Request) -> AsyncIterator[StreamEvent]: ...

    async def upload(self, request: Request, content: Content, media_type: str | None) -> Any: ...

    async def download(self, request: Request, target: Path) -> Path: ...


class Watcher(Protocol):
    """What job handles need of `JobUpdates`."""

    def subscribe(self, job_id: str, *, logs: bool = False) -> AbstractAsyncContextManager[Subscription]: ...

    async def wait_for_end(self, job_id: str, *, seconds: float) -> dict[str, Any]: ...


class JobConnection:
    def __init__(self, connection: Connection, token: str, headers: dict[str, str]) -> None:
        self._connection = connection
        self._token = token
        self._headers = headers  # of all its changes

    async def send(self, request: Request) -> Any:
        if self._headers and request.method != "GET":
            request = replace(request, headers={**self._headers, **request.headers})
        return await self._connection.send(request, self._token)

    def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        return self._connection.stream(request, self._token)

    async def upload(self, request: Request, content: Content, media_type: str | None) -> Any:
        return await self._connection.upload(request, content, media_type, self._token)

    async def download(self, request: Request, target: Path) -> Path:
        return await self._connection.download(request, target, self._token)


class JobWatcher:
    def __init__(self, updates: JobUpdates, token: str) -> None:
        self._updates = updates
        self._token = token

    def subscribe(self, job_id: str, *, logs: bool = False) -> AbstractAsyncContextManager[Subscription]:
        return self._updates.subscribe(job_id, self._token, logs=logs)

    async def wait_for_end(self, job_id: str, *, seconds: float) -> dict[str, Any]:
        return await self._updates.wait_for_end(job_id, self._token, seconds=seconds)
