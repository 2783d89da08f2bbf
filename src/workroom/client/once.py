"""One call, without a room, a socket or a loop of one's own."""

from __future__ import annotations

import asyncio
from typing import Any

from workroom.client.connection import Connection
from workroom.client.requests import Request


def call(url: str | None, token: str | None, method: str, path: str, body: Any = None) -> Any:
    """Send a request; the answer's document, or the exception it stands for."""
    return asyncio.run(_call(url, token, Request(method, path, body)))


async def _call(url: str | None, token: str | None, request: Request) -> Any:
    connection = Connection(url, user=None, password=None, token=token)
    try:
        if token is None:
            return await connection.exchange(request)
        return await connection.send(request)
    finally:
        await connection.aclose()
