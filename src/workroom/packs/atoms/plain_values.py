"""JSON objects, with one key that begins with `$`, for values that JSON has no word for; without loss."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from typing import Any

import numpy as np

_MAX_INT = 2**63
_SCALARS = (np.bool_, np.int64, np.float64, np.str_)


def is_plain(value: Any) -> bool:
    """Whether a frame holds the value as it is."""
    if value is None or isinstance(value, (bool, str, float, np.ndarray, *_SCALARS)):
        return True
    return isinstance(value, int) and -_MAX_INT <= value < _MAX_INT


def to_json(value: Any, where: str) -> Any:
    """The value as JSON. Raises TypeError, which names `where` it is."""
    if isinstance(value, dict):
        return _from_dict(value, where)
    if isinstance(value, list):
        return [to_json(each, where) for each in value]
    if isinstance(value, _SCALARS):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": str(value)}
    if isinstance(value, int) and not is_plain(value):
        return {"$int": str(value)}
    return value if is_plain(value) and not isinstance(value, np.ndarray) else _tagged(value, where)


def from_json(value: Any) -> Any:
    if isinstance(value, list):
        return [from_json(each) for each in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (tag, content) = next(iter(value.items()))
        if tag in _READERS:
            return _READERS[tag](content)
    return {key: from_json(each) for key, each in value.items()}


def _from_dict(value: dict[Any, Any], where: str) -> Any:
    if all(isinstance(key, str) and not key.startswith("$") for key in value):
        return {key: to_json(each, where) for key, each in value.items()}
    return {"$dict": [[to_json(key, where), to_json(each, where)] for key, each in value.items()]}


def _tagged(value: Any, where: str) -> Any:
    if isinstance(value, tuple):
        return {"$tuple": [to_json(each, where) for each in value]}
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, complex) and not isinstance(value, np.generic):
        return {"$complex": [to_json(value.real, where), to_json(value.imag, where)]}
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        return {"$array" if isinstance(value, np.ndarray) else "$scalar": _array(np.asarray(value))}
    if type(value).__name__ == "Spacegroup":  # what ASE reads from CIF files
        return {"$spacegroup": [int(value.no), int(value.setting)]}
    raise TypeError(f"{where} contains a {type(value).__name__}, which a frame cannot hold")


def _array(array: np.ndarray[Any, Any]) -> list[Any]:
    return [array.dtype.str, list(array.shape), base64.b64encode(array.tobytes()).decode()]


def _read_array(content: list[Any]) -> np.ndarray[Any, Any]:
    dtype, shape, data = content
    return np.frombuffer(base64.b64decode(data), np.dtype(dtype)).reshape(shape).copy()


def _spacegroup(content: list[int]) -> Any:
    from ase.spacegroup import Spacegroup

    return Spacegroup(*content)


_READERS: dict[str, Callable[[Any], Any]] = {
    "$float": float,
    "$int": int,
    "$tuple": lambda content: tuple(from_json(each) for each in content),
    "$bytes": base64.b64decode,
    "$complex": lambda content: complex(*(from_json(each) for each in content)),
    "$array": _read_array,
    "$scalar": lambda content: _read_array(content)[()],
    "$spacegroup": _spacegroup,
    "$dict": lambda content: {from_json(key): from_json(each) for key, each in content},
}
