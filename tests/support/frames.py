"""Frames to compare: small ones that a number identifies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np


def frame(number: int, atoms: int = 3) -> dict[str, Any]:
    return {
        "positions": np.full((atoms, 3), number / 7),
        "numbers": np.arange(atoms),
        "info.number": number,
    }


def numbers(frames: Iterable[Any]) -> list[int]:
    return [each["info.number"] for each in frames]


def large_frames(count: int, atoms: int = 20_000) -> Iterator[dict[str, Any]]:
    """Frames of 480 kB each, made when they are needed: eight or nine fill a piece."""
    for number in range(count):
        yield frame(number, atoms)


def same(one: Any, other: Any) -> bool:
    """Whether two values of frames are equal to the last bit, and of one type."""
    if not isinstance(other, np.ndarray):
        return type(one) is type(other) and repr(one) == repr(other)
    return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
