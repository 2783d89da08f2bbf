"""The frames of a room."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from workroom.domain.room_data import frames as domain
from workroom.server.http.views.values import Time, format_time
from workroom.services.room_data.frames.editing import EditedFrames as Edited
from workroom.services.room_data.frames.reading import KeyInfo, Summary


class FrameKey(TypedDict):
    """A key of the first or the last frame. `dtype` and `shape` are null where the two differ."""

    key: str
    kind: Literal["array", "value"]
    dtype: str | None
    shape: list[int] | None


class FramesSummary(TypedDict):
    """The sequence of frames. Without frames, its version may be 0, and nobody changed it."""

    length: int
    version: int
    bytes: Annotated[int, Field(description="about how many bytes its frames have")]
    user: str | None
    job_id: Annotated[str | None, Field(description="the user's job that changed it; null: a person did")]
    changed_at: Time | None
    keys: list[FrameKey]


class EditedFrames(TypedDict):
    length: int
    version: int


class StoredPiece(TypedDict):
    """An uploaded message. `piece` is its name, for edits."""

    piece: str
    count: int
    bytes: int


def render_summary(found: Summary) -> FramesSummary:
    info = found.frames.info
    return {
        "length": found.frames.index.length,
        "version": found.frames.version,
        "bytes": found.frames.index.bytes,
        "user": None if info is None else info.user,
        "job_id": None if info is None else info.job_id,
        "changed_at": None if info is None else format_time(info.changed_us),
        "keys": [_key(each) for each in found.keys],
    }


def render_edited(edited: Edited) -> EditedFrames:
    return {"length": edited.length, "version": edited.version}


def render_piece(piece: domain.Piece) -> StoredPiece:
    return {"piece": piece.name, "count": piece.count, "bytes": piece.blob.size}


def _key(info: KeyInfo) -> FrameKey:
    return {
        "key": info.key,
        "kind": "array" if info.is_array else "value",
        "dtype": info.dtype,
        "shape": None if info.shape is None else list(info.shape),
    }
