"""What each tool of the atoms pack makes of a crystal of any size, by ASE or a closed formula."""

from __future__ import annotations

from support.atoms_cases import analysis, modifiers, selections

CASES = modifiers.CASES | selections.CASES | analysis.CASES

__all__ = ["CASES"]
