"""Figures, and the files that are saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ase.io
import numpy as np
import orjson
import pytest

from support.atoms_cases.crystal import (
    BOND,
    CELL,
    FRAMES,
    Case,
    crystal,
    execute,
    half,
    outside,
    vectors,
    with_results,
)
from support.atoms_room import ListRoom


def trace(name: str, room: ListRoom, **values: Any) -> dict[str, Any]:
    """The first trace of the figure that a tool draws, as JSON."""
    assert execute(name, room, values)["figure"] == name
    found: dict[str, Any] = orjson.loads(orjson.dumps(room.figures[name]))["data"][0]
    return found


def knows_frames(found: dict[str, Any]) -> None:
    assert found["customdata"] == [[number] for number in range(FRAMES)]


def strained(size: int) -> list[Any]:
    """Frames in which the crystal, with its cell, is sheared more and more."""
    found = []
    for number in range(FRAMES):
        atoms = outside(size)
        shear = np.eye(3) + 0.01 * number * np.array([[0, 1, 0], [0, 0, -1], [1, 0, 0]])
        atoms.set_cell(atoms.cell.array @ shear, scale_atoms=True)
        found.append(atoms)
    return found


def measured(name: str, count: int, size: int, measure: str) -> None:
    """As ASE measures it, over all frames. A frame without so many atoms has nothing to measure."""
    frames, chosen = strained(size), [0, 1, size // 3, size // 7][:count]
    if size < count:
        with pytest.raises(ValueError, match=f"select exactly {count} atoms, in order; {size} is selected"):
            execute(name, ListRoom.of(*frames, selection=range(size)))
        return
    found = trace(name, ListRoom.of(*frames, selection=chosen))
    expected = np.array([getattr(atoms, measure)(*chosen, mic=True) for atoms in frames])
    assert np.allclose((np.array(found["y"]) - expected + 180) % 360, 180)
    knows_frames(found)


def distance(size: int, _: Path) -> None:
    measured("Distance", 2, size, "get_distance")


def angle(size: int, _: Path) -> None:
    measured("Angle", 3, size, "get_angle")


def dihedral_angle(size: int, _: Path) -> None:
    measured("DihedralAngle", 4, size, "get_dihedral")


def energy(size: int, _: Path) -> None:
    found = trace("Energy", ListRoom.of(*with_results(size)), per_atom=True)
    assert np.allclose(found["y"], [0, -3, -6])
    knows_frames(found)


def properties_1d(size: int, _: Path) -> None:
    frames = with_results(size)
    found = trace("Properties1D", ListRoom.of(*frames), value="calc.forces", reduce="mean")
    expected = [np.linalg.norm(atoms.get_forces(), axis=1).mean() for atoms in frames]
    assert np.allclose(found["y"], expected)
    knows_frames(found)


def properties_2d(size: int, _: Path) -> None:
    found = trace("Properties2D", ListRoom.of(*with_results(size)))
    assert found["x"] == [0, 2.5, 5]
    assert np.allclose(found["y"], [0, -3 * size, -6 * size])
    knows_frames(found)


def rdf(size: int, _: Path) -> None:
    """The lattice vectors of each length, over the volume of their shell and the density."""
    cutoff, bins = 6.0, 60
    found = trace("RDF", ListRoom.of(outside(size)), cutoff=cutoff, bins=bins)
    edges = np.linspace(0, cutoff, bins + 1)
    counts = np.histogram(np.linalg.norm(vectors(cutoff) @ CELL, axis=1), edges)[0]
    shells = 4 / 3 * np.pi * np.diff(edges**3)
    assert np.allclose(found["y"], counts / shells * np.linalg.det(CELL))
    assert np.allclose(found["x"], (edges[1:] + edges[:-1]) / 2)


def coordination(size: int, _: Path) -> None:
    """Twelve bonds; and the lattice vectors up to a distance, also to images of the atom itself."""
    found = trace("Coordination", ListRoom.of(outside(size)))
    assert found["y"] == [0] * 12 + [size]
    room = ListRoom.of(*[outside(size)] * FRAMES)
    found = trace("Coordination", room, cutoff=4.0, frames="all")
    assert found["y"] == [len(vectors(4.0))] * FRAMES
    assert len(vectors(4.0)) > len(vectors(BOND))
    knows_frames(found)


def msd(size: int, _: Path) -> None:
    """Each second atom moves with a constant velocity, through the boundaries."""
    frames = []
    for number in range(FRAMES):
        atoms = crystal(size)
        atoms.positions[::2] += np.array([0.3, -0.2, 0.1]) * number
        atoms.wrap()
        frames.append(atoms)
    found = trace("MSD", ListRoom.of(*frames, selection=half(size)), remove_drift=False)
    assert np.allclose(found["y"], [0, 0.14, 0.56])
    knows_frames(found)


def export_file(size: int, folder: Path) -> None:
    frames = with_results(size)
    result = execute("ExportFile", ListRoom.of(*frames), {"name": "crystal"}, folder)
    assert (result["file"], result["frames"]) == ("crystal.extxyz", FRAMES)
    assert result["bytes"] == (folder / "crystal.extxyz").stat().st_size
    for atoms, found in zip(frames, ase.io.read(folder / "crystal.extxyz", index=":"), strict=True):
        assert np.allclose(found.positions, atoms.positions, atol=1e-7)
        assert np.allclose(found.get_forces(), atoms.get_forces(), atol=1e-7)
        assert np.array_equal(found.numbers, atoms.numbers)
        assert np.allclose(found.cell.array, atoms.cell.array)


CASES: dict[str, Case] = {
    "Distance": distance,
    "Angle": angle,
    "DihedralAngle": dihedral_angle,
    "Energy": energy,
    "Properties1D": properties_1d,
    "Properties2D": properties_2d,
    "RDF": rdf,
    "Coordination": coordination,
    "MSD": msd,
    "ExportFile": export_file,
}
