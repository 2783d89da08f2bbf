"""Schemas are checked once, compiled once and used for every job."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import jsonschema_rs
import orjson

from workroom.errors import InvalidData, InvalidSchema

MAX_SCHEMA_BYTES = 100_000
MAX_SCHEMA_DEPTH = 40
MAX_FAULTS = 20


def check_schema(schema: dict[str, Any]) -> None:
    """Refuse a schema that is too large, too deep, points elsewhere or cannot be compiled."""
    if schema.get("type") != "object":
        raise InvalidSchema("an extension's schema describes an object")
    if len(orjson.dumps(schema)) > MAX_SCHEMA_BYTES:
        raise InvalidSchema(f"the schema is larger than {MAX_SCHEMA_BYTES} bytes")
    for depth, node in _nodes(schema):
        if depth > MAX_SCHEMA_DEPTH:
            raise InvalidSchema(f"the schema is nested deeper than {MAX_SCHEMA_DEPTH} levels")
        reference = node.get("$ref")
        if isinstance(reference, str) and not reference.startswith("#"):
            raise InvalidSchema(f"the schema points outside itself: {reference[:200]}")
    compile_schema(orjson.dumps(schema))


@lru_cache(maxsize=1024)
def compile_schema(schema: bytes) -> jsonschema_rs.Draft202012Validator:
    try:
        return jsonschema_rs.Draft202012Validator(orjson.loads(schema))
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        raise InvalidSchema(f"the schema cannot be used: {error}") from error


def check_data(schema: bytes, data: dict[str, Any]) -> None:
    """Refuse values that do not fit, and say where."""
    validator = compile_schema(schema)
    if validator.is_valid(data):
        return
    faults = [
        {"path": "/" + "/".join(map(str, fault.instance_path)), "message": fault.message}
        for fault, _ in zip(validator.iter_errors(data), range(MAX_FAULTS), strict=False)
    ]
    where = "; ".join(f"{fault['path']}: {fault['message']}" for fault in faults[:3])
    raise InvalidData(f"the values do not fit the extension's schema: {where}", errors=faults)


def _nodes(schema: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    waiting: list[tuple[int, Any]] = [(0, schema)]
    while waiting:
        depth, node = waiting.pop()
        if isinstance(node, dict):
            yield depth, node
            waiting.extend((depth + 1, child) for child in node.values())
        elif isinstance(node, list):
            waiting.extend((depth + 1, child) for child in node)
