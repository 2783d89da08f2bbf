"""Select atoms by their number or element."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from workroom import Extension
from workroom.packs.atoms.elements import Element, number_of
from workroom.packs.atoms.scene import Scene

_ROW: dict[str, Any] = {"row": "range"}


class All(Extension, category="selections"):
    """Select all atoms."""

    def run(self, room: Any) -> dict[str, int]:
        scene = Scene(room)
        return scene.select(range(len(scene.atoms)))


class NoneSelection(Extension, category="selections", name="None"):
    """Select nothing."""

    def run(self, room: Any) -> dict[str, int]:
        return Scene(room).select([])


class Invert(Extension, category="selections"):
    """Select the atoms that are not selected."""

    def run(self, room: Any) -> dict[str, int]:
        scene = Scene(room)
        atoms = scene.atoms
        return scene.select(np.setdiff1d(np.arange(len(atoms)), scene.selected(atoms)))


class Range(Extension, category="selections"):
    """Select atoms by their numbers, which begin with 0. Negative numbers count from the end."""

    start: int | None = Field(0, title="From", description="first is 0", json_schema_extra=_ROW)
    end: int | None = Field(5, title="Before", description="empty: to the end", json_schema_extra=_ROW)
    step: int = Field(1, ge=1, title="Step", description="n-th only", json_schema_extra=_ROW)

    def run(self, room: Any) -> dict[str, int]:
        scene = Scene(room)
        return scene.select(range(len(scene.atoms))[self.start : self.end : self.step])


class Random(Extension, category="selections"):
    """Select some atoms at random."""

    count: int = Field(5, ge=0, description="how many")
    seed: int = Field(42, ge=0, le=2**32 - 1, description="the same seed selects the same atoms")

    def run(self, room: Any) -> dict[str, int]:
        scene = Scene(room)
        total = len(scene.atoms)
        if self.count > total:
            raise ValueError(f"the frame has only {total} atoms")
        return scene.select(np.random.default_rng(self.seed).choice(total, self.count, replace=False))


class ByElement(Extension, category="selections"):
    """Select all atoms of some elements."""

    elements: list[Element] = Field(
        default_factory=lambda: ["H"], min_length=1, max_length=118, json_schema_extra={"uniqueItems": True}
    )

    def run(self, room: Any) -> dict[str, int]:
        scene = Scene(room)
        numbers = [number_of(each) for each in self.elements]
        return scene.select(np.flatnonzero(np.isin(scene.atoms.numbers, numbers)))


class IdenticalSpecies(Extension, category="selections"):
    """Select all atoms of the elements that are selected."""

    def run(self, room: Any) -> dict[str, int]:
        scene = Scene(room)
        atoms = scene.atoms
        chosen = scene.selected(atoms, at_least=1)
        return scene.select(np.flatnonzero(np.isin(atoms.numbers, atoms.numbers[chosen])))
