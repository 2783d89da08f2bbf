"""Versions: the recent changes of a room's documents and frames, each of which can be taken back."""

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


def group_of(writer: Writer, group: str, *, keeps_on_failure: bool = False) -> str:
    """The group of an edit: edits of one group make one version where possible. Empty for none.

    All edits of an attempt are one group, except those that stay if it fails. The groups of people are their
    own.
    """
    if writer.job is not None:
        return job_group(writer.job.job_id, writer.job.attempt) + (":kept" if keeps_on_failure else "")
    return f"user:{writer.user}:{group}" if group else ""


def job_group(job_id: str, attempt: int) -> str:
    """The group of what an attempt changed, and what is undone if it does not complete."""
    return f"job:{job_id}:{attempt}"


@dataclass(frozen=True, slots=True)
class JobEdits:
    """The record that an attempt changed a room or holds a lock in it."""

    room: str
    job_id: str
    attempt: int


@dataclass(frozen=True, slots=True)
class EditsEnd:
    """The end of an attempt's edits. `summary` is that of the version that undoes them.

    `has_completed` counts if the store does not have the job any more.
    """

    edits: JobEdits
    summary: str
    has_completed: bool = True
    limits: DataLimits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class EndedEdits:
    """What became of the edits of an attempt that is over.

    `undone` is the version that took them back. `kept` are keys of changes that stay: somebody else changed
    the document since, or holds its lock. `is_trimmed`: others stay whose versions are not kept any
    more. `freed` are the targets of the attempt's locks.
    """

    edits: JobEdits
    undone: Version | None = None
    kept: tuple[str, ...] = ()
    is_trimmed: bool = False
    freed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Revert:
    """Undo or redo one version, or restore the documents as they were after version `to`.

    With a `target`, one that changed it is undone or redone, whatever was changed beside it since.

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
    target: str | None = None
