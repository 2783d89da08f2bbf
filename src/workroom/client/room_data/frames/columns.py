"""Plain values of many frames, read in pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from workroom.client.room_data.frames.frame_requests import Slice
from workroom.runtime.frames.arrays import numpy

_MAX_VALUES = 1_000_000  # of one response


def pages(indices: tuple[int, int, int], keys: int) -> Iterator[Slice]:
    """Slices that together are one, each small enough for one response."""
    wanted = range(*indices)
    size = max(1, _MAX_VALUES // max(1, keys))
    for start in range(0, len(wanted), size):
        yield _slice(wanted[start : start + size])


def joined(keys: Sequence[str], found: list[dict[str, Any]]) -> dict[str, Any]:
    return {key: _joined([page[key] for page in found]) for key in keys}


def _joined(parts: list[Any]) -> Any:
    if not parts:
        return numpy().empty(0)
    if len(parts) == 1:
        return parts[0]
    if any(isinstance(part, list) for part in parts):
        return [value for part in parts for value in _listed(part)]
    return numpy().concatenate(parts)


def _listed(part: Any) -> list[Any]:
    """A page of numbers among pages of other values: missing ones are None there."""
    values = part if isinstance(part, list) else part.tolist()
    return [None if value != value else value for value in values]  # noqa: PLR0124 - NaN


def _slice(wanted: range) -> Slice:
    stop = wanted[-1] + (1 if wanted.step > 0 else -1)
    return {"start": wanted.start, "stop": None if stop < 0 else stop, "step": wanted.step}
