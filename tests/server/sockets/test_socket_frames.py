"""Who is in a room hears of changed frames, by socket and by stream."""

from __future__ import annotations

from support.frame_messages import RoomFrames, numbered
from support.users import Person


def test_changes_of_frames_are_heard_in_the_room(ada: Person, bob: Person, room: str) -> None:
    listener = bob.listen(room)
    frames = RoomFrames(ada, room)
    frames.append(0, 1)
    frames.edit("set", numbered(5), at=1)
    ada.post(f"/api/rooms/{room}/undo")

    listener.expect("frames:changed", op="undo")
    heard = listener.items("frames:changed")
    wanted = [("append", 0, 2, 1), ("set", 1, 2, 2), ("undo", 0, 2, 3)]
    assert [(each["op"], each["start"], each["stop"], each["version"]) for each in heard] == wanted
    assert {(each["room"], each["length"], each["user"], each["job_id"]) for each in heard} == {
        (room, 2, ada.user, None)
    }
