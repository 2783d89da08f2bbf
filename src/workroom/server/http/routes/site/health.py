"""Health and readiness."""

from __future__ import annotations

from typing import Literal, NotRequired

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
    code: NotRequired[str]
    detail: NotRequired[str]


@router.get("/healthz", response_model=Health, openapi_extra=PUBLIC)
async def read_health() -> Response:
    """200 while the server runs."""
    return json_response({"status": "ok", "version": __version__})


@router.get(
    "/readyz",
    response_model=Readiness,
    responses={503: {"model": Readiness, "description": "the server is stopping, or would refuse a job"}},
    openapi_extra=PUBLIC,
)
async def read_readiness(services: ServicesDep) -> Response:
    """503 from the moment the server begins to stop, and while it would refuse a job.

    `code` is the problem that a submit would meet, such as `store_replaced` or `storage_full`.
    """
    if not services.readiness.is_ready:
        return json_response({"ready": False, "code": "stopping", "detail": "The server is stopping."}, 503)
    problem = await services.health.problem()
    if problem is None:
        return json_response({"ready": True})
    return json_response({"ready": False, "code": problem.code, "detail": problem.title()}, 503)
