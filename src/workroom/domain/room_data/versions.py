"""Versions: the recent changes of a room's documents, each of which can be taken back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workroom.domain.room_data.documents import DEFAULT_LIMITS, DataLimits
from workroom.domain.room_data.locks import Writer


class VersionKind(StrEnum):
    CHANGE = "change"
    UNDO = "undo"
    REDO = "redo"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class Change:
    """What a version did to a document. Contents are named by the change that made them.

    None stands for no document.
    """

    key: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Version:
    """One change of a room's data, by a person or a job. `of` is the version that was undone or restored."""

    room: str
    number: int
    kind: VersionKind
    of: int | None
    user: str
    job_id: str | None
    at_us: int
    summary: str
    is_undone: bool
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Revert:
    """Undo or redo one version, or restore the documents as they were after version `to`.

    It may change several targets, so `digests` are those of all locks that the caller sent tokens of. Each
    must be held: a caller who lost one believes to be alone.
    """

    room: str
    kind: VersionKind
    writer: Writer
    request: str = ""
    to: int | None = None
    limits: DataLimits = DEFAULT_LIMITS
    digests: tuple[str, ...] = ()
