"""Which version is undone or redone next, and which is dropped.

The changes that are not undone make up the current state, in the order of their numbers. So the newest of
them is undone first, and what was undone last is redone first. A new change ends that: what is undone then
stays so.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

Entry = tuple[int, str, str]
"""The number, kind and state of a version."""


class VersionState(StrEnum):
    DONE = "done"
    UNDONE = "undone"  # it can be redone
    DROPPED = "dropped"  # it was undone, and something else was done instead


_EDITS = ("change", "restore")
VERSIONS_PER_EDIT = 3


def to_undo(entries: Sequence[Entry]) -> int | None:
    """The newest change that is not undone. Entries are sorted by number."""
    found = [number for number, kind, state in entries if kind in _EDITS and state == VersionState.DONE]
    return found[-1] if found else None


def to_redo(entries: Sequence[Entry]) -> int | None:
    """The oldest change that is undone: it was undone last."""
    found = [number for number, _, state in entries if state == VersionState.UNDONE]
    return found[0] if found else None


def is_over(
    *, edits: int, count: int, age_us: int, size: int, most: int, keep_us: int, max_size: int
) -> bool:
    """Whether the oldest of `count` versions is dropped. `size` are the bytes that only versions need.

    Undo and redo do not push out the `edits` that they undo: each can be undone and redone once.
    """
    is_many = edits > most or count > most * VERSIONS_PER_EDIT
    return is_many or age_us > keep_us or size > max_size
