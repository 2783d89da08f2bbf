"""Values that every view shares: times, embedded JSON, the empty document."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any

import orjson
from pydantic import WithJsonSchema
from typing_extensions import TypedDict  # pydantic requires this one before Python 3.12

Document = Mapping[str, Any]
Time = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
Object = Annotated[Any, WithJsonSchema({"type": "object", "additionalProperties": True})]


class Nothing(TypedDict):
    """Success without further information."""


@lru_cache(maxsize=1024)
def format_time(at_us: int) -> str:
    seconds, rest_us = divmod(at_us, 1_000_000)
    return f"{_format_second(seconds)}.{rest_us // 1000:03}Z"


@lru_cache(maxsize=64)
def _format_second(seconds: int) -> str:
    """Most times are of the last few seconds, and this takes long."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:-6]


@lru_cache(maxsize=1024)
def format_optional_time(at_us: int | None) -> str | None:
    return None if at_us is None else format_time(at_us)


def embed(encoded: bytes | None) -> Any:
    """JSON that is stored encoded goes out without being parsed."""
    return None if encoded is None else orjson.Fragment(encoded)
