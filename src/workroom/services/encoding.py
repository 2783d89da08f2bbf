"""Values become JSON, or are refused."""

from __future__ import annotations

from typing import Any

import orjson

from workroom.errors import InvalidRequest


def encoded(value: Any, what: str) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError as error:
        raise InvalidRequest(
            f"{what} cannot be kept: it is nested too deeply or holds an odd text"
        ) from error
