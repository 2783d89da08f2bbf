"""The bounds of everything that a request may carry, as OpenAPI describes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from workroom.server.app import rest
from workroom.settings import Settings

Schema = Mapping[str, Any]

BOUNDS = ("maxLength", "maxItems", "maxProperties", "maximum")
EXACT_INTEGERS = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a request: `pointer` is its path, with 0 for each item and * for each value of a mapping."""

    method: str
    path: str
    where: str  # body, query, header or path
    pointer: str
    schema: Schema

    @property
    def field(self) -> str:
        return self.pointer.strip("/").removesuffix("/0").removesuffix("/*").split("/")[-1]

    @property
    def refused_path(self) -> str:
        """How a problem names it."""
        prefix = "" if self.where == "body" else f"/{self.where}"
        return prefix + self.pointer.replace("/*", "/x")

    @property
    def is_unbounded(self) -> bool:
        kind = self.schema.get("type")
        is_text = kind == "string" and not self.schema.keys() & {"maxLength", "enum", "const", "format"}
        return is_text or (kind == "array" and "maxItems" not in self.schema)

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.where} {self.pointer}"


@cache
def _document() -> dict[str, Any]:
    document: dict[str, Any] = rest(Settings()).openapi()
    return document


def places() -> Iterator[Place]:
    """Every string, number, list and mapping that a request may carry."""
    for path, methods in _document()["paths"].items():
        for method, route in methods.items():
            yield from _of_route(method.upper(), path, route)


def _of_route(method: str, path: str, route: Schema) -> Iterator[Place]:
    for parameter in route.get("parameters", ()):
        for pointer, schema in _parts(parameter["schema"], f"/{parameter['name']}"):
            yield Place(method, path, parameter["in"], pointer, schema)
    content = route.get("requestBody", {}).get("content", {})
    for pointer, schema in _parts(content.get("application/json", {}).get("schema", {}), ""):
        yield Place(method, path, "body", pointer, schema)


def _parts(schema: Schema, pointer: str) -> Iterator[tuple[str, Schema]]:
    schema = resolved(schema)
    for choice in (*schema.get("anyOf", ()), *schema.get("allOf", ()), *schema.get("oneOf", ())):
        yield from _parts(choice, pointer)
    yield pointer, schema
    for name, each in schema.get("properties", {}).items():
        yield from _parts(each, f"{pointer}/{name}")
    if "items" in schema:
        yield from _parts(schema["items"], f"{pointer}/0")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _parts(schema["additionalProperties"], f"{pointer}/*")


def resolved(schema: Schema) -> Schema:
    if "$ref" not in schema:
        return schema
    found: Schema = _document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def smallest(schema: Schema) -> Any:
    """A small value that fits."""
    schema = resolved(schema)
    if "anyOf" in schema:
        return smallest(schema["anyOf"][0])
    if schema.get("type") == "object":
        return {name: smallest(schema["properties"][name]) for name in schema.get("required", ())}
    if schema.get("format") == "date-time":
        return "2026-01-20T12:00:00Z"
    return {"array": [], "string": "x", "boolean": True}.get(
        schema.get("type", ""), int(schema.get("minimum", 1))
    )


def of_size(schema: Schema, bound: str, size: float) -> Any:
    """A value whose length, or which itself, is as large as this."""
    match bound:
        case "maxLength":
            return "a" * int(size)
        case "maxItems":
            return [smallest(schema["items"])] * int(size)
        case "maxProperties":
            return {f"key {number}": smallest(schema["additionalProperties"]) for number in range(int(size))}
    return int(size) if float(size).is_integer() else size


def body_with(pointer: str, value: Any) -> Any:
    """A body that has nothing but this value."""
    body = value
    for name in reversed(pointer.strip("/").split("/")):
        body = [body] if name == "0" else {"x" if name == "*" else name: body}
    return body
