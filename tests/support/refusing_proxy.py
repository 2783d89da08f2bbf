"""A proxy in front of a real server that refuses some events itself."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import aiohttp
from aiohttp import web

from workroom.errors import WorkroomError
from workroom.server.http.views.problem import render_problem

Refuse = Callable[[str, list[Any]], WorkroomError | None]  # of an event and its items
Before = Callable[[str, str], Awaitable[None]]  # of the method and the path of a request
_HOP = {"host", "connection", "content-length", "transfer-encoding", "upgrade"}


class RefusingProxy:
    """`refuse` returns the error for a list of items, or None; with `whole`, the whole list is refused.

    `before` is awaited before a request over HTTP goes on.
    """

    def __init__(
        self, upstream: str, refuse: Refuse, *, whole: bool = False, before: Before | None = None
    ) -> None:
        self._upstream = upstream
        self._refuse = refuse
        self._whole = whole
        self._before = before
        self.seen: Counter[str] = Counter()
        self.url = ""

    async def open(self) -> None:
        self._client = aiohttp.ClientSession()
        app = web.Application(client_max_size=2**24)
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def close(self) -> None:
        await self._runner.cleanup()
        await self._client.close()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        url = self._upstream + request.path_qs
        if request.headers.get("Upgrade") == "websocket":
            return await self._link(request, url)
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _HOP}
        body = await request.read()
        if self._before is not None:
            await self._before(request.method, request.path)
        async with self._client.request(request.method, url, headers=headers, data=body) as answer:
            kind = {"Content-Type": answer.headers["Content-Type"]}
            return web.Response(status=answer.status, body=await answer.read(), headers=kind)

    async def _link(self, request: web.Request, url: str) -> web.StreamResponse:
        here = web.WebSocketResponse()
        await here.prepare(request)
        async with self._client.ws_connect(url) as there:
            back = asyncio.ensure_future(_forward(there, here))
            async for message in here:
                answer = self._answer(message.data)
                with suppress(ConnectionError):
                    await (there.send_str(message.data) if answer is None else here.send_str(answer))
            back.cancel()
        return here

    def _answer(self, text: str) -> str | None:
        if not text.startswith("42") or '["job:' not in text:
            return None
        number, _, rest = text[2:].partition("[")
        event, items = json.loads(f"[{rest}")
        self.seen[event] += 1
        error = self._refuse(event, items)
        if error is None:
            return None
        document = render_problem(error)
        said = {"error": document} if self._whole else {"answers": [document] * len(items)}
        return f"43{number}{json.dumps([said])}"


async def _forward(source: Any, target: Any) -> None:
    async for message in source:
        await target.send_str(message.data)
    await target.close()
