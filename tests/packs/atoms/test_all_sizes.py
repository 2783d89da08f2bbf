"""Each tool at 1, 1,000 and 100,000 atoms of a periodic, triclinic crystal, by ASE or a closed formula.

`benchmarks/atoms.py` reports their time and memory.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.atoms_cases import CASES
from workroom.packs.atoms.pack import extensions

SIZES = [1, 1_000, pytest.param(100_000, marks=pytest.mark.full)]


@pytest.mark.timeout(1800)  # calculators are slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [each.extension_name for each in extensions()])
def test_a_tool_makes_of_a_crystal_what_it_should(name: str, size: int, tmp_path: Path) -> None:
    CASES[name](size, tmp_path)
