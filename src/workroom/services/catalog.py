"""Which extension a name means in a room, without asking the store each time."""

from __future__ import annotations

from collections.abc import Iterable

from workroom.domain.extension import Extension, ExtensionKey
from workroom.domain.queries import FindExtension
from workroom.errors import ExtensionNotFound
from workroom.ports import Store


class Catalog:
    """A cache that may be stale: the store checks each submit against what is true."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[FindExtension, Extension] = {}

    async def find(self, room: str, category: str, name: str) -> Extension:
        query = FindExtension(room, category, name)
        found = self._known.get(query) or await self._store.read(query)
        if found is None:
            raise ExtensionNotFound(
                f"there is no extension '{category}/{name}' in room '{room}'",
                room=room,
                extension=f"{category}/{name}",
            )
        self._known[query] = found
        return found

    def clear(self) -> None:
        self._known.clear()

    def forget_room(self, room: str) -> None:
        self._known = {query: extension for query, extension in self._known.items() if query.room != room}

    def forget(self, keys: Iterable[ExtensionKey]) -> None:
        changed = {(key.category, key.name) for key in keys}
        if changed:
            self._known = {
                query: extension
                for query, extension in self._known.items()
                if (query.category, query.name) not in changed
            }
