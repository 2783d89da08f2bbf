"""Many atoms: no more time and memory than their number asks for, and a sentence where that is too much."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ase import Atoms
from ase.build import bulk

from support.atoms_room import ListRoom, run
from workroom.packs.atoms.analysis.structure import RDF, Coordination
from workroom.packs.atoms.modifiers.moving import Translate
from workroom.packs.atoms.modifiers.occupancy import Occupancy
from workroom.packs.atoms.modifiers.packing import MAX_ATOMS, PackBox
from workroom.packs.atoms.neighbours import pairs_within
from workroom.packs.atoms.selections.neighbouring import WithinDistance


def closest(points: Any, others: Any, edge: float) -> float:
    """In a periodic cube, by looking at all pairs."""
    gaps = points[:, None] - others[None]
    gaps -= edge * np.round(gaps / edge)
    return float(np.linalg.norm(gaps, axis=2).min())


@pytest.mark.parametrize(("edge", "distance"), [(20, 1.5), (20, 6.5), (20, 11), (3, 2), (1, 2), (900, 1)])
def test_places_that_are_taken_are_found_as_by_looking_at_all(edge: float, distance: float) -> None:
    source = np.random.default_rng(3)
    points = source.uniform(-edge, 2 * edge, (200, 3))
    taken = Occupancy(edge, distance, len(points))
    assert taken.is_free(points[:1])
    taken.add(points)

    for trial in source.uniform(0, edge, (100, 3, 3)):
        assert taken.is_free(trial) == (closest(trial, points, edge) >= distance)


def test_a_box_of_many_molecules_has_no_contacts() -> None:
    room = ListRoom()
    run(PackBox.model_validate({"molecules": [{"molecule": "H2O", "count": 700}], "distance": 1.6}), room)

    pairs = pairs_within(room.atoms, 1.6)
    assert len(room.atoms) == 2100
    assert (pairs.i // 3 == pairs.j // 3).all()


def test_a_box_of_too_many_atoms_is_refused_before_it_is_made() -> None:
    count = MAX_ATOMS // 3 + 1
    with pytest.raises(ValueError, match="that makes 100,002 atoms; at most 100,000 are packed"):
        run(PackBox.model_validate({"molecules": [{"molecule": "H2O", "count": count}]}), ListRoom())


@pytest.mark.parametrize("extension", [RDF(cutoff=50), Coordination(cutoff=20)])
def test_more_pairs_than_fit_in_memory_are_refused_with_what_fits(extension: Any) -> None:
    with pytest.raises(ValueError, match=r"million pairs of atoms .* choose at most [\d.]+ Å"):
        run(extension, ListRoom.of(bulk("Cu") * 22))


def test_atoms_far_around_a_few_are_found_without_all_pairs() -> None:
    chain = Atoms("H6000", [(each * 0.01, 0, 0) for each in range(6000)])
    room = ListRoom.of(chain, selection=[3000])

    run(WithinDistance(distance=12.305), room)

    assert room.selection == list(range(3000 - 1230, 3000 + 1231))


def test_a_pair_is_there_once_or_twice() -> None:
    atoms = bulk("Cu") * 3
    once, twice = pairs_within(atoms, 5.0, twice=False), pairs_within(atoms, 5.0)
    assert 2 * len(once.distance) == len(twice.distance)
    assert np.allclose(np.sort(np.repeat(once.distance, 2)), np.sort(twice.distance))


class CountingRoom(ListRoom):
    """Counts how often its selection is read: each time is a request."""

    reads = 0

    def __getattribute__(self, name: str) -> Any:
        if name == "selection":
            type(self).reads += 1
        return super().__getattribute__(name)


def test_the_selection_is_read_once_for_all_frames() -> None:
    room = CountingRoom.of(*[bulk("Cu", cubic=True)] * 20, selection=[1])
    CountingRoom.reads = 0

    run(Translate(x=1, all_frames=True), room)

    assert CountingRoom.reads == 1
