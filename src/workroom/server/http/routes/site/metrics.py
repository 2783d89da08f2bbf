"""Metrics for Prometheus."""

from __future__ import annotations

from fastapi import Response
from starlette.responses import PlainTextResponse

from workroom.errors import Forbidden
from workroom.server.http.dependencies import AdminCaller, ServicesDep
from workroom.server.http.openapi import refused
from workroom.server.http.router import Router
from workroom.server.metrics.exposition import MEDIA_TYPE, expose

router = Router(tags=["operations"])


@router.get("/metrics", response_class=PlainTextResponse, responses=refused(Forbidden))
async def read_metrics(caller: AdminCaller, services: ServicesDep) -> Response:
    """The metrics of this server and of its store, in Prometheus' text format."""
    return Response(await expose(services.metrics), headers={"content-type": MEDIA_TYPE})
