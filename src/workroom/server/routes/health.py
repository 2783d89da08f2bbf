"""Is it alive?"""

from __future__ import annotations

from fastapi import Response

from workroom import __version__
from workroom.server import shapes
from workroom.server.context import Inside, answer
from workroom.server.openapi import PUBLIC
from workroom.server.router import Router

router = Router(tags=["operations"])


@router.get("/healthz", response_model=shapes.Health, openapi_extra=PUBLIC)
async def read_health() -> Response:
    """It answers, so it lives."""
    return answer({"status": "ok", "version": __version__})


@router.get(
    "/readyz",
    response_model=shapes.Readiness,
    responses={503: {"model": shapes.Readiness, "description": "it is stopping"}},
    openapi_extra=PUBLIC,
)
async def read_readiness(inside: Inside) -> Response:
    """503 from the moment the server begins to stop."""
    is_ready = inside.readiness.is_ready
    return answer({"ready": is_ready}, 200 if is_ready else 503)
