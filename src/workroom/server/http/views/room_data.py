"""Locks, documents and versions of a room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired

from pydantic import Field, RootModel
from typing_extensions import TypedDict

from workroom.domain.queries import Page
from workroom.domain.room_data import documents as domain
from workroom.domain.room_data import locks, versions
from workroom.domain.room_data.frame_index import FrameIndex
from workroom.domain.room_data.versions import VersionKind
from workroom.server.http.views.values import Time, embed, format_time
from workroom.services.room_data.frames.reading import FramesChange
from workroom.services.room_data.versions import Difference

_MAX_SHOWN = 64_000


class HeldLock(TypedDict):
    """A lock that somebody holds. Its token is never shown."""

    target: str
    holder: str
    job_id: Annotated[str | None, Field(description="the holder's job that holds it; null: a person does")]
    message: str
    fence: Annotated[int, Field(description="grows with each holder of a lock in this room")]
    acquired_at: Time
    expires_at: Time


class Lock(HeldLock):
    age_ms: int


class Locks(TypedDict):
    items: list[Lock]


class Released(TypedDict):
    released: Annotated[bool, Field(description="false: the lock was not held, or not with this token")]


class DocumentInfo(TypedDict):
    """A document without its content. Its ETag is its version in quotation marks."""

    key: str
    version: int
    size: int
    user: str
    job_id: Annotated[str | None, Field(description="the user's job that wrote it; null: a person did")]
    changed_at: Time


class Documents(TypedDict):
    items: list[DocumentInfo]


class DocumentContent(RootModel[Any]):
    """Any JSON value."""


class DeletedDocument(TypedDict):
    key: str
    version: Annotated[int, Field(description="the number of the deletion")]


class Change(TypedDict):
    """What a version did to a document."""

    key: str
    created: bool
    deleted: bool


class Version(TypedDict):
    """One change of the room's documents. `of` is the version that was undone, redone or restored."""

    number: int
    kind: VersionKind
    of: int | None
    user: str
    job_id: str | None
    at: Time
    summary: str
    undone: bool
    changes: list[Change]


class VersionPage(TypedDict):
    items: list[Version]
    next_cursor: Annotated[int | None, Field(description="`cursor` of the next page, if there is one")]


class DocumentDifference(TypedDict):
    """A document in two versions. Contents that are missing or larger than 64,000 bytes are left out.

    Of the frames, with the key `frames`, they are `length`, and `start` and `stop` of those that differ.
    """

    key: str
    before_size: int | None
    after_size: int | None
    before: NotRequired[Any]
    after: NotRequired[Any]


class Differences(TypedDict):
    items: list[DocumentDifference]


def render_lock(lock: locks.Lock, now_us: int) -> Lock:
    return {
        "target": lock.target,
        "holder": lock.user,
        "job_id": lock.job_id,
        "message": lock.message,
        "fence": lock.fence,
        "acquired_at": format_time(lock.acquired_us),
        "expires_at": format_time(lock.expires_us),
        "age_ms": max(0, (now_us - lock.acquired_us) // 1000),
    }


def render_locks(found: Sequence[locks.Lock], now_us: int) -> Locks:
    return {"items": [render_lock(each, now_us) for each in found]}


def render_document_info(info: domain.DocumentInfo) -> DocumentInfo:
    return {
        "key": info.key,
        "version": info.version,
        "size": info.size,
        "user": info.user,
        "job_id": info.job_id,
        "changed_at": format_time(info.changed_us),
    }


def render_documents(found: Sequence[domain.DocumentInfo]) -> Documents:
    return {"items": [render_document_info(each) for each in found]}


def render_version(version: versions.Version) -> Version:
    return {
        "number": version.number,
        "kind": version.kind,
        "of": version.of,
        "user": version.user,
        "job_id": version.job_id,
        "at": format_time(version.at_us),
        "summary": version.summary,
        "undone": version.is_undone,
        "changes": [
            {"key": each.key, "created": each.before is None, "deleted": each.after is None}
            for each in version.changes
        ],
    }


def render_version_page(page: Page[versions.Version]) -> VersionPage:
    return {"items": [render_version(each) for each in page.items], "next_cursor": page.next_cursor}


def render_differences(found: Sequence[Difference], frames: FramesChange | None) -> Differences:
    changed = [] if frames is None else [_frames_difference(frames)]
    items = [*(_difference(each) for each in found), *changed]
    return {"items": sorted(items, key=lambda item: item["key"])}


def _frames_difference(found: FramesChange) -> DocumentDifference:
    return {
        "key": domain.FRAMES,
        "before_size": found.before.bytes,
        "after_size": found.after.bytes,
        "before": _part(found.before, found.difference.before),
        "after": _part(found.after, found.difference.after),
    }


def _part(index: FrameIndex, differing: range) -> dict[str, int]:
    return {"length": index.length, "start": differing.start, "stop": differing.stop}


def _difference(found: Difference) -> DocumentDifference:
    rendered: DocumentDifference = {
        "key": found.key,
        "before_size": None if found.before is None else len(found.before),
        "after_size": None if found.after is None else len(found.after),
    }
    if found.before is not None and len(found.before) <= _MAX_SHOWN:
        rendered["before"] = embed(found.before)
    if found.after is not None and len(found.after) <= _MAX_SHOWN:
        rendered["after"] = embed(found.after)
    return rendered
