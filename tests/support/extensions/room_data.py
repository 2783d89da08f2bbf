"""Extensions that change the data of their room."""

from __future__ import annotations

from workroom import AsyncRoom, Extension, Room


class Select(Extension, category="modifiers"):
    """Selects under a lock, and leaves a note."""

    indices: list[int]

    def run(self, room: Room) -> int:
        with room.lock("selection", message="selecting") as lock:
            room.selection = self.indices
            room.bookmarks[3] = "here"
            lock.message("selected")
        return len(room.selection)


class SelectAsync(Extension, category="modifiers"):
    indices: list[int]

    async def run(self, room: AsyncRoom) -> int:
        async with room.lock("selection", message="selecting"):
            await room.selection.set(self.indices)
            await room.state.set("notes", "here")
        return len(await room.selection.get())


class Annotate(Extension, category="modifiers"):
    """Writes without a lock of its own."""

    text: str = ""

    def run(self, room: Room) -> None:
        room.state["selection"] = self.text
