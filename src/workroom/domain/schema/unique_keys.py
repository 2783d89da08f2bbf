"""Unique keys of jobs: digests of the fields that a template names."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from workroom.domain.extension import COUNTED_STATES, OnDuplicate, Policy, canonical
from workroom.domain.schema.concurrency_keys import check_fields, template_fields
from workroom.errors import InvalidRequest

MAX_WITHIN = 2_678_400  # seconds: 31 days


def unique_key(template: str, data: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """The key of a job. Missing fields take the schema's default; lists and objects count as a whole."""
    values = {**defaults, **data}
    found = [_value(values, path) for path in template_fields(template)]
    return hashlib.sha256(canonical({"template": template, "values": found})).hexdigest()


def _value(values: Any, path: str) -> Any:
    for part in path.split("."):
        values = values.get(part) if isinstance(values, Mapping) else None
    return values


def check_unique(policy: Policy, schema: Mapping[str, Any]) -> None:
    check_window(policy.unique, policy.unique_within, policy.on_duplicate, policy.unique_states)
    if policy.unique is not None:
        check_fields(policy.unique, schema, "unique key")


def check_window(unique: str | None, within: float | None, on_duplicate: str, states: Sequence[str]) -> None:
    is_default = within is None and on_duplicate == OnDuplicate.JOIN and set(states) == set(COUNTED_STATES)
    if unique is None and not is_default:
        raise InvalidRequest(
            "unique_within, unique_states and on_duplicate need a unique key: "
            "set unique to one like {structure}"
        )
    if not states or not set(states) <= set(COUNTED_STATES):
        raise InvalidRequest(f"unique_states are some of {', '.join(COUNTED_STATES)}")
    if within is not None and "completed" not in states:
        raise InvalidRequest("unique_within is for completed jobs: add completed to unique_states")
    if within is not None and not 0 < within <= MAX_WITHIN:
        raise InvalidRequest(f"unique_within is a number of seconds, more than 0 and at most {MAX_WITHIN:,}")
