"""Is it alive?"""

from __future__ import annotations

from fastapi import APIRouter, Response

from workroom import __version__
from workroom.server.context import answer
from workroom.server.json_route import JsonRoute

router = APIRouter(tags=["operations"], route_class=JsonRoute)


@router.get("/healthz")
async def healthz() -> Response:
    return answer({"status": "ok", "version": __version__})
