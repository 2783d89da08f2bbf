"""Deletes segments and pieces that no index uses any more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

import structlog

from workroom.domain.queries import FindFrameIndexes, FindFrameNames, FindPieces, FindRooms, FindSegments
from workroom.domain.room_data.frame_index import decode_index, decode_segment
from workroom.domain.room_data.frames import FrameName
from workroom.errors import WorkroomError
from workroom.ports import Clock, RoomData
from workroom.services.room_data.frames.pieces import Pieces

log = structlog.get_logger()

_FIRST_S = 60.0
_HOUR_S = 3600.0
_HOUR_US = 3_600_000_000
_BATCH = 500


class FrameCollector:
    """What was written or used within the last hour is left alone: an edit may be about to use it."""

    def __init__(self, store: RoomData, pieces: Pieces, clock: Clock, unused_us: int = _HOUR_US) -> None:
        self._store = store
        self._pieces = pieces
        self._clock = clock
        self._unused_us = unused_us

    async def run(self) -> None:
        """Soon after the start, since a server may be restarted often, and then every hour."""
        await asyncio.sleep(_FIRST_S)
        while True:
            try:
                await self.collect_all()
            except WorkroomError as error:
                log.warning("frames_not_collected", reason=error.detail)
            await asyncio.sleep(_HOUR_S)

    async def collect_all(self) -> None:
        after = ""
        while rooms := await self._store.read(FindRooms(None, after, _BATCH)):
            after = rooms[-1].name
            for room in rooms:
                await self.collect(room.name)

    async def collect(self, room: str) -> list[str]:
        """Delete what a room no longer uses, and return the deleted pieces.

        What an edit writes after the candidates were listed is none of them, and what it uses again is
        touched, so that the store keeps it.
        """
        before_us = self._clock.now_us() - self._unused_us
        old = [each for each in await self._names(room) if each.touched_us < before_us]
        if not old:
            return []
        segments, used = await self._used(room)
        unused = [each.name for each in old if not each.is_piece and each.name not in segments]
        pieces = {each.name for each in old if each.is_piece} - used
        if pieces:
            pieces -= await self._lent(room, used)
        deleted = await self._store.collect_frames(room, unused, sorted(pieces), before_us)
        self._pieces.forget(room, deleted)
        return deleted

    async def _names(self, room: str) -> list[FrameName]:
        names: list[FrameName] = []
        while found := await self._store.read(FindFrameNames(room, names[-1].name if names else "", _BATCH)):
            names += found
        return names

    async def _used(self, room: str) -> tuple[set[str], set[str]]:
        """The segments and pieces of every index that is kept."""
        contents = await self._store.read(FindFrameIndexes(room))
        segments = {each for content in contents for each in decode_index(content).ids}
        pieces: set[str] = set()
        for batch in _batches(segments):
            found = await self._store.read(FindSegments(room, batch))
            pieces.update(
                run.piece for each in found if each is not None for run in decode_segment(each).runs
            )
        return segments, pieces

    async def _lent(self, room: str, used: Iterable[str]) -> set[str]:
        """The pieces that these take arrays from."""
        lent: set[str] = set()
        for batch in _batches(used):
            found = await self._store.read(FindPieces(room, batch))
            lent.update(name for piece in found if piece is not None for name in piece.uses)
        return lent


def _batches(names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    ordered = sorted(names)
    return (tuple(ordered[at : at + _BATCH]) for at in range(0, len(ordered), _BATCH))
