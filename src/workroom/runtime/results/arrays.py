"""NumPy arrays and scalars."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson

from workroom.runtime.results.envelopes import (
    EXACT_INT,
    complex_envelope,
    float_envelope,
    int_envelope,
    table_envelope,
)

if TYPE_CHECKING:
    from workroom.runtime.results.encoding import Encoder

_COARSE = ("[Y]", "[M]", "[W]", "[D]", "[h]", "[m]")


def array(value: Any, encoder: Encoder) -> Any:
    """Nested lists; a structured array is a table."""
    if value.dtype.names:
        rows = value.reshape(-1)
        return table_envelope({name: encoder.encode(rows[name]) for name in value.dtype.names})
    if not value.ndim:
        return scalar(value[()], encoder) if value.dtype.kind != "O" else encoder.encode(value.item())
    convert = _BY_KIND.get(value.dtype.kind)
    return encoder.encode(value.tolist()) if convert is None else convert(value)


def scalar(value: Any, encoder: Encoder) -> Any:
    match value.dtype.kind:
        case "f":
            return encoder.encode(float(value))
        case "M":
            return _without_nat(str(_times(value)))
        case "m":
            return _without_nat(str(value))
    return encoder.encode(value.item())


def floats(value: Any) -> Any:
    """A plain list if all are finite."""
    values = value.astype("float64")
    is_finite = bool(sys.modules["numpy"].isfinite(values).all())
    return _fragment(values) if is_finite else float_envelope(values.tolist())


def _fragment(value: Any) -> orjson.Fragment:
    """Encoded at once: a walk through a million numbers takes seconds. Not for times: NaT becomes 1970."""
    contiguous = sys.modules["numpy"].ascontiguousarray(value)
    return orjson.Fragment(orjson.dumps(contiguous, option=orjson.OPT_SERIALIZE_NUMPY))


def _integers(value: Any) -> Any:
    if not value.size or abs(value.astype("float64")).max() <= EXACT_INT:
        return _fragment(value)
    return _exact(value.tolist())


def _exact(value: Any) -> Any:
    if isinstance(value, list):
        return [_exact(each) for each in value]
    return value if abs(value) <= EXACT_INT else int_envelope(value)


def _complex(value: Any) -> Any:
    return complex_envelope(value.real.tolist(), value.imag.tolist())


def _times(value: Any) -> Any:
    """With seconds at least, so that all ISO strings look the same."""
    is_coarse = value.dtype.str.endswith(_COARSE)
    return (value.astype("datetime64[s]") if is_coarse else value).astype(str)


def _without_nat(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nat(each) for each in value]
    return None if value == "NaT" else value


_BY_KIND: dict[str, Callable[[Any], Any]] = {
    "b": _fragment,
    "i": _integers,
    "u": _integers,
    "f": floats,
    "c": _complex,
    "M": lambda value: _without_nat(_times(value).tolist()),
    "m": lambda value: _without_nat(value.astype(str).tolist()),
}
