"""Every failure becomes one RFC 9457 document, in this one place."""

from __future__ import annotations

import math

import orjson
import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from workroom.errors import (
    InvalidRequest,
    MalformedJson,
    MethodNotAllowed,
    NotFound,
    RangeNotSatisfiable,
    StoreUnavailable,
    TooManyRequests,
    Unauthenticated,
    WorkroomError,
)
from workroom.server import documents

log = structlog.get_logger()


def response(error: WorkroomError) -> Response:
    return Response(
        orjson.dumps(documents.problem(error), default=str),
        error.status,
        _headers(error),
        "application/problem+json",
    )


def _headers(error: WorkroomError) -> dict[str, str]:
    if isinstance(error, Unauthenticated):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, RangeNotSatisfiable):
        return {"Content-Range": f"bytes */{error.fields['size']}"}
    if isinstance(error, StoreUnavailable | TooManyRequests):
        return {"Retry-After": str(math.ceil(error.fields.get("retry_after_ms", 1000) / 1000))}
    return {}


def from_validation(error: ValidationError | RequestValidationError) -> WorkroomError:
    faults = error.errors()
    if any(fault["type"] == "json_invalid" for fault in faults):
        return MalformedJson()
    errors = [
        {
            "path": "/" + "/".join(str(part) for part in fault["loc"] if part != "body"),
            "message": fault["msg"],
        }
        for fault in faults[:20]
    ]
    where = "; ".join(f"{fault['path']}: {fault['message']}" for fault in errors[:3])
    return InvalidRequest(f"the request does not have the expected form: {where}", errors=errors)


def install(app: FastAPI) -> None:
    @app.exception_handler(WorkroomError)
    async def _ours(_: Request, error: WorkroomError) -> Response:
        return response(error)

    @app.exception_handler(RequestValidationError)
    async def _invalid(_: Request, error: RequestValidationError) -> Response:
        return response(from_validation(error))

    @app.exception_handler(HTTPException)
    async def _http(_: Request, error: HTTPException) -> Response:
        if error.status_code == 405:
            return response(MethodNotAllowed())
        if error.status_code == 404:
            return response(NotFound("there is nothing at this address"))
        return response(MalformedJson() if error.status_code == 400 else WorkroomError(str(error.detail)))

    @app.exception_handler(Exception)
    async def _unexpected(request: Request, error: Exception) -> Response:
        log.error("request_failed", path=request.url.path, exc_info=error)
        return response(WorkroomError("something went wrong inside the server: its log has the details"))
