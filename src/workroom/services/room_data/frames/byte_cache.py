"""A cache of what never changes, with a limit in bytes."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_ENTRY_BYTES = 200


class ByteCache(Generic[K, V]):
    """Forgets what was not used for longest. Something larger than a quarter of it is not kept."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._entries: dict[K, tuple[V, int]] = {}
        self._bytes = 0

    def get(self, key: K) -> V | None:
        entry = self._entries.pop(key, None)
        if entry is None:
            return None
        self._entries[key] = entry
        return entry[0]

    def put(self, key: K, value: V, size: int) -> None:
        self.drop(key)
        if not self.keeps(size):
            return
        self._entries[key] = (value, size + _ENTRY_BYTES)
        self._bytes += size + _ENTRY_BYTES
        while self._bytes > self._max_bytes:
            self.drop(next(iter(self._entries)))

    def keeps(self, size: int) -> bool:
        return 4 * size <= self._max_bytes

    def drop(self, key: K) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._bytes -= entry[1]

    @property
    def size(self) -> int:
        return self._bytes
