"""Positions that a running job shows."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from workroom.errors import (
    BodyTooLarge,
    Forbidden,
    InvalidRequest,
    JobNotFound,
    StaleAttempt,
    TooManyRequests,
    WorkerNotFound,
)
from workroom.server.http.bodies.fields import MAX_INT
from workroom.server.http.dependencies import ServicesDep, json_response
from workroom.server.http.openapi import refused
from workroom.server.http.router import Router
from workroom.server.http.routes.artifacts import Reported
from workroom.server.http.uploads import BODY, incoming
from workroom.server.http.views.values import Nothing

router = Router(prefix="/api/jobs/{job_id}", tags=["files"])


@router.post(
    "/positions",
    response_model=Nothing,
    responses=refused(
        Forbidden, JobNotFound, WorkerNotFound, StaleAttempt, BodyTooLarge, InvalidRequest, TooManyRequests
    ),
    openapi_extra=BODY,
)
async def show_positions(
    reported: Reported,
    request: Request,
    services: ServicesDep,
    frame: Annotated[int, Query(ge=0, le=MAX_INT, description="index of the frame whose atoms move")],
) -> Response:
    """Show the room where the atoms of a frame are now: x, y and z of each as little-endian 32-bit floats.

    Everybody in the room receives them as `job:positions`, except connections that do not keep up. Nothing is
    stored.
    """
    services.throttles.positions.take(reported.fence.job_id)
    positions = b"".join([chunk async for chunk in incoming(request).chunks])
    await services.positions.show(reported.fence, frame, positions)
    return json_response({})
