"""What the routes have in common."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute


class Router(APIRouter):
    """Operations are named as their functions are."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            route_class=JsonRoute, generate_unique_id_function=lambda route: route.name, **options
        )


class JsonRoute(APIRoute):
    """Bodies are read by orjson: fast, strict about NaN, and not to be sunk by nesting."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_with_orjson(request: Request) -> Response:
            return await handle(OrjsonRequest(request.scope, request.receive))

        return handle_with_orjson


class OrjsonRequest(Request):
    async def json(self) -> Any:
        return orjson.loads(await self.body())
