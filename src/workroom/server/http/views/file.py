"""Artifacts and previews of jobs, and files of rooms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from workroom.domain import files as domain
from workroom.domain.files import FileKind, PreviewKind
from workroom.domain.queries import Page
from workroom.server.http.views.values import Time, format_time


class Artifact(TypedDict):
    """A file that one attempt of a job saved."""

    name: str
    kind: FileKind
    media_type: str
    size: int
    sha256: str
    created_at: Time
    attempt: int


class Preview(TypedDict):
    """The current preview of a job; each new one has a higher version."""

    kind: PreviewKind
    version: int
    size: int
    sha256: str


class Artifacts(TypedDict):
    items: list[Artifact]
    preview: Annotated[Preview | None, Field(description="what the job showed last, if anything")]


class RoomFile(TypedDict):
    """A file uploaded to a room; the values of a job refer to it by its id."""

    id: str
    room: str
    name: str
    kind: FileKind
    media_type: str
    size: int
    sha256: str
    user: str
    created_at: Time


class RoomFilePage(TypedDict):
    items: list[RoomFile]
    next_cursor: Annotated[int | None, Field(description="`cursor` of the next page, if there is one")]


def render_artifact(artifact: domain.Artifact) -> Artifact:
    return {
        "name": artifact.name,
        "kind": artifact.kind,
        "media_type": artifact.media_type,
        "size": artifact.blob.size,
        "sha256": artifact.blob.sha256,
        "created_at": format_time(artifact.created_at_us),
        "attempt": artifact.attempt,
    }


def render_artifacts(artifacts: Sequence[domain.Artifact], preview: domain.Preview | None) -> Artifacts:
    return {
        "items": [render_artifact(each) for each in artifacts],
        "preview": None if preview is None else render_preview(preview),
    }


def render_preview(preview: domain.Preview) -> Preview:
    return {
        "kind": preview.kind,
        "version": preview.version,
        "size": preview.blob.size,
        "sha256": preview.blob.sha256,
    }


def render_room_file(file: domain.RoomFile) -> RoomFile:
    return {
        "id": file.id,
        "room": file.room,
        "name": file.name,
        "kind": file.kind,
        "media_type": file.media_type,
        "size": file.blob.size,
        "sha256": file.blob.sha256,
        "user": file.user,
        "created_at": format_time(file.created_at_us),
    }


def render_room_file_page(page: Page[domain.RoomFile]) -> RoomFilePage:
    return {"items": [render_room_file(each) for each in page.items], "next_cursor": page.next_cursor}
