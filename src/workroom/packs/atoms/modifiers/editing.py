"""Add, change and remove atoms and frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from workroom import Extension, JobContext
from workroom.packs.atoms.convert import to_frame
from workroom.packs.atoms.elements import Element, number_of
from workroom.packs.atoms.modifiers.moving import AllFrames
from workroom.packs.atoms.scene import Scene

if TYPE_CHECKING:
    from ase import Atoms

_SHIFT: dict[str, Any] = {"unit": "Å", "row": "shift"}


class Delete(Extension, category="modifiers"):
    """Delete the selected atoms from the current frame."""

    def run(self, room: Any) -> dict[str, Any]:
        scene = Scene(room)
        atoms = scene.atoms
        del atoms[scene.selected(atoms, at_least=1).tolist()]
        changed = scene.replace(atoms)
        scene.select([])
        return changed


class Duplicate(Extension, category="modifiers"):
    """Copy the selected atoms, shifted, and select the copies."""

    x: float = Field(0.5, ge=-1000, le=1000, title="Shift x", json_schema_extra=_SHIFT)
    y: float = Field(0.5, ge=-1000, le=1000, title="Shift y", json_schema_extra=_SHIFT)
    z: float = Field(0.5, ge=-1000, le=1000, title="Shift z", json_schema_extra=_SHIFT)
    symbol: Element | None = Field(None, title="Element", description="of the copies; empty: the same")

    def run(self, room: Any) -> dict[str, Any]:
        scene = Scene(room)
        atoms = scene.atoms
        copies = atoms[scene.selected(atoms, at_least=1)]
        copies.positions += (self.x, self.y, self.z)
        if self.symbol is not None:
            copies.numbers[:] = number_of(self.symbol)
        both = atoms + copies
        changed = scene.replace(both)
        scene.select(range(len(atoms), len(both)))
        return changed


class ChangeType(Extension, category="modifiers"):
    """Turn the selected atoms into another element."""

    symbol: Element = Field("H", title="Element")

    def run(self, room: Any) -> dict[str, Any]:
        scene = Scene(room)
        atoms = scene.atoms
        atoms.numbers[scene.selected(atoms, at_least=1)] = number_of(self.symbol)
        return scene.replace(atoms)


class FixAtoms(Extension, category="modifiers"):
    """Hold the selected atoms in place in relaxations and dynamics; with nothing selected, free all atoms."""

    mode: Literal["replace", "add"] = Field(
        "replace", description="replace frees the atoms that were fixed before; add keeps them fixed"
    )
    all_frames: AllFrames = False

    def run(self, room: Any, job: JobContext) -> dict[str, Any]:
        scene = Scene(room)
        return scene.change(lambda atoms: self._fixed(scene, atoms), job, all_frames=self.all_frames)

    def _fixed(self, scene: Scene, atoms: Atoms) -> Atoms:
        from ase.constraints import FixAtoms as Fixed

        chosen = scene.selected(atoms)
        others = [each for each in atoms.constraints if not isinstance(each, Fixed)]
        before = [each.index for each in atoms.constraints if isinstance(each, Fixed)]
        if self.mode == "add":
            chosen = np.union1d(chosen, np.concatenate([*before, chosen]).astype(int))
        atoms.set_constraint([*others, Fixed(chosen.tolist())] if len(chosen) else others)
        return atoms


class RemoveAtoms(Extension, category="modifiers"):
    """Remove the current frame."""

    def run(self, room: Any) -> dict[str, Any]:
        scene = Scene(room)
        index = scene.index
        del room.frames[index]
        room.step = max(0, min(index, len(room.frames) - 1))
        return {"removed": index, "frames": len(room.frames)}


class NewCanvas(Extension, category="modifiers"):
    """Append a frame without atoms, bookmark it and go there."""

    cell: float = Field(
        0,
        ge=0,
        le=10_000,
        title="Cell edge",
        json_schema_extra={"unit": "Å"},
        description="of a cubic, periodic cell; 0: no cell",
    )
    bookmark: str = Field("New canvas", max_length=100)

    def run(self, room: Any) -> dict[str, Any]:
        room.frames.append(_empty(self.cell))
        index = len(room.frames) - 1
        room.step, room.selection = index, []
        if self.bookmark:
            room.bookmarks[index] = self.bookmark
        return {"frame": index}


class Empty(Extension, category="modifiers"):
    """Append a frame without atoms."""

    def run(self, room: Any) -> dict[str, Any]:
        room.frames.append(_empty(0))
        return {"frame": len(room.frames) - 1}


def _empty(edge: float) -> dict[str, Any]:
    from ase import Atoms

    return to_frame(Atoms(cell=[edge] * 3, pbc=edge > 0))
