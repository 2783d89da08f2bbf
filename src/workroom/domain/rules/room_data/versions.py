"""Which version is undone or redone next, which an edit amends, and which is dropped.

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
    PARTLY = "partly"  # some of its changes were rolled back: it can be undone, and then not redone


_EDITS = ("change", "restore")
_UNDOABLE = (VersionState.DONE, VersionState.PARTLY)
VERSIONS_PER_EDIT = 3
MAX_CHANGES = 500
"""How many documents one version changes at most."""


def to_undo(entries: Sequence[Entry]) -> int | None:
    """The newest change that is not undone. Entries are sorted by number."""
    found = [number for number, kind, state in entries if kind in _EDITS and state in _UNDOABLE]
    return found[-1] if found else None


def to_redo(entries: Sequence[Entry]) -> int | None:
    """The oldest change that is undone: it was undone last."""
    found = [number for number, _, state in entries if state == VersionState.UNDONE]
    return found[0] if found else None


def after_undo(state: str) -> VersionState:
    """What an undone version becomes. What was rolled back must not come back with a redo."""
    return VersionState.UNDONE if state == VersionState.DONE else VersionState.DROPPED


def amends(*, number: int, state: str, changes: int, changed: int) -> bool:
    """Whether an edit becomes part of version `number` of its group, which has so many `changes`.

    `changed` is the newest version that changed the same document, 0 if there is none.
    """
    if state != VersionState.DONE or changed > number:
        return False
    return changed == number or changes < MAX_CHANGES


def rolls_back(changes: Sequence[tuple[int, int]], current: int) -> int:
    """How many of a job's changes of a document are taken back: none that somebody else has built on.

    The changes are the contents before and after, the newest first; 0 stands for no document.
    """
    for count, (before, after) in enumerate(changes):
        if after != current:
            return count
        current = before
    return len(changes)


def after_rollback(*, changes: int, rolled_back: int) -> VersionState:
    """What a version becomes of whose changes some were rolled back."""
    if rolled_back == changes:
        return VersionState.DROPPED
    return VersionState.PARTLY if rolled_back else VersionState.DONE


def is_over(
    *, edits: int, count: int, age_us: int, size: int, most: int, keep_us: int, max_size: int
) -> bool:
    """Whether the oldest of `count` versions is dropped. `size` are the bytes that only versions need.

    Undo and redo do not push out the `edits` that they undo: each can be undone and redone once.
    """
    is_many = edits > most or count > most * VERSIONS_PER_EDIT
    return is_many or age_us > keep_us or size > max_size
