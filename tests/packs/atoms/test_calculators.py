"""Potentials from files, those that the deployer names, and molecules by SMILES."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ase.build import bulk, molecule
from ase.calculators import eam

from support.atoms_room import ListFiles, ListRoom, a_job, run
from workroom.packs.atoms.calculators import EAM, SETTING, Named
from workroom.packs.atoms.modifiers.building import AddMolecule
from workroom.packs.atoms.modifiers.packing import PackBox
from workroom.packs.atoms.modifiers.relaxing import Relax
from workroom.runtime.files import FETCH

CUTOFF, POINTS = 5.0, 400


def write_potential(path: Path, symbol: str = "Cu") -> Path:
    """A potential of embedded atoms in the alloy format of LAMMPS: a square root and two exponentials."""
    r, rho = np.arange(POINTS) * CUTOFF / POINTS, np.arange(POINTS) * 0.1
    fade, stretched = (1 - r / CUTOFF) ** 2, r / 2.55 - 1
    tables = (-np.sqrt(rho), np.exp(-1.5 * stretched) * fade, r * 0.5 * np.exp(-8 * stretched) * fade)
    lines = [
        *["a potential for tests"] * 3,
        f"1 {symbol}",
        f"{POINTS} 0.1 {POINTS} {CUTOFF / POINTS} {CUTOFF}",
        "29 63.546 3.6 fcc",
        *("\n".join(f"{each:.10e}" for each in table) for table in tables),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def relax(room: ListRoom, name: str, folder: Path, **values: Any) -> Any:
    job = a_job(ListFiles(folder))
    chosen = {"calculator": {"kind": "EAM", "potential": name}, **values}
    try:
        return run(Relax.model_validate(chosen, context={FETCH: job.fetch}), room, job)
    finally:
        job.close()


def rattled(symbol: str = "Cu") -> Any:
    atoms = bulk(symbol, "fcc", a=3.6, cubic=True) * 2
    atoms.rattle(0.1, seed=4)
    return atoms


def test_a_potential_from_a_file_relaxes_as_it_does_in_ase(tmp_path: Path) -> None:
    path, room = write_potential(tmp_path / "Cu.eam.alloy"), ListRoom.of(rattled())

    result = relax(room, path.name, tmp_path, fmax=0.01)

    atoms = room.atoms
    atoms.calc = eam.EAM(potential=str(path), form="alloy")
    assert result["converged"]
    assert result["energy"] == pytest.approx(atoms.get_potential_energy())
    assert np.linalg.norm(atoms.get_forces(), axis=1).max() < 0.01


def test_a_potential_refuses_elements_that_it_does_not_have(tmp_path: Path) -> None:
    write_potential(tmp_path / "Cu.alloy")
    with pytest.raises(ValueError, match=r"Cu\.alloy cannot treat Au: choose another calculator"):
        relax(ListRoom.of(rattled("Au")), "Cu.alloy", tmp_path)


def test_a_file_that_is_no_potential_is_refused(tmp_path: Path) -> None:
    (tmp_path / "Cu.alloy").write_text("hello\n" * 20)
    (tmp_path / "Cu.txt").write_text("hello")
    with pytest.raises(ValueError, match=r"Cu\.alloy is not a potential that can be read"):
        relax(ListRoom.of(rattled()), "Cu.alloy", tmp_path)
    with pytest.raises(ValueError, match=r"end in .alloy, .fs, .adp, .eam"):
        relax(ListRoom.of(rattled()), "Cu.txt", tmp_path)


def test_a_calculator_without_stress_does_not_relax_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "flat=ase.calculators.tip3p:TIP3P")
    with pytest.raises(ValueError, match="this calculator has no stress"):
        run(Relax(calculator=Named(name="flat"), relax_cell=True), ListRoom.of(rattled()))
    with pytest.raises(ValueError, match="no cell that could be relaxed"):
        run(Relax(relax_cell=True), ListRoom.of(molecule("H2O")))


def test_the_deployer_names_a_potential(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the documentation does: a module on the server's path has a function that reads the file."""
    path = write_potential(tmp_path / "Cu.alloy")
    (tmp_path / "our_potentials.py").write_text(
        "from ase.calculators.eam import EAM\n\n"
        f"def copper():\n    return EAM(potential={str(path)!r}, form='alloy')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(SETTING, "copper=our_potentials:copper")
    room = ListRoom.of(rattled())

    assert run(Relax(calculator=Named(name="copper"), fmax=0.05), room)["converged"]


@pytest.mark.parametrize(("smiles", "formula"), [("CCO", "C2H6O"), ("c1ccccc1", "C6H6"), ("O", "H2O")])
def test_smiles_become_molecules(smiles: str, formula: str) -> None:
    room = ListRoom.of(molecule("CH4"))

    run(AddMolecule(molecule=smiles, notation="SMILES", place="position", position=(5, 5, 5)), room)

    added = room.atoms[5:]
    assert added.get_chemical_formula() == formula
    assert np.allclose(added.positions.mean(axis=0), 5)
    distances = added.get_all_distances()[np.triu_indices(len(added), 1)]
    assert distances.min() > 0.7
    assert room.selection == list(range(5, 5 + len(added)))


def test_smiles_have_the_bond_lengths_of_their_molecule() -> None:
    room = ListRoom()
    run(AddMolecule(molecule="CC", notation="SMILES"), room)
    assert room.atoms.get_distance(0, 1) == pytest.approx(1.53, abs=0.05)


def test_a_box_of_smiles_has_as_many_molecules_as_wanted() -> None:
    room = ListRoom()
    found = PackBox.model_validate(
        {"molecules": [{"molecule": "CO", "count": 4}, {"molecule": "O", "count": 8}], "notation": "SMILES"}
    )
    run(found, room)
    assert room.atoms.get_chemical_formula() == "C4H32O12"


@pytest.mark.parametrize(
    ("smiles", "reason"),
    [
        ("C(", "'C\\(' is not valid SMILES"),
        ("C" * 200, "that makes 602 atoms; SMILES may have 300"),
        (" ", "is not valid SMILES"),
        ("[Na+].[Cl-]", "is several molecules: add one after the other"),
    ],
)
def test_smiles_that_make_no_molecule_are_refused(smiles: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        run(AddMolecule(molecule=smiles, notation="SMILES"), ListRoom())


def test_without_rdkit_smiles_are_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdkit", None)
    with pytest.raises(ValueError, match="SMILES need RDKit, which is not installed where this job runs"):
        run(AddMolecule(molecule="CCO", notation="SMILES"), ListRoom())


def test_a_potential_is_a_field_of_the_form() -> None:
    assert EAM.model_json_schema()["properties"]["potential"]["format"] == "workroom-file"
