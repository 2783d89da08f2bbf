"""Encodes the return value of `run()` as JSON. No value is refused: the last resort is its `repr`."""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from workroom.errors import JobCancelled, StaleAttempt
from workroom.runtime.outcome import to_text
from workroom.runtime.results import envelopes
from workroom.runtime.results.contents import Contents, Save
from workroom.runtime.results.converters import converter_of

_FAST = orjson.OPT_STRICT_INTEGER
_ANY_KEYS = orjson.OPT_NON_STR_KEYS | _FAST
_MAX_DEPTH = 100
_MAX_REPR = 10_000


def encode_result(result: Any, save: Save | None = None) -> bytes | None:
    """`save` keeps files and large contents as artifacts; without it they become part of the result."""
    return None if result is None else encode_part(result, Contents(save))


def encode_part(value: Any, contents: Contents) -> bytes:
    """Encode one of several values that share the names of their artifacts."""
    encoded = _encode_quickly(value)
    if encoded is None or b"null" in encoded or b"$type" in encoded:
        return _encode(value, contents)  # perhaps NaN, or an object that resembles an envelope
    return encoded


def _encode_quickly(value: Any) -> bytes | None:
    """None if JSON has no word for a part of the value, or if keys of a dict have one name in JSON."""
    try:
        return orjson.dumps(value, default=_plain, option=_FAST)
    except orjson.JSONEncodeError:
        pass
    try:
        encoded = orjson.dumps(value, default=_plain, option=_ANY_KEYS)
    except orjson.JSONEncodeError:
        return None
    return encoded if orjson.dumps(orjson.loads(encoded)) == encoded else None


def _plain(value: Any) -> Any:
    """Common values that need no envelope."""
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, set | frozenset):
        return list(value)
    raise TypeError


def _encode(result: Any, contents: Contents) -> bytes:
    try:
        return orjson.dumps(Encoder(contents).encode(result))
    except (JobCancelled, StaleAttempt):
        raise
    except Exception as error:  # a finished computation is worth more than its exact form
        return orjson.dumps(_as_repr(result, f"it could not be encoded: {to_text(error)}"))


def _as_repr(value: Any, note: str) -> envelopes.Envelope:
    return envelopes.repr_envelope(value, to_text(value, repr)[:_MAX_REPR], note[:1000])


def _name(key: Any) -> str | None:
    """The key of a JSON object: texts and numbers, also those of NumPy. None for any other key."""
    if isinstance(key, str | int | float):
        return to_text(key.value if isinstance(key, Enum) else key)
    try:
        return str(operator.index(key))
    except TypeError:
        return None


def _int(value: int) -> Any:
    return value if abs(value) <= envelopes.EXACT_INT else envelopes.int_envelope(value)


def _float(value: float) -> Any:
    return value if math.isfinite(value) else envelopes.float_envelope(value)


def _unchanged(value: Any) -> Any:
    return value


_SCALARS: dict[type, Callable[[Any], Any]] = {
    type(None): _unchanged,
    bool: _unchanged,
    int: _int,
    float: _float,
    str: to_text,
    orjson.Fragment: _unchanged,
}


def _fields(value: Any) -> Mapping[Any, Any] | None:
    """What a model, a dataclass or a mapping consists of."""
    if isinstance(value, BaseModel):
        return value.model_dump()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return value if isinstance(value, Mapping) else None


class Encoder:
    """Turns one value into what JSON can hold, with envelopes for the rest."""

    def __init__(self, contents: Contents) -> None:
        self.contents: Contents = contents
        self._open: set[int] = set()

    def encode(self, value: Any) -> Any:
        encode = _SCALARS.get(type(value))
        if encode is not None:
            return encode(value)
        if id(value) in self._open:
            return _as_repr(value, "it contains itself")
        if len(self._open) >= _MAX_DEPTH:
            return _as_repr(value, "it is nested too deeply")
        self._open.add(id(value))
        try:
            return self._encode_object(value)
        finally:
            self._open.remove(id(value))

    def _encode_object(self, value: Any) -> Any:
        kind: type = type(value)
        convert = converter_of(kind)
        try:
            if convert is not None:
                return convert(value, self)
            return self._encode_python(value)
        except (JobCancelled, StaleAttempt, RecursionError):
            raise
        except Exception as error:
            return _as_repr(value, f"it could not be converted: {type(error).__name__}: {to_text(error)}")

    def _encode_python(self, value: Any) -> Any:
        if isinstance(value, Enum):
            return self.encode(value.value)
        if isinstance(value, str):
            return to_text(value)
        fields = _fields(value)
        if fields is not None:
            return self.encode_dict(fields)
        if isinstance(value, list | tuple | set | frozenset):
            return self.encode_list(value)
        return self._encode_unknown(value)

    def encode_dict(self, value: Mapping[Any, Any]) -> Any:
        names = [_name(key) for key in value]
        if envelopes.TYPE not in value and None not in names and len(set(names)) == len(names):
            return dict(zip(names, map(self.encode, value.values()), strict=True))
        return envelopes.map_envelope([[self.encode(key), self.encode(each)] for key, each in value.items()])

    def encode_list(self, value: Iterable[Any]) -> Any:
        items = list(value)
        if any(type(each) is float and not math.isfinite(each) for each in items) and all(
            type(each) is float or (type(each) is int and abs(each) <= envelopes.EXACT_INT) for each in items
        ):
            return envelopes.float_envelope(items)
        return [self.encode(each) for each in items]

    def _encode_unknown(self, value: Any) -> Any:
        try:
            return self.encode(orjson.loads(orjson.dumps(value)))  # dates and ids
        except orjson.JSONEncodeError:
            pass
        try:
            return self.encode(to_jsonable_python(value))  # whatever Pydantic knows: Decimal, timedelta …
        except Exception:
            return _as_repr(value, f"nothing is known about {type(value).__name__}")
