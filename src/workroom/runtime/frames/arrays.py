"""The values of a frame as messages hold them: little-endian NumPy arrays, and plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgpack
import orjson

from workroom.runtime.frames.message import MAX_DIMENSIONS, is_dtype, is_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

MAX_JSON_BYTES = 64_000
MAX_DEPTH = 32
_INT64 = range(-(2**63), 2**63)
_PLAIN_SCALARS = ("bool", "int64", "float64")  # NumPy scalars that are plain values


def numpy() -> Any:
    """NumPy, imported on first use."""
    try:
        import numpy  # noqa: PLC0415 - an optional dependency
    except ImportError as error:
        raise ImportError("frames need NumPy: pip install 'workroom[frames]'") from error
    return numpy


@dataclass(frozen=True, slots=True)
class Value:
    """A plain value and its encoded form."""

    value: Any
    packed: bytes


def cells_of(frame: Any) -> dict[str, Array | Value]:
    """The checked values of a frame: arrays are C-ordered and little-endian. Raises TypeError, ValueError."""
    if not isinstance(frame, Mapping):
        raise TypeError(f"a frame is a mapping from keys to values, not {_type_name(frame)}")
    return {_checked_key(key): _cell(key, value) for key, value in frame.items()}


def same_bytes(one: Array, other: Array) -> bool:
    """Whether two contiguous arrays of one dtype and shape are equal to the last bit."""
    return not one.nbytes or bool((_words(one) == _words(other)).all())


def _words(array: Array) -> Array:
    octets = array.reshape(-1).view("u1")
    return octets if octets.size % 8 else octets.view("u8")


def _checked_key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the keys of a frame are strings, not {_type_name(key)}: {str(key)[:100]!r}")
    if not is_key(key):
        raise ValueError(
            f"the key {key[:140]!r} is not allowed: keys have 1 to 128 characters, none a control one"
        )
    return str(key)


def _cell(key: str, value: Any) -> Array | Value:
    if value is None or type(value) in (bool, int, float, str):
        return _value(key, value)
    np = numpy()
    if isinstance(value, np.generic):
        is_plain = value.dtype.name in _PLAIN_SCALARS or isinstance(value, str)
        return _value(key, value.item()) if is_plain else _array(key, np.asarray(value))
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"'{key}' is a masked array: fill it first, as in value.filled(0)")
    if isinstance(value, np.ndarray) or hasattr(value, "__array__"):
        return _array(key, np.asarray(value))
    return _value(key, value)


def _array(key: str, array: Array) -> Array:
    np = numpy()
    dtype = array.dtype.newbyteorder("<")
    if dtype.kind in "US" and not dtype.itemsize:
        dtype = np.dtype(f"{dtype.kind}1")
    if not is_dtype(dtype.str):
        hint = " (of Python objects)" if dtype.kind == "O" else ""
        raise TypeError(f"'{key}' is an array of dtype {array.dtype}{hint}, which frames cannot hold")
    if array.ndim > MAX_DIMENSIONS:
        raise ValueError(f"'{key}' has {array.ndim} dimensions: an array may have {MAX_DIMENSIONS}")
    converted: Array = np.asarray(array, dtype=dtype, order="C")
    return converted


def _value(key: str, value: Any) -> Value:
    plain = _plain(key, value, MAX_DEPTH)
    if isinstance(plain, list | dict):
        _check_size(key, len(orjson.dumps(plain)), "lists and dicts may have {:,} bytes as JSON")
    elif isinstance(plain, str):
        _check_size(key, len(plain), "a string may have {:,} characters")
    return Value(plain, msgpack.packb(plain))


def _check_size(key: str, size: int, rule: str) -> None:
    if size > MAX_JSON_BYTES:
        limit = rule.format(MAX_JSON_BYTES)
        raise ValueError(
            f"'{key}' is too large: {limit}, and this has {size:,}. Use a NumPy array for numbers"
        )


def _plain(key: str, value: Any, depth: int) -> Any:
    """What JSON can hold, and NaN: NumPy scalars and tuples are converted."""
    if not depth:
        raise ValueError(f"'{key}' is too deep: lists and dicts may be nested {MAX_DEPTH} times")
    match value:
        case None | bool() | float():
            return float(value) if isinstance(value, float) else value
        case int():
            return _int64(key, int(value))
        case str():
            return _text(key, str(value))
        case list() | tuple():
            return [_plain(key, each, depth - 1) for each in value]
        case Mapping():
            return {_name(key, name): _plain(key, each, depth - 1) for name, each in value.items()}
    if hasattr(value, "dtype") and getattr(value, "shape", None) == ():
        return _plain(key, value.item(), depth)
    raise TypeError(
        f"'{key}' holds a {_type_name(value)}: a frame holds NumPy arrays, bool, int, float, str, None, and "
        "lists and dicts of these"
    )


def _int64(key: str, value: int) -> int:
    if value not in _INT64:
        raise ValueError(f"'{key}' has an integer of more than 64 bits")
    return value


def _text(key: str, value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"'{key}' has text that UTF-8 cannot hold") from error
    return value


def _name(key: str, name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"'{key}' has a dict whose keys are not strings: {str(name)[:100]!r}")
    return _text(key, name)


def _type_name(value: Any) -> str:
    return type(value).__name__
