"""Figures: their values against ASE or a closed formula, and the frames of their points."""

from __future__ import annotations

from typing import Any

import numpy as np
import orjson
import pytest
from ase import Atoms
from ase.build import bulk, molecule
from ase.calculators.singlepoint import SinglePointCalculator
from ase.geometry.rdf import get_rdf

from support.atoms_room import ListFiles, ListRoom, a_job, run
from support.structures import TRICLINIC, triclinic
from workroom.packs.atoms.analysis.geometry import Angle, DihedralAngle, Distance
from workroom.packs.atoms.analysis.motion import MSD
from workroom.packs.atoms.analysis.properties import Energy, Properties1D, Properties2D
from workroom.packs.atoms.analysis.structure import RDF, Coordination


def trajectory(count: int = 300) -> list[Any]:
    return [triclinic(12, seed=seed) for seed in range(count)]


def trace(room: ListRoom, name: str) -> dict[str, Any]:
    """The first trace of a figure, which must be JSON."""
    figure = orjson.loads(orjson.dumps(room.figures[name]))
    assert figure["layout"]["xaxis"]["title"]["text"]
    found: dict[str, Any] = figure["data"][0]
    return found


@pytest.mark.parametrize(
    ("extension", "selection", "measure"),
    [
        (Distance(), [7, 2], lambda atoms: atoms.get_distance(7, 2, mic=True)),
        (Angle(), [7, 2, 5], lambda atoms: atoms.get_angle(7, 2, 5, mic=True)),
        (DihedralAngle(), [7, 2, 5, 1], lambda atoms: atoms.get_dihedral(7, 2, 5, 1, mic=True)),
    ],
    ids=["distance", "angle", "dihedral"],
)
def test_distances_and_angles_of_all_frames(extension: Any, selection: list[int], measure: Any) -> None:
    frames = trajectory()
    room = ListRoom.of(*frames, selection=selection)

    result = run(extension, room)

    name = type(extension).__name__
    found = trace(room, name)
    expected = np.array([measure(atoms) for atoms in frames])
    assert np.allclose((np.array(found["y"]) - expected + 180) % 360, 180)
    assert found["customdata"] == [[number] for number in range(300)]
    assert found["x"] == list(range(300))
    assert result["figure"] == name
    assert result["frames"] == 300


@pytest.mark.parametrize("extension", [Distance(), Energy(), RDF(cutoff=3), Coordination(), MSD()])
def test_a_figure_is_shown_with_the_job_too(extension: Any) -> None:
    files, room = ListFiles(), with_energies(bulk("Cu", cubic=True))
    job = a_job(files)
    run(extension, room, job)
    ((kind, body),) = files.shown
    assert kind == "plotly"
    assert orjson.loads(body) == room.figures[type(extension).__name__]


def test_the_wrong_number_of_atoms_is_refused() -> None:
    with pytest.raises(ValueError, match="select exactly 2 atoms, in order; 1 is selected"):
        run(Distance(), ListRoom.of(molecule("H2O"), selection=[0]))


def test_frames_without_the_selected_atoms_leave_a_gap() -> None:
    room = ListRoom.of(molecule("H2O"), molecule("H2"), molecule("H2O"), selection=[0, 2])
    run(Distance(), room)
    assert [value is None for value in trace(room, "Distance")["y"]] == [False, True, False]


def with_energies(structure: Any = None) -> ListRoom:
    frames = []
    for number in range(5):
        atoms = structure.copy() if structure else molecule("H2O")
        atoms.calc = SinglePointCalculator(
            atoms, energy=-3.0 * number, forces=np.full((len(atoms), 3), number)
        )
        atoms.info |= {"time": 2.5 * number, "step_name": "a"}
        frames.append(atoms)
    return ListRoom.of(*frames, structure or molecule("H2O"), selection=[0, 1])


def test_energies_and_properties_per_frame() -> None:
    room = with_energies()

    run(Energy(per_atom=True), room)
    run(Properties1D(value="calc.forces", reduce="max"), room)
    run(Properties2D(x="info.time", y="calc.energy"), room)

    assert trace(room, "Energy")["y"] == [0, -1, -2, -3, -4, None]
    assert np.allclose(trace(room, "Properties1D")["y"][:5], np.sqrt(3) * np.arange(5))
    both = trace(room, "Properties2D")
    assert both["x"] == [0, 2.5, 5, 7.5, 10, None]
    assert both["y"] == [0, -3, -6, -9, -12, None]
    assert both["marker"]["color"] == list(range(6))
    assert both["customdata"] == [[number] for number in range(6)]


@pytest.mark.parametrize("key", ["info.step_name", "calc.nothing"])
def test_a_property_that_no_frame_has_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match=f"no frame has a number for '{key}'"):
        run(Properties1D(value=key), with_energies())


def test_the_energy_per_atom_of_a_frame_without_atoms_is_its_energy() -> None:
    room = ListRoom.of(molecule("H2O"))
    room.frames[0] = {"info.energy": -3.0}
    run(Energy(per_atom=True), room)

    assert trace(room, "Energy")["y"] == [-3.0]


def test_the_rdf_of_an_ideal_gas_is_one() -> None:
    source = np.random.default_rng(1)
    gas = Atoms(
        "H" * 3000,
        positions=source.random((3000, 3)) @ (np.array(TRICLINIC) * 6),
        cell=np.array(TRICLINIC) * 6,
    )
    gas.pbc = True
    room = ListRoom.of(gas)

    run(RDF(cutoff=10, bins=20), room)

    assert np.allclose(trace(room, "RDF")["y"][4:], 1, atol=0.05)


def test_the_rdf_counts_the_shells_of_a_crystal() -> None:
    """The integral over a peak is the number of neighbours, in a cell smaller than the distances."""
    copper = bulk("Cu", a=3.6)
    room = ListRoom.of(copper, copper)

    result = run(RDF(cutoff=4.0, bins=400), room)

    found = trace(room, "RDF")
    radii, g = np.array(found["x"]), np.array(found["y"])
    counts = g * 4 * np.pi * radii**2 * 0.01 / copper.get_volume()
    assert result["peak"] == pytest.approx(3.6 / np.sqrt(2), abs=0.01)
    assert counts[(radii > 2.4) & (radii < 2.7)].sum() == pytest.approx(12, rel=1e-3)
    assert counts[(radii > 3.4) & (radii < 3.8)].sum() == pytest.approx(6, rel=1e-3)


def test_the_rdf_of_two_elements_is_that_of_ase() -> None:
    salt = bulk("NaCl", "rocksalt", a=5.64) * 5
    salt.rattle(0.3, seed=1)
    room = ListRoom.of(salt)

    run(RDF(first="Na", second="Cl", cutoff=6.0, bins=30), room)

    expected, _ = get_rdf(salt, 6.0, 30, elements=[11, 17])
    ratio = np.array(trace(room, "RDF")["y"])[expected > 0] / expected[expected > 0]
    assert np.allclose(ratio, ratio[0], rtol=0.02)  # ASE normalises to another density


def test_each_bin_of_an_rdf_has_an_example_in_the_frame_that_fills_it_most() -> None:
    frames = [Atoms("NOO", [[1, 1, 1], [1, 1, z], [1, 4, 1]], cell=[9, 9, 9], pbc=True) for z in (2.2, 3.2)]
    for first, second, examples in (
        (None, None, {1: [0, 0, 1], 2: [1, 0, 1], 3: [0, 1, 2]}),
        ("N", "O", {1: [0, 0, 1], 2: [1, 0, 1], 3: [0, 0, 2]}),
    ):
        room = ListRoom.of(*frames)

        run(RDF(first=first, second=second, cutoff=3.5, bins=7), room)

        found = trace(room, "RDF")
        assert "markers" in found["mode"]
        for x, y, example in zip(found["x"], found["y"], found["customdata"], strict=True):
            assert bool(example) == (y > 0)
            if example:
                frame, a, b = example
                distance = frames[frame].get_distance(a, b, mic=True)
                assert abs(distance - x) < 0.26
                assert example[0] == examples[int(distance)][0]


def test_an_atom_beside_its_own_image_is_one_example() -> None:
    room = ListRoom.of(bulk("Cu", a=3.6))

    run(RDF(cutoff=3, bins=3), room)

    assert trace(room, "RDF")["customdata"] == [[], [], [0, 0]]


def test_an_rdf_needs_a_periodic_cell() -> None:
    with pytest.raises(ValueError, match="periodic in all directions"):
        run(RDF(), ListRoom.of(molecule("H2O")))


def test_coordination_in_crystals() -> None:
    for atoms, expected in [
        (bulk("Cu") * 3, 12),
        (bulk("Si") * 3, 4),
        (bulk("NaCl", "rocksalt", a=5.64) * 2, 6),
        (bulk("Cu"), 12),  # neighbours that are images of the only atom
        (bulk("Si"), 4),
    ]:
        room = ListRoom.of(atoms)
        assert run(Coordination(), room)["mean"] == expected
        assert trace(room, "Coordination")["y"][expected] == len(atoms)


def test_coordination_by_element_over_all_frames() -> None:
    room = ListRoom.of(*[molecule("CH3CH2OH")] * 3)
    run(Coordination(first="C", second="H", frames="all"), room)
    found = trace(room, "Coordination")
    assert found["y"] == [2.5] * 3
    assert found["customdata"] == [[0], [1], [2]]


def drifting(wrapped: bool) -> list[Any]:
    """Half of the atoms move with a constant velocity through a triclinic cell."""
    frames = []
    for number in range(40):
        atoms = triclinic(10)
        atoms.positions[:5] += np.array([0.3, -0.2, 0.1]) * number
        if wrapped:
            atoms.wrap()
        frames.append(atoms)
    return frames


@pytest.mark.parametrize("wrapped", [True, False])
def test_the_msd_follows_atoms_across_boundaries(wrapped: bool) -> None:
    room = ListRoom.of(*drifting(wrapped), selection=[0, 1])

    result = run(MSD(remove_drift=False, timestep=2), room)

    found = trace(room, "MSD")
    assert np.allclose(found["y"], 0.14 * np.arange(40) ** 2)
    assert found["x"] == [2 * number for number in range(40)]
    assert found["customdata"][-1] == [39]
    assert result["last"] == pytest.approx(0.14 * 39**2)


def test_the_msd_without_drift() -> None:
    room = ListRoom.of(*drifting(True))
    run(MSD(), room)
    assert np.allclose(trace(room, "MSD")["y"], 0.14 * (np.arange(40) / 2) ** 2)


def test_diffusion_from_the_slope() -> None:
    source = np.random.default_rng(3)
    walk = Atoms("H" * 400, cell=[20] * 3, pbc=True, positions=source.random((400, 3)) * 20)
    frames = []
    for _ in range(100):
        frames.append(walk.copy())
        walk.positions += source.normal(scale=0.2, size=(400, 3))
        walk.wrap()
    result = run(MSD(timestep=10, remove_drift=False), ListRoom.of(*frames))
    assert result["diffusion_cm2_s"] == pytest.approx(0.04 / (2 * 10) * 0.1, rel=0.3)


def test_figures_of_long_trajectories_have_a_limit() -> None:
    frame = ListRoom.of(molecule("H2")).frames[0]
    room = ListRoom()
    room.frames.extend([frame] * 50_000)
    room.selection = [0, 1]
    run(Distance(), room)
    found = trace(room, "Distance")
    assert len(found["x"]) <= 20_000
    assert found["customdata"][1] == [found["x"][1]]
