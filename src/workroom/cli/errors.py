"""Errors that the command line prints in one line: exit code 2 for wrong usage, 1 for anything else."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UsageError(Exception):
    """The command line itself is wrong."""


class CommandError(Exception):
    """The command line is fine, but the command failed."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """` Did you mean 'samples'?`, or an empty string."""
    by_folded = {each.casefold(): each for each in known}
    found = difflib.get_close_matches(word.casefold(), by_folded, n=1)
    return f" Did you mean '{by_folded[found[0]]}'?" if found else ""
