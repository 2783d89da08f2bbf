"""Is it alive?"""

from __future__ import annotations

from fastapi import APIRouter, Response

from workroom import __version__
from workroom.server.context import Inside, answer
from workroom.server.json_route import JsonRoute

router = APIRouter(tags=["operations"], route_class=JsonRoute)


@router.get("/healthz")
async def healthz() -> Response:
    return answer({"status": "ok", "version": __version__})


@router.get("/readyz")
async def readyz(inside: Inside) -> Response:
    """503 from the moment the server begins to stop."""
    is_ready = inside.readiness.is_ready
    return answer({"ready": is_ready}, 200 if is_ready else 503)
