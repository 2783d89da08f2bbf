"""Edits of frames."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from workroom.domain.room_data.frame_edits import FrameEdit, FrameOperation, Source
from workroom.domain.room_data.frame_selection import Selection
from workroom.server.http.bodies.fields import MAX_INT, Body

MAX_SOURCES = 1000

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Index = Annotated[int, Field(ge=-MAX_INT, le=MAX_INT)]
OptionalIndex = Annotated[Index | None, Field()]


class PieceSource(Body):
    """All frames of an uploaded piece."""

    piece: Digest

    def source(self) -> Source:
        return Source(self.piece)


class FramesSource(Body):
    """Frames of the sequence as it is before the edit: start, stop, step."""

    frames: list[OptionalIndex] = Field(min_length=3, max_length=3)

    def source(self) -> Source:
        start, stop, step = self.frames
        return Source(None, Selection(None, start, stop, step))


Sources = Annotated[list[PieceSource | FramesSource], Field(max_length=MAX_SOURCES)]


class AppendBody(Body):
    op: Literal["append"]
    sources: Sources

    def edit(self) -> FrameEdit:
        return FrameEdit(FrameOperation.APPEND, sources=_sources(self.sources))


class InsertBody(Body):
    op: Literal["insert"]
    at: Index
    sources: Sources

    def edit(self) -> FrameEdit:
        return FrameEdit(FrameOperation.INSERT, self.at, sources=_sources(self.sources))


class SetBody(Body):
    """The sources have exactly one frame."""

    op: Literal["set"]
    at: Index
    sources: Sources

    def edit(self) -> FrameEdit:
        return FrameEdit(FrameOperation.SET, self.at, sources=_sources(self.sources))


class AssignBody(Body):
    """With a step other than 1, there must be as many frames as the slice has."""

    op: Literal["assign"]
    start: OptionalIndex = None
    stop: OptionalIndex = None
    step: OptionalIndex = None
    sources: Sources

    def edit(self) -> FrameEdit:
        where = Selection(None, self.start, self.stop, self.step)
        return FrameEdit(FrameOperation.ASSIGN, where=where, sources=_sources(self.sources))


class DeleteBody(Body):
    """Deletes one frame, `at`, or a slice."""

    op: Literal["delete"]
    at: OptionalIndex = None
    start: OptionalIndex = None
    stop: OptionalIndex = None
    step: OptionalIndex = None

    def edit(self) -> FrameEdit:
        where = Selection(None, self.start, self.stop, self.step)
        return FrameEdit(FrameOperation.DELETE, self.at, where)


EditBody = Annotated[AppendBody | InsertBody | SetBody | AssignBody | DeleteBody, Field(discriminator="op")]


def _sources(given: list[PieceSource | FramesSource]) -> tuple[Source, ...]:
    return tuple(each.source() for each in given)
