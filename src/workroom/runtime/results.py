"""Encodes the return value of `run()` as JSON, or explains why that is impossible."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Any

import orjson
from pydantic import BaseModel

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
_MAX_DEPTH = 100


def encode_result(result: Any) -> bytes | None:
    """Encode Pydantic models, dataclasses, dates, sets and NumPy arrays too."""
    if result is None:
        return None
    try:
        return _dumps(result)
    except orjson.JSONEncodeError as error:
        with suppress(orjson.JSONEncodeError, RecursionError):
            return _dumps(_with_plain_keys(result))
        raise TypeError(_explain(result)) from error


def _with_plain_keys(value: Any) -> Any:
    """Replace keys that are integers of another type, such as NumPy's."""
    if isinstance(value, dict):
        return {_plain_key(key): _with_plain_keys(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_with_plain_keys(each) for each in value]
    return value


def _plain_key(key: Any) -> Any:
    with suppress(TypeError):
        return str(operator.index(key))
    return key


def _dumps(value: Any) -> bytes:
    return orjson.dumps(value, default=_to_json, option=_OPTIONS)


def _to_json(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, set | frozenset):
        return list(value)
    if hasattr(value, "__array__") and hasattr(value, "tolist"):  # an array that orjson cannot read itself
        return value.tolist()
    raise TypeError


def _explain(result: Any) -> str:
    """Describe the innermost part that cannot be encoded, and where it is."""
    part, path = result, ""
    for _ in range(_MAX_DEPTH):
        found = next(((step, child) for step, child in _parts(part) if not _is_json(child)), None)
        if found is None:
            return f"run() returned {_describe(part)}{f' at result{path}' if path else ''}, which is not JSON"
        path, part = path + found[0], found[1]
    return "run() returned a value that contains itself or is nested too deeply, which is not JSON"


def _is_json(value: Any) -> bool:
    try:
        _dumps(value)
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


def _describe(value: Any) -> str:
    match value:
        case int():
            return "an integer of more than 64 bits"
        case str():
            return "a string that is not valid UTF-8"
        case dict():
            return "a dict whose keys are neither strings nor numbers"
    return f"a value of type {type(value).__name__}"
