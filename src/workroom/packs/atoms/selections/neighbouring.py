"""Select atoms by their distance from the selected ones, across periodic boundaries too."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from workroom import Extension
from workroom.packs.atoms.neighbours import BOND_SCALE, bonds, components, near, reachable
from workroom.packs.atoms.scene import Scene

_SCALE = "atoms closer than this times the sum of their covalent radii are bonded"


class ConnectedParticles(Extension, category="selections"):
    """Select the whole molecules that the selected atoms belong to."""

    scale: float = Field(BOND_SCALE, ge=0.5, le=3, json_schema_extra={"advanced": True}, description=_SCALE)

    def run(self, room: Any) -> dict[str, int]:
        scene = Scene(room)
        atoms = scene.atoms
        chosen = scene.selected(atoms, at_least=1)
        labels = components(atoms, bonds(atoms, self.scale))
        return scene.select(np.flatnonzero(np.isin(labels, labels[chosen])))


class Neighbours(Extension, category="selections"):
    """Add the neighbours of the selected atoms, and theirs, up to so many bonds away."""

    order: int = Field(1, ge=1, le=100, title="Bonds", description="how many bonds away")
    scale: float = Field(BOND_SCALE, ge=0.5, le=3, json_schema_extra={"advanced": True}, description=_SCALE)

    def run(self, room: Any) -> dict[str, int]:
        scene = Scene(room)
        atoms = scene.atoms
        chosen = scene.selected(atoms, at_least=1)
        return scene.select(
            np.flatnonzero(reachable(bonds(atoms, self.scale), chosen, self.order, len(atoms)))
        )


class WithinDistance(Extension, category="selections"):
    """Select the atoms around the selected ones."""

    distance: float = Field(3.0, gt=0, le=100, json_schema_extra={"unit": "Å"})
    keep: bool = Field(True, title="Keep selection", description="selected atoms stay selected")

    def run(self, room: Any) -> dict[str, int]:
        scene = Scene(room)
        atoms = scene.atoms
        chosen = scene.selected(atoms, at_least=1)
        around = near(atoms, chosen, self.distance)
        around[chosen] = self.keep
        return scene.select(np.flatnonzero(around))
