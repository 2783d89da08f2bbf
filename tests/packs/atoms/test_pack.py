"""What the pack offers, and what it imports."""

from __future__ import annotations

import subprocess
import sys

import jsonschema_rs
import pytest

from workroom import Extension
from workroom.packs.atoms.pack import extensions

ALL = extensions()
LAZY = """
import sys
{before}
from workroom.packs.atoms.pack import extensions
import workroom.packs.atoms
print(len(extensions()), *(name for name in ("ase", "vesin", "scipy", "h5py") if sys.modules.get(name)))
"""


NAMES = {
    "modifiers": """Delete Duplicate ChangeType Wrap Center Supercell Translate Rotate FixAtoms RemoveAtoms
        Rattle AddMolecule PackBox NewCanvas Empty Relax MolecularDynamics Interpolate LoadFile""",
    "selections": """All None Invert Range Random ByElement IdenticalSpecies ConnectedParticles Neighbours
        WithinDistance ByProperty""",
    "analysis": """Distance Angle DihedralAngle Properties1D Properties2D RDF MSD Coordination Energy
        ExportFile""",
}


@pytest.mark.parametrize("category", NAMES)
def test_the_names_of_the_tools(category: str) -> None:
    names = {each.extension_name for each in ALL if each.category == category}
    assert names == set(NAMES[category].split())


def loaded(before: str = "") -> str:
    command = [sys.executable, "-c", LAZY.format(before=before)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_forms_are_there_before_ase_is_imported() -> None:
    assert loaded() == "40"


def test_without_ase_the_pack_offers_nothing() -> None:
    assert loaded("sys.modules['ase'] = None") == "0"


@pytest.mark.parametrize("extension", ALL, ids=lambda each: each.extension_name)
def test_a_form_has_help_limits_and_valid_defaults(extension: type[Extension]) -> None:
    schema = extension.model_json_schema()
    assert schema["description"].endswith((".", "NAME`."))
    defaults = {
        name: each["default"] for name, each in schema.get("properties", {}).items() if "default" in each
    }
    required = dict.fromkeys(schema.get("required", ()), "file")
    jsonschema_rs.validator_for(schema).validate(defaults | required)
    for name, field in schema.get("properties", {}).items():
        if field.get("type") == "number":
            assert {"maximum", "exclusiveMaximum"} & field.keys(), f"{name} has no upper limit"
