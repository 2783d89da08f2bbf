"""Edits of frames."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from workroom.domain.room_data.frame_edits import FrameEdit, FrameOperation, Source
from workroom.domain.room_data.frame_selection import Selection
from workroom.errors import InvalidRequest
from workroom.server.http.bodies.fields import MAX_INT, Body

MAX_SOURCES = 1000

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", max_length=64)]
Index = Annotated[int, Field(ge=-MAX_INT, le=MAX_INT)]
Slice = Annotated[list[Index | None], Field(min_length=3, max_length=3)]

_SLICE = frozenset({"start", "stop", "step"})
_TAKES = {
    "append": frozenset({"sources"}),
    "insert": frozenset({"at", "sources"}),
    "set": frozenset({"at", "sources"}),
    "assign": _SLICE | {"sources"},
    "delete": _SLICE | {"at"},
}
_NEEDS = frozenset({"at", "sources"})


class SourceBody(Body):
    """All frames of an uploaded piece, or frames of the sequence as it is before the edit."""

    piece: Digest | None = None
    frames: Annotated[Slice | None, Field(description="start, stop, step")] = None

    def source(self) -> Source:
        if (self.piece is None) == (self.frames is None):
            raise InvalidRequest("a source has either `piece` or `frames`")
        return Source(self.piece) if self.frames is None else Source(None, Selection(None, *self.frames))


class EditBody(Body):
    """`append`, `insert` and `set` take sources; `assign` a slice and sources; `delete` a slice or `at`."""

    op: Literal["append", "insert", "set", "assign", "delete"]
    at: Index | None = None
    start: Index | None = None
    stop: Index | None = None
    step: Index | None = None
    sources: Annotated[list[SourceBody], Field(max_length=MAX_SOURCES)] | None = None

    def edit(self) -> FrameEdit:
        self._check()
        where = Selection(None, self.start, self.stop, self.step)
        sources = tuple(each.source() for each in self.sources or ())
        return FrameEdit(FrameOperation(self.op), self.at, where, sources)

    def _check(self) -> None:
        given, takes = self.model_fields_set - {"op"}, _TAKES[self.op]
        if not given <= takes:
            raise InvalidRequest(f"`{self.op}` does not take `{min(given - takes)}`")
        for name in sorted(_NEEDS & takes):
            if getattr(self, name) is None and not (self.op == "delete" and name == "at"):
                raise InvalidRequest(f"`{self.op}` needs `{name}`")
