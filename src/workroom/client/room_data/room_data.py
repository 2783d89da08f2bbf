"""What an asyncio room offers of its data: frames, documents, versions and locks."""

from __future__ import annotations

import importlib
from typing import Any

from workroom.client.requests import Request
from workroom.client.room_data import data_requests as requests
from workroom.client.room_data.frames.frames import AsyncFrames
from workroom.client.room_data.held_locks import AsyncLock, HeldLocks
from workroom.client.room_data.records import AsyncRecords
from workroom.client.room_data.state import AsyncFamily, AsyncItems, AsyncState, AsyncValue
from workroom.client.room_data.writer import JobWriter

Document = dict[str, Any]
LOCK_TIMEOUT_S = 60.0
LOCK_TTL_S = 60.0


class AsyncRoomData:
    name: str

    async def _send(self, request: Request) -> Any:
        raise NotImplementedError

    def _open_data(self, writer: JobWriter | None) -> None:
        self._locks = HeldLocks(self.name, self._send)
        self.state = AsyncState(self.name, self._send, self._locks, writer)
        self.frames = AsyncFrames(self.name, self._send, self._locks, writer)

    async def _close_data(self) -> None:
        await self._locks.release_all()

    @property
    def selection(self) -> AsyncValue:
        return AsyncValue(self.state, "selection", [])

    @property
    def step(self) -> AsyncValue:
        return AsyncValue(self.state, "step", 0)

    @property
    def camera(self) -> AsyncValue:
        return AsyncValue(self.state, "camera", None)

    @property
    def atoms(self) -> Any:
        """The frame of the current step as ASE Atoms: `await room.atoms.get()`; needs `workroom[atoms]`."""
        return importlib.import_module("workroom.packs.atoms").atoms_of(self).current

    @property
    def selection_groups(self) -> AsyncItems:
        return AsyncItems(self.state, "selection_groups")

    @property
    def bookmarks(self) -> AsyncItems:
        """Labels of frames, by their numbers."""
        return AsyncItems(self.state, "bookmarks", int)

    @property
    def metadata(self) -> AsyncItems:
        return AsyncItems(self.state, "metadata")

    @property
    def figures(self) -> AsyncFamily:
        """Plotly figures by name."""
        return AsyncFamily(self.state, "figures")

    @property
    def geometries(self) -> AsyncFamily:
        return AsyncFamily(self.state, "geometries")

    def records(self, kind: str) -> AsyncRecords:
        """The records of a kind: small JSON objects that are found by indexed fields."""
        return AsyncRecords(self.name, kind, self._send)

    def lock(
        self,
        target: str = "frames",
        *,
        message: str = "",
        timeout: float = LOCK_TIMEOUT_S,
        ttl: float = LOCK_TTL_S,
    ) -> AsyncLock:
        """Hold a lock while in the block: others cannot change its target. Raises Locked after `timeout`.

        It is refreshed in the background, and expires `ttl` seconds after this process died.
        """
        return AsyncLock(self._locks, target, message, timeout, ttl)

    async def locks(self) -> list[Document]:
        """The locks that somebody holds in this room."""
        return list((await self._send(requests.locks(self.name)))["items"])

    async def break_lock(self, target: str) -> bool:
        """Take a lock from its holder, as the room's owner. Return whether it was held."""
        return bool((await self._send(requests.break_lock(self.name, target)))["released"])

    async def undo(self, target: str | None = None) -> Document:
        """Undo the newest change of the room's frames and documents. Raises NothingToRevert.

        With a target, such as `frames`, what was changed elsewhere since stays.
        """
        return dict(await self._send(requests.undo(self.name, self._locks.headers(), target)))

    async def redo(self, target: str | None = None) -> Document:
        """Redo what was undone last, of a target if there is one. Raises NothingToRevert."""
        return dict(await self._send(requests.redo(self.name, self._locks.headers(), target)))

    async def restore(self, number: int) -> Document:
        """Make frames and documents what they were after a version."""
        return dict(await self._send(requests.restore(self.name, number, self._locks.headers())))

    async def versions(self, *, limit: int = 50, before: int | None = None) -> list[Document]:
        """The changes of the room's frames and documents, newest first."""
        return list((await self._send(requests.versions(self.name, limit, before)))["items"])

    async def compare_versions(self, before: int, after: int) -> list[Document]:
        """The documents that differ between two versions."""
        return list((await self._send(requests.compare_versions(self.name, before, after)))["items"])
