"""Molecules by name or SMILES."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ase import Atoms

_MAX_SMILES_ATOMS = 300  # with hydrogen: larger ones take RDKit minutes


def molecule(text: str, notation: str = "name") -> Atoms:
    """A molecule around the origin. Raises ValueError if the name or the SMILES is unknown."""
    return _from_smiles(text) if notation == "SMILES" else _by_name(text)


def _by_name(name: str) -> Atoms:
    from ase import Atoms
    from ase.build import molecule as named
    from ase.data import chemical_symbols
    from ase.data.g2 import data

    known = {**dict.fromkeys(data), **dict.fromkeys(chemical_symbols[1:])}
    if name not in known:
        close = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
        hint = f": did you mean {', '.join(close)}?" if close else ""
        raise ValueError(f"ASE's G2 set has no molecule '{name}'{hint}")
    atoms = named(name) if name in data else Atoms(name)
    atoms.positions -= atoms.positions.mean(axis=0)
    return atoms


def _from_smiles(smiles: str) -> Atoms:
    from ase import Atoms

    try:
        from rdkit import Chem
        from rdkit.Chem import rdDistGeom, rdForceFieldHelpers
    except ModuleNotFoundError as error:
        raise ValueError("SMILES need RDKit, which is not installed where this job runs") from error
    parsed = Chem.MolFromSmiles(smiles)
    if parsed is None or not parsed.GetNumAtoms():
        raise ValueError(f"'{smiles}' is not valid SMILES")
    if len(Chem.GetMolFrags(parsed)) > 1:  # RDKit would place them all at the same point
        raise ValueError(f"'{smiles}' is several molecules: add one after the other")
    whole = Chem.AddHs(parsed)
    if whole.GetNumAtoms() > _MAX_SMILES_ATOMS:
        raise ValueError(f"that makes {whole.GetNumAtoms()} atoms; SMILES may have {_MAX_SMILES_ATOMS}")
    if rdDistGeom.EmbedMolecule(whole, randomSeed=42) != 0:
        raise ValueError(f"RDKit finds no structure for '{smiles}'")
    if rdForceFieldHelpers.UFFHasAllMoleculeParams(whole):
        rdForceFieldHelpers.UFFOptimizeMolecule(whole)
    positions = whole.GetConformer().GetPositions()
    atoms = Atoms([atom.GetSymbol() for atom in whole.GetAtoms()], positions - positions.mean(axis=0))
    atoms.info["smiles"] = smiles
    return atoms
