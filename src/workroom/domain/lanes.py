"""Which lane a job waits in: the key that a concurrency template makes of its values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workroom.domain.extension import Concurrency

_FIELD = re.compile(r"\{([\w.]+)\}")
MAX_KEY = 200


def lane_key(concurrency: Concurrency, data: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """Fields that were not given count with the schema's default."""
    values = {**defaults, **data}
    return _FIELD.sub(lambda match: _text(values, match.group(1)), concurrency.key)[:MAX_KEY]


def actor_lane(key: str, limit: int) -> str:
    """A lane that carries its own limit."""
    return f"{key[:MAX_KEY]}#{max(1, limit)}"


def template_fields(template: str) -> list[str]:
    return _FIELD.findall(template)


def _text(values: Any, path: str) -> str:
    for part in path.split("."):
        values = values.get(part) if isinstance(values, Mapping) else None
    return "" if values is None else str(values)
