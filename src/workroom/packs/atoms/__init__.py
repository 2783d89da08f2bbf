"""Atoms: ASE both ways, files, modifiers, selections, analysis. Needs `pip install workroom[atoms]`.

ASE is imported when it is used, not before.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workroom.packs.atoms.async_sequence import AsyncAtomsSequence
    from workroom.packs.atoms.convert import to_atoms, to_frame
    from workroom.packs.atoms.sequence import AtomsSequence, atoms_of
    from workroom.packs.atoms.zndraw import Category, Extension, ZnDraw

__all__ = [
    "AsyncAtomsSequence",
    "AtomsSequence",
    "Category",
    "Extension",
    "ZnDraw",
    "atoms_of",
    "to_atoms",
    "to_frame",
]

_HOMES = {
    "AsyncAtomsSequence": "async_sequence",
    "AtomsSequence": "sequence",
    "Category": "zndraw",
    "Extension": "zndraw",
    "ZnDraw": "zndraw",
    "atoms_of": "sequence",
    "to_atoms": "convert",
    "to_frame": "convert",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
