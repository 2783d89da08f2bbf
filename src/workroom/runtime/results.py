"""What run() returned, as JSON, or a sentence on what in it is none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

import orjson
from pydantic import BaseModel

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
_DEPTH = 100


def encoded(result: Any) -> bytes | None:
    """The result as JSON. Pydantic models, dataclasses, dates and NumPy arrays are understood."""
    if result is None:
        return None
    try:
        return _dumped(result)
    except orjson.JSONEncodeError as error:
        raise TypeError(_explained(result)) from error


def _dumped(value: Any) -> bytes:
    return orjson.dumps(value, default=_plain, option=_OPTIONS)


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, set | frozenset):
        return list(value)
    raise TypeError


def _explained(result: Any) -> str:
    """Go down to the innermost part that is not JSON, and name it."""
    part, path = result, ""
    for _ in range(_DEPTH):
        found = next(((step, child) for step, child in _parts(part) if not _is_json(child)), None)
        if found is None:
            return f"run() returned {_named(part)}{f' at result{path}' if path else ''}, which is not JSON"
        path, part = path + found[0], found[1]
    return "run() returned something that contains itself or is nested too deeply, which is not JSON"


def _is_json(value: Any) -> bool:
    try:
        _dumped(value)
    except orjson.JSONEncodeError:
        return False
    return True


def _parts(value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(f"[{key!r}]", each) for key, each in value.items()]
    if isinstance(value, list | tuple | set | frozenset):
        return [(f"[{index}]", each) for index, each in enumerate(value)]
    if isinstance(value, BaseModel):
        return [(f".{name}", each) for name, each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return [(f".{field.name}", getattr(value, field.name)) for field in fields(value)]
    return []


def _named(value: Any) -> str:
    match value:
        case int():
            return "a number beyond 64-bit"
        case str():
            return "a text that is not valid UTF-8"
        case dict():
            return "a dict with keys that are neither texts nor numbers"
    return f"a value of type {type(value).__name__}"
