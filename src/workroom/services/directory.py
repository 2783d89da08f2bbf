"""Lists of rooms, workers, extensions, files, accounts and people, as pages show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workroom.domain.extension import Extension
from workroom.domain.files import Artifact, RoomFile
from workroom.domain.identity import Account, Principal
from workroom.domain.queries import (
    ExtensionsOverview,
    ExtensionUsage,
    FindAccounts,
    FindArtifacts,
    FindFiles,
    FindPeople,
    FindRooms,
    FindWorkers,
    Page,
    VisibleExtensions,
)
from workroom.domain.room import Room
from workroom.domain.worker import Worker
from workroom.ports import ReadableStore


@dataclass(frozen=True, slots=True)
class Directory:
    """Reads lists. Callers check access first; a list that is paged by name has one item more than `limit`
    if there is a next page.
    """

    store: ReadableStore

    async def rooms(self, reader: Principal, after: str, limit: int) -> list[Room]:
        """The rooms that the reader may enter, by name."""
        return await self.store.read(FindRooms(None if reader.is_admin else reader.user, after, limit + 1))

    async def workers(self, room: str | None = None) -> list[Worker]:
        """The workers that serve a room, or the whole fleet."""
        return await self.store.read(FindWorkers(room, offline=True))

    async def extensions(self, room: str) -> list[Extension]:
        """The room's own extensions and the public ones."""
        return await self.store.read(VisibleExtensions(room))

    async def extension_usages(self) -> list[ExtensionUsage]:
        return await self.store.read(ExtensionsOverview())

    async def room_files(self, room: str, before: int | None, limit: int) -> Page[RoomFile]:
        return await self.store.read(FindFiles(room, before, limit))

    async def artifacts(self, job_id: str) -> list[Artifact]:
        return await self.store.read(FindArtifacts(job_id))

    async def accounts(self, after: str, limit: int) -> list[Account]:
        return await self.store.read(FindAccounts(after, limit + 1))

    async def people(self, ids: Sequence[str]) -> list[Account]:
        return await self.store.read(FindPeople(tuple(ids)))
