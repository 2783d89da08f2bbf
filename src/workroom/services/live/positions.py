"""The positions that running jobs show to their rooms. They are sent on and never stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workroom.domain.events import Event, PositionsShown
from workroom.domain.job import Fence
from workroom.domain.queries import FindRunning
from workroom.errors import InvalidRequest, StaleAttempt
from workroom.ports import ReadableStore

_ATOM_BYTES = 12


class LivePositions:
    def __init__(self, store: ReadableStore, publish: Callable[[Sequence[Event]], None]) -> None:
        self._store = store
        self._publish = publish

    async def show(self, fence: Fence, frame: int, positions: bytes) -> None:
        """Send positions to the room of an attempt, which must be running."""
        if len(positions) % _ATOM_BYTES:
            raise InvalidRequest(f"positions take {_ATOM_BYTES} bytes per atom: x, y and z as 32-bit floats")
        running = await self._store.read(FindRunning(fence))
        if running is None:
            raise StaleAttempt()
        self._publish([PositionsShown(running.room, fence.job_id, frame, positions)])
