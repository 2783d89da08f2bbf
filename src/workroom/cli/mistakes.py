"""Mistakes are told in one line: exit code 2 for what was typed, 1 for what went wrong."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UsageMistake(Exception):
    """What was typed cannot be done, whatever state the world is in."""


class Failure(Exception):
    """What was typed is fine, but the world is not."""


def closest(word: str, known: Iterable[str]) -> str:
    """` Did you mean 'samples'?`, or nothing."""
    by_folded = {each.casefold(): each for each in known}
    found = difflib.get_close_matches(word.casefold(), by_folded, n=1)
    return f" Did you mean '{by_folded[found[0]]}'?" if found else ""
