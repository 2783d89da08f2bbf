"""Concurrency keys: filled in from a job's data, and checked against the schema when they are registered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from workroom.domain.extension import BY_ACTOR, Concurrency
from workroom.errors import InvalidRequest

_FIELD = re.compile(r"\{([\w.]+)\}")
MAX_KEY = 200
_COMPOSING = ("$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas")
_MAX_REFERENCES = 20
_MAX_SHOWN = 100


def lane_key(concurrency: Concurrency, data: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """The key of a job. Missing fields take the schema's default; lists and objects are empty text."""
    values = {**defaults, **data}
    return _FIELD.sub(lambda match: _text(values, match.group(1)), concurrency.key)[:MAX_KEY]


def actor_lane(key: str, limit: int) -> str:
    """The lane of an actor's job, which carries its own limit."""
    return f"{key[:MAX_KEY]}#{max(1, limit)}"


def template_fields(template: str) -> list[str]:
    return _FIELD.findall(template)


def without_fields(template: str) -> str:
    """The template without its fields."""
    return _FIELD.sub("", template)


def _text(values: Any, path: str) -> str:
    for part in path.split("."):
        values = values.get(part) if isinstance(values, Mapping) else None
    return str(values)[:MAX_KEY] if isinstance(values, str | int | float) else ""


def check_key_template(template: str, schema: Mapping[str, Any]) -> None:
    """Refuse unbalanced braces, fields that the schema lacks, and fields that are no text or number."""
    if template == BY_ACTOR:
        return
    if not template:
        raise _refusal(template, "it is empty: write a text, or fields of the data like {provider}")
    rest = without_fields(template)
    if "{" in rest or "}" in rest:
        raise _refusal(
            template, "its braces do not match: fields are written like {provider} or {model.name}"
        )
    for field in template_fields(template):
        _check_field(template, field, schema)


def _check_field(template: str, field: str, schema: Mapping[str, Any]) -> None:
    part: Any = schema
    for name in field.split("."):
        part = _resolved(part, schema)
        if not _is_known(part):
            return
        if name not in part["properties"]:
            raise _unknown(template, field, name, list(part["properties"]))
        part = part["properties"][name]
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind in ("object", "array"):
        what = "a list" if kind == "array" else "an object"
        raise _refusal(template, f"'{field[:_MAX_SHOWN]}' is {what}: a key is made of texts and numbers")


def _is_known(part: Any) -> bool:
    """Whether the schema lists every field that a value can have."""
    if not isinstance(part, Mapping) or not isinstance(part.get("properties"), Mapping):
        return False
    return part.get("additionalProperties", False) is False and not any(word in part for word in _COMPOSING)


def _resolved(part: Any, root: Mapping[str, Any]) -> Any:
    for _ in range(_MAX_REFERENCES):
        reference = part.get("$ref") if isinstance(part, Mapping) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return part
        part = root
        for step in reference[2:].split("/"):
            part = part.get(step) if isinstance(part, Mapping) else None
    return None


def _unknown(template: str, field: str, name: str, known: list[str]) -> InvalidRequest:
    near = get_close_matches(name[:_MAX_SHOWN], known[:1000], 1)
    hint = f": did you mean '{near[0]}'?" if near else ""
    return _refusal(template, f"the schema has no field '{field[:_MAX_SHOWN]}'{hint}")


def _refusal(template: str, why: str) -> InvalidRequest:
    return InvalidRequest(f"the concurrency key '{template[:_MAX_SHOWN]}' cannot be used: {why}")
