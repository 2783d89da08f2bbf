"""The envelopes of values that JSON has no word for. docs/results.md describes them for other languages."""

from __future__ import annotations

import math
from typing import Any

TYPE = "$type"
EXACT_INT = 2**53 - 1  # the largest integer that every JSON reader keeps exactly
Envelope = dict[str, Any]

_NAMES = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def float_envelope(value: Any) -> Envelope:
    """Of a float, or of nested lists of numbers, of which some are not finite."""
    return {TYPE: "float", "value": name_floats(value)}


def name_floats(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [name_floats(each) for each in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def floats_of(value: Any) -> Any:
    """The opposite of `name_floats`. Raises KeyError for any other string."""
    if isinstance(value, list):
        return [floats_of(each) for each in value]
    return _NAMES[value] if isinstance(value, str) else value


def int_envelope(value: int) -> Envelope:
    """Of an integer beyond 53 bits, which not every reader of JSON keeps exactly."""
    return {TYPE: "int", "value": str(value)}


def complex_envelope(real: Any, imaginary: Any) -> Envelope:
    """Of a complex number, or of nested lists of them."""
    return {TYPE: "complex", "real": name_floats(real), "imag": name_floats(imaginary)}


def map_envelope(items: list[list[Any]]) -> Envelope:
    """Of a dict whose keys are not strings or have one name, or one that would look like an envelope."""
    return {TYPE: "map", "items": items}


def table_envelope(columns: dict[str, Any]) -> Envelope:
    """Of a data frame: its columns by name, each a list."""
    return {TYPE: "table", "columns": columns}


def text_envelope(kind: str, text: str, **more: Any) -> Envelope:
    return {TYPE: kind, "text": text, **more}


def repr_envelope(value: Any, text: str, note: str) -> Envelope:
    """Of a value that has no other form."""
    kind = type(value)
    return {TYPE: "repr", "class": f"{kind.__module__}.{kind.__qualname__}", "text": text, "note": note}
