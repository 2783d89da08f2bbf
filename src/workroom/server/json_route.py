"""Bodies are read by orjson: fast, strict about NaN, and not to be sunk by nesting."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi import Request, Response
from fastapi.routing import APIRoute


class OrjsonRequest(Request):
    async def json(self) -> Any:
        return orjson.loads(await self.body())


class JsonRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_with_orjson(request: Request) -> Response:
            return await handle(OrjsonRequest(request.scope, request.receive))

        return handle_with_orjson
