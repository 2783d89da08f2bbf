"""The connection of a worker, used with the rights of a job that it runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

from workroom.client.connection import Connection
from workroom.client.events import StreamEvent
from workroom.client.news import Changes, News
from workroom.client.requests import Request
from workroom.runtime.content import Content


class Sender(Protocol):
    async def send(self, request: Request) -> Any: ...

    def stream(self, request: Request) -> AsyncIterator[StreamEvent]: ...

    async def upload(self, request: Request, content: Content, media_type: str | None) -> Any: ...

    async def download(self, request: Request, target: Path) -> Path: ...


class Watcher(Protocol):
    def about(self, job_id: str, *, logs: bool = False) -> AbstractAsyncContextManager[Changes]: ...

    async def ended(self, job_id: str, *, seconds: float) -> dict[str, Any]: ...


class ActingConnection:
    def __init__(self, connection: Connection, token: str) -> None:
        self._connection = connection
        self._token = token

    async def send(self, request: Request) -> Any:
        return await self._connection.send(request, self._token)

    def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        return self._connection.stream(request, self._token)

    async def upload(self, request: Request, content: Content, media_type: str | None) -> Any:
        return await self._connection.upload(request, content, media_type, self._token)

    async def download(self, request: Request, target: Path) -> Path:
        return await self._connection.download(request, target, self._token)


class ActingNews:
    def __init__(self, news: News, token: str) -> None:
        self._news = news
        self._token = token

    def about(self, job_id: str, *, logs: bool = False) -> AbstractAsyncContextManager[Changes]:
        return self._news.about(job_id, self._token, logs=logs)

    async def ended(self, job_id: str, *, seconds: float) -> dict[str, Any]:
        return await self._news.ended(job_id, self._token, seconds=seconds)
