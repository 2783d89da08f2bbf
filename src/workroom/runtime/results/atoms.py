"""Atoms of ASE, as extended XYZ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workroom.runtime.results.envelopes import text_envelope

if TYPE_CHECKING:
    from workroom.runtime.results.encoding import Encoder


def ase(atoms: Any, encoder: Encoder) -> Any:
    return text_envelope("atoms", extended_xyz(atoms), format="extxyz", formula=atoms.get_chemical_formula())


def extended_xyz(atoms: Any) -> str:
    symbols, positions = list(atoms.get_chemical_symbols()), atoms.get_positions()
    lines = [
        f"{symbol:<2} {float(x): .8f} {float(y): .8f} {float(z): .8f}"
        for symbol, (x, y, z) in zip(symbols, positions, strict=True)
    ]
    return "\n".join([str(len(symbols)), _comment(atoms), *lines, ""])


def _comment(atoms: Any) -> str:
    properties = "Properties=species:S:1:pos:R:3"
    if not any(atoms.pbc):
        return f'{properties} pbc="F F F"'
    lattice = " ".join(f"{float(each):.8f}" for row in atoms.cell for each in row)
    periodic = " ".join("T" if each else "F" for each in atoms.pbc)
    return f'Lattice="{lattice}" {properties} pbc="{periodic}"'
