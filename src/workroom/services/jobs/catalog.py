"""A cache of the extensions that names refer to in a room."""

from __future__ import annotations

from collections.abc import Iterable

from workroom.domain.extension import Extension, ExtensionKey
from workroom.domain.queries import FindExtension
from workroom.errors import ExtensionNotFound
from workroom.ports import ReadableStore

_Address = tuple[str, str, str]  # room, category and name
_MAX_BYTES = 16_000_000  # of schemas: a public extension is known once for each room
_ENTRY_BYTES = 1000


class Catalog:
    """May be stale: the store checks the extension of each submit again."""

    def __init__(self, store: ReadableStore) -> None:
        self._store = store
        self._known: dict[_Address, Extension] = {}
        self._bytes = 0

    def cached(self, room: str, category: str, name: str) -> Extension | None:
        return self._known.get((room, category, name))

    async def find(self, room: str, category: str, name: str) -> Extension:
        address = (room, category, name)
        known = self._known.get(address)
        if known is not None:
            return known
        found = await self._store.read(FindExtension(*address))
        if found is None:
            raise ExtensionNotFound(
                f"there is no extension '{category}/{name}' in room '{room}'",
                room=room,
                extension=f"{category}/{name}",
            )
        self._bytes += _size(found)
        if self._bytes > _MAX_BYTES:
            self.clear()
            self._bytes = _size(found)
        self._known[address] = found
        return found

    def clear(self) -> None:
        self._keep({})

    def forget_room(self, room: str) -> None:
        self._keep({address: known for address, known in self._known.items() if address[0] != room})

    def forget(self, keys: Iterable[ExtensionKey]) -> None:
        changed = {(key.category, key.name) for key in keys}
        if changed:
            self._keep(
                {address: known for address, known in self._known.items() if address[1:] not in changed}
            )

    def _keep(self, known: dict[_Address, Extension]) -> None:
        if len(known) < len(self._known):
            self._known = known
            self._bytes = sum(map(_size, known.values()))


def _size(extension: Extension) -> int:
    return _ENTRY_BYTES + len(extension.spec.schema)
