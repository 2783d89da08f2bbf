"""What people write about a job: a name, a star, tags and a note.

Few jobs have any of it, so it is kept apart from the records that every job needs to run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from workroom.errors import InvalidRequest

MAX_NAME = 100
MAX_TAGS = 20
MAX_TAG = 40
MAX_NOTE = 4000


@dataclass(frozen=True, slots=True)
class Annotation:
    """`version` counts its changes; `by` and `at_us` belong to the last one."""

    name: str = ""
    starred: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""
    version: int = 0
    by: str = ""
    at_us: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.name or self.starred or self.tags or self.note)


UNANNOTATED = Annotation()


@dataclass(frozen=True, slots=True)
class AnnotationChange:
    """None leaves a field as it is."""

    name: str | None = None
    starred: bool | None = None
    tags: tuple[str, ...] | None = None
    note: str | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Annotating:
    """An annotation to save. It is outdated if the job has one of its version, or a newer one."""

    job_id: str
    room: str
    annotation: Annotation


class Saved(StrEnum):
    """What became of it."""

    SAVED = "saved"
    OUTDATED = "outdated"
    MISSING = "missing"


def version_of(annotation: Annotation | None) -> int:
    return (annotation or UNANNOTATED).version


def changed(before: Annotation | None, change: AnnotationChange, by: str, at_us: int) -> Annotation:
    """The annotation after a change. Raises InvalidRequest if it would have too many tags."""
    before = before or UNANNOTATED
    kept = before.tags if change.tags is None else change.tags
    removed = {tag.casefold() for tag in clean_tags(change.remove_tags)}
    tags = clean_tags(tag for tag in (*kept, *change.add_tags) if tag.strip().casefold() not in removed)
    if len(tags) > MAX_TAGS:
        raise InvalidRequest(f"a job can have {MAX_TAGS} tags, and this would be {len(tags)}")
    return Annotation(
        name=before.name if change.name is None else " ".join(change.name.split()),
        starred=before.starred if change.starred is None else change.starred,
        tags=tags,
        note=before.note if change.note is None else change.note.strip(),
        version=before.version + 1,
        by=by,
        at_us=at_us,
    )


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Without surrounding blanks, empty ones and repetitions; case does not distinguish two tags."""
    found: dict[str, str] = {}
    for tag in tags:
        text = " ".join(tag.split())
        if text:
            found.setdefault(text.casefold(), text)
    return tuple(found.values())
