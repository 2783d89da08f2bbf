"""Rooms come to be when somebody needs them."""

from __future__ import annotations

from workroom.domain.identity import Principal
from workroom.domain.queries import FindRoom, RoomSummary
from workroom.errors import RoomNotFound
from workroom.ports import Store


class Rooms:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def ensure(self, who: Principal, name: str) -> RoomSummary:
        """The room; one that is not there yet is made, open, and belongs to who asked first."""
        room = await self._store.read(FindRoom(name))
        if room is None:
            await self._store.create_room(name, who.user)
            room = await self.find(name)
        return room

    async def find(self, name: str) -> RoomSummary:
        room = await self._store.read(FindRoom(name))
        if room is None:
            raise RoomNotFound(f"there is no room '{name}'", room=name)
        return room
