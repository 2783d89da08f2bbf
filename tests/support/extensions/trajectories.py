"""Extensions that edit the frames of their room."""

from __future__ import annotations

from typing import Any

from workroom import AsyncRoom, Extension, JobContext, Room


class Shift(Extension, category="modifiers"):
    """Replaces each frame by a shifted one, and appends one more."""

    by: int = 100
    fails: bool = False

    def run(self, room: Room, job: JobContext) -> int:
        for index, frame in enumerate(job.track(room.frames)):
            room.frames[index] = shifted(frame, self.by)
        room.frames.append({"info.number": -1})
        room.metadata["shifted"] = self.by
        if self.fails:
            raise ValueError("out of order")
        return len(room.frames)


class ShiftApart(Shift, category="modifiers", isolation="process"):
    """The same in a process of its own."""


class ShiftForGood(Shift, category="modifiers", keep_on_failure=True):
    """Its edits are kept if it fails."""


class ShiftForGoodApart(Shift, category="modifiers", keep_on_failure=True, isolation="process"):
    """The same in a process of its own."""


class ShiftAsync(Extension, category="modifiers"):
    by: int = 100

    async def run(self, room: AsyncRoom) -> int:
        frames = [shifted(frame, self.by) async for frame in room.frames]
        await room.frames.replace(frames)
        await room.frames.extend([{"info.number": -1}])
        return await room.frames.length()


class ShiftAsyncApart(ShiftAsync, category="modifiers", isolation="process"):
    """The same in a process of its own."""


class Grow(Extension, category="modifiers"):
    """Appends, and so takes no lock."""

    def run(self, room: Room) -> list[str]:
        room.frames.extend({"info.number": number} for number in range(3))
        return [each["target"] for each in room.locks()]


class HoldFrames(Extension, category="modifiers"):
    """Edits, and shows the lock that it holds."""

    def run(self, room: Room) -> list[Any]:
        room.frames.insert(0, {"info.number": 5})
        room.frames.insert(0, {"info.number": 6})
        return [(each["target"], each["message"]) for each in room.locks()]


def shifted(frame: dict[str, Any], by: int) -> dict[str, Any]:
    return {**frame, "info.number": frame["info.number"] + by}
