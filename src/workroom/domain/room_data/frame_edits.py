"""Edits of a sequence of frames, with the meaning that they have for a list in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from workroom.domain.room_data.frame_index import (
    FrameIndex,
    Needed,
    Spliced,
    join,
    length_of,
    replace_each,
    select,
    splice,
)
from workroom.domain.room_data.frame_selection import Selection, position_of
from workroom.domain.room_data.frames import Run
from workroom.errors import LengthMismatch

EVERYTHING = Selection()


class FrameOperation(StrEnum):
    APPEND = "append"
    INSERT = "insert"
    SET = "set"
    ASSIGN = "assign"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Source:
    """Where frames come from: a whole piece, or a part of the sequence as it is before the edit."""

    piece: str | None = None
    frames: Selection = EVERYTHING


@dataclass(frozen=True, slots=True)
class FrameEdit:
    """`at` is for one frame, `where` for a slice."""

    operation: FrameOperation
    at: int | None = None
    where: Selection = EVERYTHING
    sources: tuple[Source, ...] = ()

    @property
    def pieces(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.piece for each in self.sources if each.piece is not None))


@dataclass(frozen=True, slots=True)
class Applied:
    """A changed sequence. The frames from `start` to `stop` of it are others than before, or elsewhere."""

    spliced: Spliced
    start: int
    stop: int


def apply(index: FrameIndex, edit: FrameEdit, pieces: Mapping[str, Run]) -> Needed[Applied]:
    """`pieces` are the runs of whole pieces. Raises FrameNotFound and LengthMismatch."""
    new = yield from _runs(index, edit.sources, pieces)
    positions = _positions(index.length, edit)
    is_sized = edit.operation is FrameOperation.SET or (
        edit.operation is FrameOperation.ASSIGN and positions.step != 1
    )
    if is_sized and length_of(new) != len(positions):
        raise LengthMismatch(
            f"{length_of(new):,} frames cannot replace {len(positions):,}",
            given=length_of(new),
            expected=len(positions),
        )
    if positions.step == 1:
        spliced = yield from splice(index, positions.start, positions.stop, new)
    else:
        spliced = yield from replace_each(index, positions, new)
    start = min(positions.start, positions[-1]) if positions else positions.start
    is_longer = spliced.index.length != index.length
    stop = spliced.index.length if is_longer else max(positions, default=start - 1) + 1
    return Applied(spliced, start, stop)


def _runs(index: FrameIndex, sources: Sequence[Source], pieces: Mapping[str, Run]) -> Needed[list[Run]]:
    runs: list[Run] = []
    for source in sources:
        if source.piece is not None:
            runs.append(pieces[source.piece])
        else:
            runs += yield from select(index, source.frames.range(index.length))
    return join(runs)


def _positions(length: int, edit: FrameEdit) -> range:
    """The frames that make way for others. A range with the step 1 does not end before it starts."""
    match edit.operation:
        case FrameOperation.APPEND:
            return range(length, length)
        case FrameOperation.INSERT:
            at = _clamped(edit.at or 0, length)
            return range(at, at)
        case _ if edit.at is not None:
            at = position_of(edit.at, length)
            return range(at, at + 1)
    chosen = edit.where.range(length)
    return range(chosen.start, max(chosen.start, chosen.stop)) if chosen.step == 1 else chosen


def _clamped(at: int, length: int) -> int:
    return min(max(0, at + length if at < 0 else at), length)
