"""A pack with one of everything: an extension, routes, records and a view."""

from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel

from workroom import Extension, Pack, PackRequest, PackRouter, Room, View


class CountNotes(Extension, category="analysis"):
    """Count the notes of this room that have a colour."""

    colour: str = "yellow"

    def run(self, room: Room) -> dict[str, Any]:
        return {"notes": sum(1 for _ in room.records("notes").find(colour=self.colour))}


class Note(BaseModel):
    text: str
    colour: str = "yellow"


router = PackRouter()
Caller = Annotated[PackRequest, Depends(PackRequest.of)]


@router.put("/{room}/{note}")
async def write(room: str, note: str, body: Note, at: Caller) -> dict[str, Any]:
    """Keep a note. Viewers get 403, strangers 404."""
    found = await at.room(room)
    return await found.put_record("notes", note, {"text": body.text}, {"colour": body.colour})


@router.post("/{room}/count")
async def count(room: str, at: Caller) -> dict[str, Any]:
    """Submit a job as the caller."""
    return await (await at.room(room)).submit("analysis", "CountNotes", {})


pack = Pack(
    "notes",
    extensions=[CountNotes],
    router=router,
    views=[View("board", "Notes", Path(__file__).with_name("board.js"))],
)
