"""The REST documentation: what all routes have in common is said here, once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from workroom.errors import (
    BodyTooLarge,
    ForeignOrigin,
    InvalidName,
    InvalidRequest,
    MalformedJson,
    StoreUnavailable,
    Unauthenticated,
    UnknownHost,
    UnsupportedEncoding,
    WorkroomError,
)
from workroom.server import hearing

Document = dict[str, Any]
Refusal = type[WorkroomError]

PUBLIC: Document = {"security": []}  # `openapi_extra` of a route that asks for no token
_CODES = "x-codes"
_TAGS = {
    "identity": "Who am I, and who may come in?",
    "rooms": "Shared workspaces, and who is in them.",
    "extensions": "What can be run.",
    "jobs": "Submitted, read, cancelled and reported on.",
    "tasks": "Jobs as a task queue tells them: actors are asked for by name.",
    "streams": "What happens, as it happens.",
    "files": "What jobs save and show, and what people bring to a room.",
    "workers": "Processes that run jobs: they register, beat and leave.",
    "events": "What a socket tells without being asked: each comes as a list under its name.",
    "operations": "Is it alive?",
}
_HEADERS = {
    401: {"WWW-Authenticate": {"schema": {"type": "string"}}},
    429: {"Retry-After": {"description": "seconds", "schema": {"type": "integer"}}},
    503: {"Retry-After": {"description": "seconds", "schema": {"type": "integer"}}},
}


def refused(*kinds: Refusal) -> dict[int | str, Document]:
    """The `responses` of a route: what it refuses besides what every route of its kind does."""
    return {
        status: {_CODES: [kind.code for kind in kinds if kind.status == status]}
        for status in {kind.status for kind in kinds}
    }


def install(app: FastAPI, cookie: str) -> None:
    """Serve this document instead of the one that FastAPI would make up."""

    @cache
    def document() -> Document:
        return _document(app, cookie)

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
    document["webhooks"], heard = hearing.webhooks()
    schemas = heard | document["components"]["schemas"]
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


def _name(operation: Document) -> None:
    operation["summary"] = operation["operationId"].replace("_", " ").capitalize()
    for parameter in operation.get("parameters", ()):
        parameter["schema"] = _untitled(_without_null(parameter["schema"]))


def _plain(schema: Document) -> Document:
    if "properties" not in schema:
        return schema
    return {**schema, "properties": {name: _untitled(each) for name, each in schema["properties"].items()}}


def _shared(path: str, method: str, operation: Document) -> Iterator[Refusal]:
    """What a request may be refused for whatever it is about."""
    yield UnsupportedEncoding
    yield UnknownHost
    if method != "get":
        yield ForeignOrigin
    if method in ("post", "put", "patch"):
        yield BodyTooLarge
    if "application/json" in operation.get("requestBody", {}).get("content", ()):
        yield MalformedJson
    if "requestBody" in operation or "parameters" in operation:
        yield InvalidRequest
    if "{room}" in path:
        yield InvalidName
    if operation.get("security") != PUBLIC["security"]:
        yield Unauthenticated
        yield StoreUnavailable


def _without_null(schema: Document) -> Document:
    """What may be left out of an address cannot be null in it."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) != 1:
        return schema
    return {**{key: value for key, value in schema.items() if key != "anyOf"}, **kinds[0]}


def _untitled(schema: Document) -> Document:
    """Without the title that only spells the name again."""
    return {key: value for key, value in schema.items() if key != "title"}


def _refuse(operation: Document, shared: Iterable[Refusal]) -> dict[int, list[str]]:
    """Every refusal refers to the one description of its status, and names its codes."""
    responses = operation["responses"]
    codes = {int(status): answer[_CODES] for status, answer in responses.items() if _CODES in answer}
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
