"""Health and readiness."""

from __future__ import annotations

from typing import Literal

from fastapi import Response
from typing_extensions import TypedDict

from workroom import __version__
from workroom.server.http.dependencies import ServicesDep, json_response
from workroom.server.http.openapi import PUBLIC
from workroom.server.http.router import Router

router = Router(tags=["operations"])


class Health(TypedDict):
    status: Literal["ok"]
    version: str


class Readiness(TypedDict):
    ready: bool


@router.get("/healthz", response_model=Health, openapi_extra=PUBLIC)
async def read_health() -> Response:
    """200 while the server runs."""
    return json_response({"status": "ok", "version": __version__})


@router.get(
    "/readyz",
    response_model=Readiness,
    responses={503: {"model": Readiness, "description": "the server is stopping"}},
    openapi_extra=PUBLIC,
)
async def read_readiness(services: ServicesDep) -> Response:
    """503 from the moment the server begins to stop."""
    is_ready = services.readiness.is_ready
    return json_response({"ready": is_ready}, 200 if is_ready else 503)
