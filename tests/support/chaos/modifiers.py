"""Extensions that change a room and do not complete."""

from __future__ import annotations

import time

from support.frames import frame
from workroom import Extension, Room


class Spoil(Extension, category="modifiers"):
    """Changes frames and documents, the last of which is `spoiled`. Then it fails, or waits to be killed."""

    waits: bool = False

    def run(self, room: Room) -> None:
        room.frames.extend([frame(100), frame(101)])
        room.frames[0] = frame(102)
        del room.frames[1:4]
        room.frames.reverse()
        room.state["notes"] = "by the job"
        room.state["spoiled"] = True
        while self.waits:
            time.sleep(1)
        raise ValueError("it does not work")
