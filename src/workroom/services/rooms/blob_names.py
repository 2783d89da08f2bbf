"""Names of blobs, which the store knows before anything is written under them."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque

from workroom.ports import Clock, FileIndex

_DAY_MS = 86_400_000
_HOUR_MS = 3_600_000
_AHEAD = 16


class BlobNames:
    """Ids of blobs: when each was made, by which server, and something random.

    A blob that another server is about to attach to a file resembles one without a file. That server deletes
    it if need be; others do so after a day, because it may have crashed.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._server = secrets.token_hex(4)

    def new(self) -> str:
        return f"{self._now_ms():012x}{self._server}{secrets.token_hex(6)}"

    def may_be_in_use_elsewhere(self, blob_id: str) -> bool:
        is_own = blob_id[12:20] == self._server
        return not is_own and self._age_ms(blob_id) < _DAY_MS

    def is_fresh(self, blob_id: str) -> bool:
        """Whether an upload may begin under this name: others leave it alone for long enough."""
        return self._age_ms(blob_id) < _HOUR_MS

    def _age_ms(self, blob_id: str) -> int:
        return abs(self._now_ms() - int(blob_id[:12], 16))

    def _now_ms(self) -> int:
        return self._clock.now_us() // 1000


class ReservedNames:
    """Reserves a few names at a time, so that most uploads wait for one commit less.

    Those in `held` are not orphaned, although they have no file. After a crash, they are.
    """

    def __init__(self, store: FileIndex, names: BlobNames, held: set[str]) -> None:
        self._store = store
        self._names = names
        self._held = held
        self._ready: deque[str] = deque()
        self._turn = asyncio.Lock()

    async def take(self) -> str:
        async with self._turn:
            if not (self._ready and self._names.is_fresh(self._ready[0])):
                await self._reserve()
            return self._ready.popleft()

    async def _reserve(self) -> None:
        self._held.difference_update(self._ready)
        self._ready.clear()
        names = [self._names.new() for _ in range(_AHEAD)]
        self._held.update(names)
        try:
            await asyncio.gather(*(self._store.reserve(each) for each in names))
        except BaseException:
            self._held.difference_update(names)
            raise
        self._ready.extend(names)
