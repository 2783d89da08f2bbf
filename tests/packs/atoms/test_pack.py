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
