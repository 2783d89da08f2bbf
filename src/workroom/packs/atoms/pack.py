"""The extensions of this pack, for the entry-point group `workroom.packs`."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Iterator

from workroom import Extension

_MODULES = (
    "modifiers.loading",
    "modifiers.relaxing",
    "modifiers.dynamics",
    "modifiers.building",
    "modifiers.packing",
    "modifiers.interpolating",
    "modifiers.moving",
    "modifiers.editing",
    "selections.choosing",
    "selections.neighbouring",
    "selections.by_property",
    "analysis.geometry",
    "analysis.properties",
    "analysis.structure",
    "analysis.motion",
    "modifiers.exporting",
)


def extensions() -> list[type[Extension]]:
    """All of them; none where ASE is not installed."""
    if importlib.util.find_spec("ase") is None:
        return []
    return [found for module in _MODULES for found in _defined(module)]


def _defined(module: str) -> Iterator[type[Extension]]:
    source = importlib.import_module(f"workroom.packs.atoms.{module}")
    for name, found in vars(source).items():
        is_own = inspect.isclass(found) and found.__module__ == source.__name__
        if is_own and issubclass(found, Extension) and not name.startswith("_"):
            yield found
