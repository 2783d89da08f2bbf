"""The OpenAPI document: what all routes have in common is added here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from threading import Lock
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from workroom.errors import (
    BodyTooLarge,
    ForeignOrigin,
    InvalidName,
    InvalidRequest,
    MalformedJson,
    QuotaExceeded,
    StorageFull,
    StoreUnavailable,
    Unauthenticated,
    UnknownHost,
    UnsupportedEncoding,
    WorkroomError,
)
from workroom.server.http import event_schemas

Document = dict[str, Any]
Refusal = type[WorkroomError]

PUBLIC: Document = {"security": []}  # `openapi_extra` of a route that needs no token
_CODES = "x-codes"
_TAGS = {
    "identity": "Logins, tokens and accounts.",
    "rooms": "Shared workspaces, their members and their chat.",
    "extensions": "Typed units of work that can be submitted.",
    "jobs": "Submit, read, cancel and replay jobs; reports of workers.",
    "groups": "Jobs that are submitted, watched and operated as one thing.",
    "tasks": "Jobs as tasks of a queue: an actor is requested by its name.",
    "streams": "Server-sent events.",
    "data": "The data of a room: documents, their versions, locks, and records.",
    "packs": "Plug-ins of the server, and the views that they add to rooms.",
    "files": "Artifacts and previews of jobs, and files uploaded to a room.",
    "workers": "Processes that run jobs: registration, heartbeats and shutdown.",
    "events": "Socket events. Each carries a list of items under its name.",
    "operations": "Health, readiness and metrics.",
}
_HEADERS = {
    401: {"WWW-Authenticate": {"schema": {"type": "string"}}},
    429: {"Retry-After": {"description": "seconds", "schema": {"type": "integer"}}},
    503: {"Retry-After": {"description": "seconds", "schema": {"type": "integer"}}},
}


STORING: tuple[Refusal, ...] = (QuotaExceeded, StorageFull)  # errors of routes that store something


def refused(*kinds: Refusal) -> dict[int | str, Document]:
    """The `responses` of a route: its errors besides those that all routes of its kind share."""
    return {
        status: {_CODES: [kind.code for kind in kinds if kind.status == status]}
        for status in {kind.status for kind in kinds}
    }


def install(app: FastAPI, cookie: str) -> None:
    """Serve this document instead of FastAPI's own."""

    lock = Lock()  # concurrent requests run in threads: the first one makes the document for all

    @cache
    def make() -> Document:
        return _document(app, cookie)

    def document() -> Document:
        with lock:
            return make()

    app.openapi = document  # type: ignore[method-assign]


def _document(app: FastAPI, cookie: str) -> Document:
    tags = [{"name": name, "description": text} for name, text in _TAGS.items()]
    document = get_openapi(title=app.title, version=app.version, routes=app.routes, tags=tags)
    codes: dict[int, set[str]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            _name(operation)
            for status, names in _refuse(operation, _shared(path, method, operation)).items():
                codes.setdefault(status, set()).update(names)
    document["webhooks"], schemas = event_schemas.describe_webhooks()
    schemas |= _describe_streams(document)
    schemas |= document["components"]["schemas"]
    document["components"] = {
        "schemas": {
            name: _plain(each) for name, each in schemas.items() if not name.endswith("ValidationError")
        },
        "responses": {f"Problem{status}": _problem(status, codes[status]) for status in sorted(codes)},
        "securitySchemes": {
            "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
            "cookie": {"type": "apiKey", "in": "cookie", "name": cookie},
        },
    }
    document["security"] = [{"bearer": []}, {"cookie": []}]
    return document


def _describe_streams(document: Document) -> Document:
    """Describe the events of each stream; returns the schemas that they refer to."""
    events, schemas = event_schemas.describe_streams()
    for methods in document["paths"].values():
        for operation in methods.values():
            if operation["operationId"] in events:
                content = operation["responses"]["200"]["content"]["text/event-stream"]
                content["x-events"] = events[operation["operationId"]]
    return schemas


def _name(operation: Document) -> None:
    operation["summary"] = operation["operationId"].replace("_", " ").capitalize()
    for parameter in operation.get("parameters", ()):
        parameter["schema"] = _untitled(_without_null(parameter["schema"]))


def _plain(schema: Document) -> Document:
    if "properties" not in schema:
        return schema
    return {**schema, "properties": {name: _untitled(each) for name, each in schema["properties"].items()}}


def _shared(path: str, method: str, operation: Document) -> Iterator[Refusal]:
    """Errors that any request of this kind may get."""
    yield UnsupportedEncoding
    yield UnknownHost
    yield InvalidRequest
    if method != "get":
        yield ForeignOrigin
    if method in ("post", "put", "patch"):
        yield BodyTooLarge
    if "application/json" in operation.get("requestBody", {}).get("content", ()):
        yield MalformedJson
    if "{room}" in path:
        yield InvalidName
    if operation.get("security") != PUBLIC["security"]:
        yield Unauthenticated
        yield StoreUnavailable


def _without_null(schema: Document) -> Document:
    """An optional query parameter is left out, never null."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) != 1:
        return schema
    return {**{key: value for key, value in schema.items() if key != "anyOf"}, **kinds[0]}


def _untitled(schema: Document) -> Document:
    """Without the title, which only repeats the name."""
    return {key: value for key, value in schema.items() if key != "title"}


def _refuse(operation: Document, shared: Iterable[Refusal]) -> dict[int, list[str]]:
    """Refer every error to the one description of its status, with its codes."""
    responses = operation["responses"]
    codes = {int(status): each[_CODES] for status, each in responses.items() if _CODES in each}
    for kind in shared:
        known = codes.setdefault(kind.status, [])
        codes[kind.status] = known if kind.code in known else [*known, kind.code]
    for status, names in codes.items():
        text = ", ".join(f"`{name}`" for name in names)
        responses[str(status)] = {"$ref": f"#/components/responses/Problem{status}", "description": text}
    operation["responses"] = dict(sorted(responses.items()))
    return codes


def _problem(status: int, codes: set[str]) -> Document:
    titles = [f"- `{kind.code}`: {kind.title()}" for kind in _kinds(WorkroomError) if kind.code in codes]
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    headers = {"headers": _HEADERS[status]} if status in _HEADERS else {}
    return {"description": "\n".join(titles), "content": content, **headers}


def _kinds(root: Refusal) -> Iterator[Refusal]:
    yield root
    for branch in root.__subclasses__():
        yield from _kinds(branch)
