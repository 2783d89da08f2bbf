"""The verbs that change a room with their event: the only way for a service to change one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workroom.domain.events import Event, RoomChanged
from workroom.domain.room import WorkersFrom
from workroom.ports import Directory


class RoomSteps:
    def __init__(self, store: Directory, publish: Callable[[Sequence[Event]], None]) -> None:
        self._store = store
        self._publish = publish

    async def change(
        self, name: str, *, title: str | None, private: bool | None, workers: WorkersFrom | None
    ) -> None:
        await self._store.change_room(name, title=title, private=private, workers=workers)
        self._publish([RoomChanged(name)])

    async def delete(self, name: str) -> None:
        await self._store.delete_room(name)
        self._publish([RoomChanged(name, is_deleted=True)])

    async def add_member(self, name: str, user: str) -> None:
        await self._store.add_member(name, user)
        self._publish([RoomChanged(name)])

    async def remove_member(self, name: str, user: str, *, banned: bool) -> None:
        await self._store.remove_member(name, user, banned=banned)
        self._publish([RoomChanged(name)])
