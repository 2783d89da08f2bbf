"""Schemas are checked once, compiled once and used for every job."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import jsonschema_rs
import orjson

from workroom.errors import InvalidData, InvalidSchema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MAX_SCHEMA_BYTES = 100_000
MAX_SCHEMA_DEPTH = 40
MAX_FAULTS = 20
MAX_MESSAGE = 300


def check_schema(schema: dict[str, Any]) -> None:
    """Refuse a schema that is too large, too deep, points elsewhere or cannot be compiled."""
    if schema.get("type") != "object":
        raise InvalidSchema("an extension's schema describes an object")
    for node in _nodes(schema):
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            reference = node.get(keyword)
            if isinstance(reference, str) and not reference.startswith("#"):
                raise InvalidSchema(f"the schema points outside itself: {reference[:200]}")
        if "$schema" in node and node["$schema"] != DIALECT:
            raise InvalidSchema(f"the schema is of another dialect than {DIALECT}")
    if len(orjson.dumps(schema)) > MAX_SCHEMA_BYTES:
        raise InvalidSchema(f"the schema is larger than {MAX_SCHEMA_BYTES} bytes")
    compile_schema(orjson.dumps(schema))


@lru_cache(maxsize=1024)
def compile_schema(schema: bytes) -> jsonschema_rs.Draft202012Validator:
    try:
        return jsonschema_rs.Draft202012Validator(orjson.loads(schema), retriever=_refuse)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        raise InvalidSchema(f"the schema cannot be used: {error}") from error


@lru_cache(maxsize=1024)
def schema_defaults(schema: bytes) -> dict[str, Any]:
    """The defaults of the fields of an extension."""
    properties = orjson.loads(schema).get("properties", {})
    return {name: field["default"] for name, field in properties.items() if "default" in field}


def _refuse(address: str) -> Any:
    """Nothing that a schema names makes the server fetch anything."""
    raise ValueError(f"the schema points outside itself: {address[:200]}")


def check_data(schema: bytes, data: dict[str, Any]) -> None:
    """Refuse values that do not fit, and say where."""
    validator = compile_schema(schema)
    if validator.is_valid(data):
        return
    faults = [
        {"path": "/" + "/".join(map(str, fault.instance_path)), "message": fault.message[:MAX_MESSAGE]}
        for fault, _ in zip(validator.iter_errors(data), range(MAX_FAULTS), strict=False)
    ]
    where = "; ".join(f"{fault['path']}: {fault['message']}" for fault in faults[:3])
    raise InvalidData(f"the values do not fit the extension's schema: {where}", errors=faults)


def _nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every object in the schema, as long as it is not nested too deeply."""
    waiting: list[tuple[int, Any]] = [(0, schema)]
    while waiting:
        depth, node = waiting.pop()
        if depth > MAX_SCHEMA_DEPTH:
            raise InvalidSchema(f"the schema is nested deeper than {MAX_SCHEMA_DEPTH} levels")
        if isinstance(node, dict):
            yield node
            waiting.extend((depth + 1, child) for child in node.values())
        elif isinstance(node, list):
            waiting.extend((depth + 1, child) for child in node)
