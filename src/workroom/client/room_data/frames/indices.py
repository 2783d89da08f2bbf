"""Indices and slices as `list` takes them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex

from workroom.client.room_data.frames.frame_requests import Slice

_MOST = 2**53 - 1  # the largest integer that every JSON reader keeps exactly


def index_of(value: SupportsIndex) -> int:
    """Raises TypeError for anything but an integer."""
    try:
        return bounded(operator.index(value))
    except TypeError as error:
        kind = type(value).__name__
        raise TypeError(f"frame indices must be integers or slices, not {kind}") from error


def is_index(value: object) -> bool:
    """Whether it is an integer: arrays of several have `__index__`, too."""
    try:
        operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def indices_of(values: Sequence[SupportsIndex]) -> list[int]:
    return [index_of(value) for value in values]


def slice_of(value: slice) -> Slice:
    """The bounds of a slice as integers. Raises TypeError and ValueError as a list does."""
    value.indices(0)
    return {
        "start": _bound(value.start),
        "stop": _bound(value.stop),
        "step": _bound(value.step),
    }


def bounded(number: int) -> int:
    return max(-_MOST, min(number, _MOST))


def _bound(value: Any) -> int | None:
    return None if value is None else bounded(operator.index(value))
