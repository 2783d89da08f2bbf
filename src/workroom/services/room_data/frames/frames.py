"""Everything that routes do with frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workroom.domain.room_data.frame_selection import Selection
from workroom.services.limits.buffers import BodyBuffers
from workroom.services.limits.memory import Held, MemoryBudget
from workroom.services.room_data.frames.assembly import Wanted
from workroom.services.room_data.frames.columns import FrameColumns
from workroom.services.room_data.frames.editing import FrameEditor
from workroom.services.room_data.frames.indexes import IndexedFrames
from workroom.services.room_data.frames.pieces import Pieces
from workroom.services.room_data.frames.reading import FrameReader

_MARGIN = 65_536


@dataclass(frozen=True, slots=True)
class Frames:
    """`memory` limits the messages that are received or sent at the same time; `buffers` receive them."""

    pieces: Pieces
    reader: FrameReader
    columns: FrameColumns
    editor: FrameEditor
    memory: MemoryBudget
    buffers: BodyBuffers
    aclose: Callable[[], None]

    async def take_memory(
        self, user: str, frames: IndexedFrames, selection: Selection, wanted: Wanted
    ) -> Held:
        """Take what a response takes in memory, about: what is read, and the copy that is sent."""
        each = frames.index.bytes // max(1, frames.index.length)
        count = frames.index.length if selection.indices is None else len(selection.indices)
        return await self.memory.take(user, 2 * max(each, min(wanted.max_bytes, each * count)) + _MARGIN)
