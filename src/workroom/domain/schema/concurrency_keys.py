"""Keys of jobs: filled in from their data, and checked against the schema when they are registered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from workroom.domain.extension import BY_ACTOR, Concurrency, Policy
from workroom.domain.rules.queue.rates import MAX_STARTS, is_rate
from workroom.errors import InvalidRequest

_FIELD = re.compile(r"\{([\w.]+)\}")
MAX_KEY = 200
_COMPOSING = ("$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas")
_MAX_REFERENCES = 20
_MAX_SHOWN = 100


def lane_key(concurrency: Concurrency, data: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """The key of a job. Missing fields take the schema's default; lists and objects are empty text."""
    return fill_template(concurrency.key, data, defaults)


def fill_template(template: str, data: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    values = {**defaults, **data}
    return _FIELD.sub(lambda match: _text(values, match.group(1)), template)[:MAX_KEY]


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


def check_keys(policy: Policy, schema: Mapping[str, Any]) -> None:
    """Refuse a policy whose rate is none, or whose keys cannot be filled in from data of this schema."""
    if policy.concurrency is not None:
        check_key_template(policy.concurrency.key, schema)
    check_rate(policy.rate, policy.rate_key, policy.rates)
    if policy.rate_key is not None:
        check_key_template(policy.rate_key, schema, "rate key")
        _check_beside(policy.rate_key, policy.concurrency)


def check_rate(rate: str | None, key: str | None, rates: Mapping[str, str] | None = None) -> None:
    if rate is None and key is not None and not rates:
        raise InvalidRequest(f"the rate key '{key[:_MAX_SHOWN]}' has no rate: set rate to one like 100/min")
    if rates and key is None:
        raise InvalidRequest("rates of keys need a rate key, like {provider}")
    for each in (rate, *(rates or {}).values()):
        if each is not None and not is_rate(each):
            raise InvalidRequest(
                f"'{each[:_MAX_SHOWN]}' is not a rate: write a number from 1 to {MAX_STARTS:,} and s, min or "
                "h, like 100/min"
            )


def _check_beside(rate_key: str, concurrency: Concurrency | None) -> None:
    """Jobs that share a limit must share a rate: otherwise one would wait for another one's rate."""
    if concurrency is not None and concurrency.key != rate_key:
        raise _refusal(
            rate_key,
            "the concurrency key is another one: use the same for both, or no rate key to count all together",
            "rate key",
        )


def check_key_template(template: str, schema: Mapping[str, Any], kind: str = "concurrency key") -> None:
    """Refuse what `check_fields` refuses, and fields that are no text or number."""
    if template == BY_ACTOR:
        return
    for field, part in check_fields(template, schema, kind):
        kinds = part.get("type") if isinstance(part, Mapping) else None
        if kinds in ("object", "array"):
            what = "a list" if kinds == "array" else "an object"
            why = f"'{field[:_MAX_SHOWN]}' is {what}: a key is made of texts and numbers"
            raise _refusal(template, why, kind)


def check_fields(template: str, schema: Mapping[str, Any], kind: str) -> list[tuple[str, Any]]:
    """Refuse unbalanced braces, and fields that the schema lacks. Returns the fields with their schemas."""
    if not template:
        raise _refusal(template, "it is empty: write a text, or fields of the data like {provider}", kind)
    rest = without_fields(template)
    if "{" in rest or "}" in rest:
        raise _refusal(
            template, "its braces do not match: fields are written like {provider} or {model.name}", kind
        )
    return [(field, _find(template, field, schema, kind)) for field in template_fields(template)]


def _find(template: str, field: str, schema: Mapping[str, Any], kind: str) -> Any:
    """The schema of a field; None if the schema does not list the fields of its object."""
    part: Any = schema
    for name in field.split("."):
        part = _resolved(part, schema)
        if not _is_known(part):
            return None
        if name not in part["properties"]:
            raise _unknown(template, field, name, list(part["properties"]), kind)
        part = part["properties"][name]
    return part


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


def _unknown(template: str, field: str, name: str, known: list[str], kind: str) -> InvalidRequest:
    near = get_close_matches(name[:_MAX_SHOWN], known[:1000], 1)
    hint = f": did you mean '{near[0]}'?" if near else ""
    return _refusal(template, f"the schema has no field '{field[:_MAX_SHOWN]}'{hint}", kind)


def _refusal(template: str, why: str, kind: str) -> InvalidRequest:
    return InvalidRequest(f"the {kind} '{template[:_MAX_SHOWN]}' cannot be used: {why}")
