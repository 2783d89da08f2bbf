"""What jobs print, on its way to the server: a little later, together, and before their end is told."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from workroom.client.outbox import Outbox
from workroom.client.settling import Settling
from workroom.client.task import named
from workroom.domain.job import Fence
from workroom.errors import WorkroomError
from workroom.runtime.printing import Line

_LINGER_SECONDS = 0.1
_PARCEL = 500
_PARCEL_BYTES = 250_000


@dataclass(frozen=True, slots=True)
class Parcel:
    fence: Fence
    lines: list[Line]

    @property
    def size(self) -> int:
        return sum(_size(line) for line in self.lines)

    def document(self) -> dict[str, Any]:
        return {**named(self.fence), "lines": self.lines}


class Posting:
    """Takes lines from any thread."""

    def __init__(self, send: Callable[[list[dict[str, Any]]], Awaitable[Any]]) -> None:
        self._loop = asyncio.get_running_loop()
        self._call = send
        self._lock = threading.RLock()
        self._gathered: dict[Fence, list[Line]] = {}
        self._is_lingering = False
        self._under_way: Counter[Fence] = Counter()
        self._settling = Settling()
        self._outbox: Outbox[Parcel] = Outbox(self._send, self._over, lambda parcel: parcel.size)

    def add(self, fence: Fence, lines: list[Line]) -> None:
        """From any thread."""
        with self._lock:
            self._gathered.setdefault(fence, []).extend(lines)
            is_first, self._is_lingering = not self._is_lingering, True
        if is_first:
            self._loop.call_soon_threadsafe(self._loop.call_later, _LINGER_SECONDS, self._post)

    async def settle(self, fences: Iterable[Fence]) -> None:
        """Wait until all that these have printed is on record."""
        self._post()
        wanted = set(fences)
        await self._settling.until(lambda: wanted.isdisjoint(self._under_way))

    async def aclose(self) -> None:
        self._post()
        await self._outbox.aclose()

    def _post(self) -> None:
        with self._lock:
            gathered, self._gathered = self._gathered, {}
            self._is_lingering = False
        for fence, lines in gathered.items():
            for parcel in _parcels(fence, lines):
                self._under_way[fence] += 1
                self._outbox.put(parcel)

    async def _send(self, parcels: list[Parcel]) -> None:
        await self._call([parcel.document() for parcel in parcels])
        self._over(parcels)

    def _over(self, parcels: list[Parcel], _: WorkroomError | None = None) -> None:
        self._under_way.subtract(parcel.fence for parcel in parcels)
        self._under_way = +self._under_way
        self._settling.moved()


def _parcels(fence: Fence, lines: list[Line]) -> Iterable[Parcel]:
    parcel: list[Line] = []
    size = 0
    for line in lines:
        if parcel and (len(parcel) >= _PARCEL or size + _size(line) > _PARCEL_BYTES):
            yield Parcel(fence, parcel)
            parcel, size = [], 0
        parcel.append(line)
        size += _size(line)
    if parcel:
        yield Parcel(fence, parcel)


def _size(line: Line) -> int:
    return len(line["text"]) + 100
