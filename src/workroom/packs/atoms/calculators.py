"""Calculators that people may choose, and those that the deployer names."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from workroom import File

if TYPE_CHECKING:
    from ase import Atoms

SETTING = "WORKROOM_PACK_ATOMS_CALCULATORS"  # `mace=my_models:make_mace,other=module:function`
_EMT = {"Al", "Cu", "Ag", "Au", "Ni", "Pd", "Pt", "H", "C", "N", "O"}
_EAM_SUFFIXES = (".alloy", ".fs", ".adp", ".eam")
_MAX_EAM_BYTES = 50_000_000
_LENGTH: dict[str, Any] = {"unit": "Å"}
_ENERGY: dict[str, Any] = {"unit": "eV"}


class EMT(BaseModel):
    """Effective medium theory, for Al, Ni, Cu, Pd, Ag, Pt, Au; roughly for H, C, N, O."""

    kind: Literal["EMT"] = "EMT"

    def make(self, atoms: Atoms) -> Any:
        from ase.calculators import emt

        refuse_elements(atoms, _EMT, "EMT")
        return emt.EMT()


class LennardJones(BaseModel):
    """The Lennard-Jones potential; all atoms are alike."""

    kind: Literal["Lennard-Jones"] = "Lennard-Jones"
    epsilon: float = Field(
        0.0104, gt=0, le=100, json_schema_extra=_ENERGY, description="depth (argon: 0.0104)"
    )
    sigma: float = Field(3.4, gt=0, le=100, json_schema_extra=_LENGTH, description="radius (argon: 3.4)")
    cutoff: float = Field(8.5, gt=0, le=100, json_schema_extra=_LENGTH)

    def make(self, atoms: Atoms) -> Any:
        from ase.calculators.lj import LennardJones as Calculator

        return Calculator(epsilon=self.epsilon, sigma=self.sigma, rc=self.cutoff, smooth=True)


class Morse(BaseModel):
    """The Morse potential; all atoms are alike."""

    kind: Literal["Morse"] = "Morse"
    epsilon: float = Field(1.0, gt=0, le=100, json_schema_extra=_ENERGY, description="depth")
    r0: float = Field(2.5, gt=0, le=100, json_schema_extra=_LENGTH, description="distance of the minimum")
    rho0: float = Field(6.0, gt=0, le=100, description="stiffness: the exponent times r0")

    def make(self, atoms: Atoms) -> Any:
        from ase.calculators.morse import MorsePotential as Calculator

        return Calculator(
            epsilon=self.epsilon, r0=self.r0, rho0=self.rho0, rcut1=1.9 * self.r0, rcut2=2.7 * self.r0
        )


class EAM(BaseModel):
    """An embedded atom potential from a file."""

    kind: Literal["EAM"] = "EAM"
    potential: File = Field(description="a file of the room, as LAMMPS takes it: .alloy, .fs, .adp or .eam")

    def make(self, atoms: Atoms) -> Any:
        path = self.potential.path()
        calculator = _read_eam(path)
        refuse_elements(atoms, set(calculator.elements), path.name)
        return calculator


def named_calculators() -> dict[str, str]:
    """`module:function` by name, from the setting of the deployer."""
    pairs = (each.partition("=") for each in os.environ.get(SETTING, "").split(",") if each.strip())
    return {name.strip(): target.strip() for name, _, target in pairs}


def _offer_names(schema: dict[str, Any]) -> None:
    if named := list(named_calculators()):
        schema["examples"] = named


class Named(BaseModel):
    """A calculator of this server, such as a machine-learned potential."""

    kind: Literal["named"] = "named"
    name: str = Field(
        max_length=100, description="as the server's setting calls it", json_schema_extra=_offer_names
    )

    def make(self, atoms: Atoms) -> Any:
        known = named_calculators()
        if self.name not in known:
            names = f": there are {', '.join(known)}" if known else f": {SETTING} names none"
            raise ValueError(f"this server has no calculator '{self.name}'{names}")
        return _imported(known[self.name])()


def _read_eam(path: Path) -> Any:
    from ase.calculators import eam

    if path.suffix not in _EAM_SUFFIXES:
        known = ", ".join(_EAM_SUFFIXES)
        raise ValueError(f"{path.name} is not a potential: the names of such files end in {known}")
    if path.stat().st_size > _MAX_EAM_BYTES:
        raise ValueError(f"{path.name} has more than {_MAX_EAM_BYTES // 10**6} MB")
    try:
        return eam.EAM(potential=str(path), form=path.suffix[1:])
    except Exception as error:  # whatever ASE meets in a file that is not what it expects
        raise ValueError(f"{path.name} is not a potential that can be read: {error}") from error


CHOICES = "EMT: Al, Ni, Cu, Pd, Ag, Pt, Au; roughly H, C, N, O"
Choice = Annotated[EMT | LennardJones | Morse | EAM | Named, Field(discriminator="kind")]


def _imported(target: str) -> Callable[[], Any]:
    module, _, name = target.partition(":")
    found: Callable[[], Any] = getattr(importlib.import_module(module), name)
    return found


def refuse_elements(atoms: Atoms, known: set[str], what: str) -> None:
    strange = sorted(set(atoms.get_chemical_symbols()) - known)
    if strange:
        raise ValueError(f"{what} cannot treat {', '.join(strange)}: choose another calculator")
