"""Maps every exception to an RFC 9457 problem response."""

from __future__ import annotations

import math
import re
from typing import Any

import orjson
import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from workroom.errors import (
    Busy,
    InvalidRequest,
    MalformedJson,
    MethodNotAllowed,
    NotFound,
    RangeNotSatisfiable,
    StoreUnavailable,
    TooManyConnections,
    TooManyRequests,
    Unauthenticated,
    WorkroomError,
)
from workroom.server.http.views.problem import render_problem

log = structlog.get_logger()

_MEMBER = re.compile(r"<\w+\.\w+: ('[^']*')>")  # the repr of an enum member
_MAX_MESSAGE = 300
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_IDS = frozenset(
    {"job_id", "worker_id", "room", "user", "group", "file_id"}
)  # in paths; values are not logged
_MAX_ID = 200


def response(error: WorkroomError) -> Response:
    return Response(
        orjson.dumps(render_problem(error), default=str),
        error.status,
        _headers(error),
        "application/problem+json",
    )


def _headers(error: WorkroomError) -> dict[str, str]:
    if isinstance(error, Unauthenticated):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, MethodNotAllowed):
        return {"Allow": ", ".join(error.fields["allow"])}
    if isinstance(error, RangeNotSatisfiable):
        return {"Content-Range": f"bytes */{error.fields['size']}"}
    if isinstance(error, Busy | StoreUnavailable | TooManyRequests | TooManyConnections):
        return {"Retry-After": str(math.ceil(error.fields.get("retry_after_ms", 1000) / 1000))}
    return {}


def _message(fault: Any) -> str:
    """In terms of JSON: clients do not know the server's models."""
    if fault["type"] in ("model_type", "model_attributes_type", "dict_type"):
        return "Input should be an object"
    return _MEMBER.sub(r"\1", str(fault["msg"]).removeprefix("Value error, "))[:_MAX_MESSAGE]


def _path(fault: Any) -> str:
    """Where the value is in the request, without the member of a union that pydantic tried."""
    steps = [str(part) for part in fault["loc"] if part != "body"]
    if steps and f"{steps[-1]}_type" == fault["type"]:
        steps.pop()
    return ("/" + "/".join(steps))[:_MAX_MESSAGE]


def from_validation(error: ValidationError | RequestValidationError) -> WorkroomError:
    faults = error.errors()
    if any(fault["type"] == "json_invalid" for fault in faults):
        return MalformedJson()
    errors = [{"path": _path(fault), "message": _message(fault)} for fault in faults[:20]]
    where = "; ".join(f"{fault['path']}: {fault['message']}" for fault in errors[:3])
    return InvalidRequest(f"the request does not have the expected form: {where}", errors=errors)


def _methods(request: Request) -> set[str]:
    """The methods of all routes that match; Starlette's router reports only those of the first one."""
    matching = [each for each in request.app.routes if each.matches(request.scope)[0] is not Match.NONE]
    return {
        method
        for method in _METHODS
        if any(each.matches({**request.scope, "method": method})[0] is Match.FULL for each in matching)
    }


def install(app: FastAPI) -> None:
    @app.exception_handler(WorkroomError)
    async def _ours(_: Request, error: WorkroomError) -> Response:
        return response(error)

    @app.exception_handler(RequestValidationError)
    async def _invalid(_: Request, error: RequestValidationError) -> Response:
        return response(from_validation(error))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        if error.status_code == 405:
            methods = sorted(_methods(request))
            return response(MethodNotAllowed(f"this path accepts only {', '.join(methods)}", allow=methods))
        if error.status_code == 404:
            return response(NotFound("there is nothing at this path"))
        return response(MalformedJson() if error.status_code == 400 else WorkroomError(str(error.detail)))

    @app.exception_handler(Exception)
    async def _unexpected(request: Request, error: Exception) -> Response:
        ids = {name: str(value)[:_MAX_ID] for name, value in request.path_params.items() if name in _IDS}
        log.error("request_failed", method=request.method, path=request.url.path, **ids, exc_info=error)
        return response(WorkroomError("internal error: the server's log has the details"))
