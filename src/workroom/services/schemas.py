"""Schemas are checked once, compiled once and used for every job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jsonschema_rs
import orjson

from workroom.domain.schema_weight import weigh
from workroom.errors import InvalidData, InvalidSchema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MAX_PATTERNS = 50
MAX_FAULTS = 20
MAX_MESSAGE = 300
_ELSEWHERE = ("$ref", "$dynamicRef", "$recursiveRef")
_RENAMING = ("$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$vocabulary")
_PATTERNS = jsonschema_rs.FancyRegexOptions(
    backtrack_limit=10_000, size_limit=100_000, dfa_size_limit=100_000
)


@dataclass(frozen=True, slots=True)
class SchemaLimits:
    max_bytes: int = 100_000
    max_depth: int = 40


def check_schema(schema: dict[str, Any], limits: SchemaLimits) -> None:
    """Refuse a schema that is too large, too deep, points elsewhere or cannot be compiled."""
    if schema.get("type") != "object":
        raise InvalidSchema("an extension's schema describes an object")
    patterns = 0
    for node in _nodes(schema, limits.max_depth):
        _check_node(node)
        patterns += isinstance(node.get("pattern"), str) + len(_children(node, "patternProperties"))
    if patterns > MAX_PATTERNS:
        raise InvalidSchema(f"the schema has {patterns} patterns; {MAX_PATTERNS} are allowed")
    size = len(orjson.dumps(schema))
    if size > limits.max_bytes:
        raise InvalidSchema(f"the schema has {size:,} bytes; {limits.max_bytes:,} are allowed")
    compile_schema(orjson.dumps(schema))


def _check_node(node: dict[str, Any]) -> None:
    for keyword in _ELSEWHERE:
        reference = node.get(keyword)
        if isinstance(reference, str) and not reference.startswith("#"):
            raise InvalidSchema(f"the schema points outside itself: {reference[:200]}")
    for keyword in _RENAMING:
        if isinstance(node.get(keyword), str):
            raise InvalidSchema(f"the schema uses {keyword}; parts are named under $defs here")
    if "$schema" in node and node["$schema"] != DIALECT:
        raise InvalidSchema(f"the schema is of another dialect than {DIALECT}")


def _children(node: dict[str, Any], keyword: str) -> dict[str, Any]:
    children = node.get(keyword)
    return children if isinstance(children, dict) else {}


@lru_cache(maxsize=256)
def compile_schema(schema: bytes) -> jsonschema_rs.Draft202012Validator:
    try:
        return jsonschema_rs.Draft202012Validator(
            orjson.loads(schema), retriever=_refuse, pattern_options=_PATTERNS
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        raise InvalidSchema(f"the schema cannot be used: {str(error)[:MAX_MESSAGE]}") from error


@lru_cache(maxsize=1024)
def weight_of(schema: bytes) -> float:
    """How much work checking a value may be, per byte of the value; infinite if nobody can tell."""
    return weigh(orjson.loads(schema))


@lru_cache(maxsize=1024)
def schema_defaults(schema: bytes) -> dict[str, Any]:
    """The defaults of the fields of an extension."""
    properties = orjson.loads(schema).get("properties", {})
    fields = {name: field for name, field in properties.items() if isinstance(field, dict)}
    return {name: field["default"] for name, field in fields.items() if "default" in field}


def _refuse(address: str) -> Any:
    """Nothing that a schema names makes the server fetch anything."""
    raise ValueError(f"the schema points outside itself: {address[:200]}")


def faults_of(schema: bytes, data: Any) -> list[dict[str, str]]:
    """Where and why the values do not fit; nothing if they do."""
    validator = compile_schema(schema)
    if validator.is_valid(data):
        return []
    return [
        {"path": "/" + "/".join(map(str, fault.instance_path)), "message": fault.message[:MAX_MESSAGE]}
        for fault, _ in zip(validator.iter_errors(data), range(MAX_FAULTS), strict=False)
    ]


def refuse_faults(faults: list[dict[str, str]]) -> None:
    if faults:
        where = "; ".join(f"{fault['path']}: {fault['message']}" for fault in faults[:3])
        raise InvalidData(f"the values do not fit the extension's schema: {where}", errors=faults)


def _nodes(schema: dict[str, Any], max_depth: int) -> Iterator[dict[str, Any]]:
    """Every object in the schema, as long as it is not nested too deeply."""
    waiting: list[tuple[int, Any]] = [(0, schema)]
    while waiting:
        depth, node = waiting.pop()
        if depth > max_depth:
            raise InvalidSchema(f"the schema is nested deeper than {max_depth} levels")
        if isinstance(node, dict):
            yield node
            waiting.extend((depth + 1, child) for child in node.values())
        elif isinstance(node, list):
            waiting.extend((depth + 1, child) for child in node)
