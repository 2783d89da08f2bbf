"""One call, without a room, a socket or a loop of one's own."""

from __future__ import annotations

import asyncio
from typing import Any

from workroom.client.addresses import Addresses
from workroom.client.http import Http
from workroom.client.requests import Request


def call(url: str | None, token: str | None, method: str, path: str, body: Any = None) -> Any:
    """Send a request, as nobody without a token; the answer's document, or the exception it stands for."""
    return asyncio.run(_call(Addresses.of(url), token, Request(method, path, body)))


async def _call(addresses: Addresses, token: str | None, request: Request) -> Any:
    http = Http(addresses, "", None, None)
    try:
        return await (http.exchange(request, {}) if token is None else http.send(request, token))
    finally:
        await http.aclose()
