"""Checks and compiles the schemas of extensions, once for all of their jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import jsonschema_rs
import orjson

from workroom.domain.schema.masking import MASK
from workroom.domain.schema.weight import Weight, weigh
from workroom.errors import InvalidData, InvalidSchema
from workroom.services.bounded_cache import bounded_cache

Fault = dict[str, str]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
MAX_PATTERNS = 50
MAX_FAULTS = 20
MAX_MESSAGE = 300
MAX_PATH = 300
_LEAST_SIZE = 100
_COUNTED_FAULTS = 20_000_000  # of work: finding all faults takes a few seconds at most
_ELSEWHERE = ("$ref", "$dynamicRef", "$recursiveRef")
_RENAMING = ("$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$vocabulary")
MAX_PARSED, _MAX_COMPILED = 8_000_000, 32_000_000  # bytes of each cache
_PATTERN_BYTES = 10_000
_COMPILED_GROWTH = 64  # bytes of a validator per byte of its schema, at most; 30 is usual
_PARSED_GROWTH = 32  # an empty object has two bytes as JSON and 64 as a dict
_PATTERNS = jsonschema_rs.FancyRegexOptions(
    backtrack_limit=10_000, size_limit=100_000, dfa_size_limit=100_000
)


@dataclass(frozen=True, slots=True)
class SchemaLimits:
    max_bytes: int = 100_000
    max_depth: int = 40


def check_form(schema: dict[str, Any], limits: SchemaLimits) -> None:
    """Refuse a schema that is too large, too deep or has remote references, before it is compiled."""
    if schema.get("type") != "object":
        raise InvalidSchema("an extension's schema must describe an object")
    patterns = 0
    for node in _nodes(schema, limits.max_depth):
        _check_node(node)
        patterns += isinstance(node.get("pattern"), str) + len(_children(node, "patternProperties"))
    if patterns > MAX_PATTERNS:
        raise InvalidSchema(f"the schema has {patterns} patterns; {MAX_PATTERNS} are allowed")
    size = len(orjson.dumps(schema))
    if size > limits.max_bytes:
        raise InvalidSchema(f"the schema has {size:,} bytes; {limits.max_bytes:,} are allowed")


def _check_node(node: dict[str, Any]) -> None:
    for keyword in _ELSEWHERE:
        reference = node.get(keyword)
        if isinstance(reference, str) and not reference.startswith("#"):
            raise InvalidSchema(f"the schema points outside itself: {reference[:200]}")
    for keyword in _RENAMING:
        if isinstance(node.get(keyword), str):
            raise InvalidSchema(f"the schema uses {keyword}; name its parts under $defs instead")
    if "$schema" in node and node["$schema"] != DIALECT:
        raise InvalidSchema(f"the schema must use the dialect {DIALECT}")


def _children(node: dict[str, Any], keyword: str) -> dict[str, Any]:
    children = node.get(keyword)
    return children if isinstance(children, dict) else {}


def parsed_size(parsed: object, schema: bytes) -> int:
    """The memory of a schema and of parts of it, if any are kept."""
    return len(schema) * (_PARSED_GROWTH if parsed else 1)


def _compiled_size(validator: object, schema: bytes, *_: object) -> int:
    return len(schema) if validator is None else _PATTERN_BYTES + len(schema) * _COMPILED_GROWTH


@bounded_cache(_MAX_COMPILED, _compiled_size)
def compile_schema(schema: bytes) -> jsonschema_rs.Draft202012Validator:
    try:
        return jsonschema_rs.Draft202012Validator(
            orjson.loads(schema), retriever=_refuse, pattern_options=_PATTERNS, mask=_mask_for(schema)
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        reason = error.message if isinstance(error, jsonschema_rs.ValidationError) else str(error)
        raise InvalidSchema(f"the schema cannot be used: {reason[:MAX_MESSAGE]}") from None


def _mask_for(schema: bytes) -> str | None:
    """The placeholder for values in messages, if some may be secret."""
    return MASK if b'"password"' in schema or b'"writeOnly"' in schema else None


@bounded_cache(MAX_PARSED, lambda _, schema: len(schema))
def weight_of(schema: bytes) -> Weight:
    """An upper bound of the work to validate a value; infinite if there is none."""
    return weigh(orjson.loads(schema))


class QuickCheck(NamedTuple):
    """Validates values up to the size that is provably fast; larger ones need another process."""

    max_size: float
    is_valid: Callable[[Any], bool]


@bounded_cache(_MAX_COMPILED, _compiled_size)
def quick_check(schema: bytes, work: float) -> QuickCheck | None:
    """None if no size of values is known to stay within this work."""
    weight = weight_of(schema)
    if not weight.is_proven or weight.work(_LEAST_SIZE) > work:
        return None
    return QuickCheck(weight.largest_size(work), compile_schema(schema).is_valid)


def work_of(schema: bytes, size: int) -> float:
    """The upper bound for values of this size, as JSON."""
    return weight_of(schema).work(max(size, _LEAST_SIZE))


@bounded_cache(MAX_PARSED, parsed_size)
def schema_defaults(schema: bytes) -> dict[str, Any]:
    """The default values of the fields of an extension."""
    properties = orjson.loads(schema).get("properties", {})
    fields = {name: field for name, field in properties.items() if isinstance(field, dict)}
    return {name: field["default"] for name, field in fields.items() if "default" in field}


def _refuse(address: str) -> Any:
    """References never make the server fetch anything."""
    raise ValueError(f"the schema points outside itself: {address[:200]}")


def faults_of(schema: bytes, data: Any, work: float = 0.0) -> list[Fault]:
    """Where and why the values do not fit; nothing if they do. Only the first fault if there may be millions.

    The validator makes all faults at once, each with a copy of the value that is wrong.
    """
    validator = compile_schema(schema)
    try:
        validator.validate(data)
    except jsonschema_rs.ValidationError as first:
        faults = validator.iter_errors(data) if work <= _COUNTED_FAULTS else [first]
        return [_fault(each) for each, _ in zip(faults, range(MAX_FAULTS), strict=False)]
    return []


def _fault(fault: jsonschema_rs.ValidationError) -> Fault:
    path = "".join(f"/{step}" for step in fault.instance_path)
    return {"path": path[:MAX_PATH] or "/", "message": fault.message[:MAX_MESSAGE]}


def refuse_faults(faults: list[Fault]) -> None:
    if faults:
        where = "; ".join(f"{fault['path']}: {fault['message']}" for fault in faults[:3])
        raise InvalidData(f"the values do not fit the extension's schema: {where}", errors=faults)


def _nodes(schema: dict[str, Any], max_depth: int) -> Iterator[dict[str, Any]]:
    """Every object in the schema. Raises InvalidSchema if it is nested too deeply."""
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
