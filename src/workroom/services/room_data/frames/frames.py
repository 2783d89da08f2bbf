"""Everything that routes do with frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workroom.services.limits.memory import MemoryBudget
from workroom.services.room_data.frames.columns import FrameColumns
from workroom.services.room_data.frames.editing import FrameEditor
from workroom.services.room_data.frames.pieces import Pieces
from workroom.services.room_data.frames.reading import FrameReader


@dataclass(frozen=True, slots=True)
class Frames:
    """`memory` limits the messages that are received or sent at the same time."""

    pieces: Pieces
    reader: FrameReader
    columns: FrameColumns
    editor: FrameEditor
    memory: MemoryBudget
    aclose: Callable[[], None]
