"""Objects that packs turn into frames.

An entry point of the group `workroom.frames` has the name of a package, such as `ase`, and is a function that
turns objects of its classes into mappings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any

GROUP = "workroom.frames"


def to_mapping(thing: object) -> Mapping[str, Any] | None:
    """The frame of an object, or None if no pack knows its class."""
    for each in type(thing).__mro__:
        convert = _converter(each.__module__.partition(".")[0])
        if convert is not None:
            return convert(thing)
    return None


@cache
def _converter(package: str) -> Callable[[object], Mapping[str, Any]] | None:
    for entry in entry_points(group=GROUP, name=package):
        found: Callable[[object], Mapping[str, Any]] = entry.load()
        return found
    return None
