"""What is remembered of a room is never older than its last change."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from workroom.clock import SystemClock
from workroom.domain.identity import Principal, Role
from workroom.domain.queries import FindRoom
from workroom.domain.room import Room
from workroom.services.rooms.room_steps import RoomSteps
from workroom.services.rooms.rooms import Rooms


class SlowStore:
    """Answers the first question late, with what was true when it was asked."""

    def __init__(self) -> None:
        self.room = Room("lab", "olga", private=True, members=frozenset({"eve"}))
        self.late = asyncio.Event()
        self._asked = 0

    async def read(self, query: Any) -> Any:
        if not isinstance(query, FindRoom):
            return []
        self._asked += 1
        room = self.room
        if self._asked == 1:
            await self.late.wait()
        return room

    async def remove_member(self, room: str, user: str, *, banned: bool) -> None:
        self.room = Room("lab", "olga", private=True)


class Silent:
    def publish(self, events: object) -> None: ...


async def test_a_room_read_while_a_member_is_put_out_is_not_remembered_with_that_member() -> None:
    store = SlowStore()
    silent = cast(Any, Silent())
    steps = RoomSteps(cast(Any, store), silent.publish)
    rooms = Rooms(cast(Any, store), steps, SystemClock(), silent, silent, silent, lambda _: None, silent)
    looking = asyncio.create_task(rooms.read("lab"))
    await asyncio.sleep(0)
    await rooms.remove_member(Principal("olga", Role.USER), store.room, "eve")
    store.late.set()
    await looking

    assert not (await rooms.find("lab")).admits("eve")
