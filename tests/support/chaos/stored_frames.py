"""What a server left in its store and on its disk: read, and collected, while no server runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workroom.clock import SystemClock
from workroom.domain.queries import (
    FindFrameIndexes,
    FindFrameNames,
    FindOrphanedBlobs,
    FindPieces,
    FindSegments,
)
from workroom.domain.room_data.frame_index import decode_index, decode_segment
from workroom.domain.room_data.frames import FrameLimits
from workroom.domain.worker import Liveness
from workroom.ports import Store
from workroom.services.room_data.frames.collector import FrameCollector
from workroom.services.room_data.frames.pieces import Pieces
from workroom.stores import open_store
from workroom.testing.processes import ServerProcess, eventually

_MANY = 10_000


@dataclass(frozen=True, slots=True)
class StoredFrames:
    """The pieces that are stored, those that some index needs, the blobs of pieces, and those of nothing."""

    pieces: set[str]
    needed: set[str]
    blobs: set[str]
    orphaned: set[str]


def check_storage(server: ServerProcess, room: str, store: str | None = None) -> None:
    """Stop the server and collect at once what no index needs: then nothing else is stored, and no blob lost.

    A server on SQLite deletes the blobs at its next start. Others may use a store on Valkey, so they stay for
    a day, on the list of those to delete.
    """
    if server.process.is_alive:
        server.process.stop()
    found = asyncio.run(_collected(store or f"sqlite:///{server.data_dir / 'workroom.db'}", room))
    assert found.pieces == found.needed
    assert found.blobs <= set(_blobs(server)) <= found.blobs | found.orphaned
    server.restart()
    if store is None:
        eventually(lambda: set(_blobs(server)) == found.blobs, what="the end of orphaned blobs")


def _blobs(server: ServerProcess) -> Iterator[str]:
    return (each.name for each in (server.data_dir / "files").rglob("*") if each.is_file())


async def _collected(url: str, room: str) -> StoredFrames:
    store = open_store(url, Liveness())
    try:
        unused: Any = None
        pieces = Pieces(store, unused, unused, FrameLimits(), 1)
        await FrameCollector(store, pieces, SystemClock(), unused_us=0).collect(room)
        return await _stored(store, room)
    finally:
        await store.aclose()


async def _stored(store: Store, room: str) -> StoredFrames:
    names = await store.read(FindFrameNames(room, limit=_MANY))
    stored = tuple(each.name for each in names if each.is_piece)
    pieces = [each for each in await store.read(FindPieces(room, stored)) if each is not None]
    uses = {each.name: each.uses for each in pieces}
    needed = await _needed(store, room)
    needed |= {other for each in needed for other in uses[each]}
    orphaned = await store.read(FindOrphanedBlobs(limit=_MANY))
    return StoredFrames(set(stored), needed, {each.blob.id for each in pieces}, set(orphaned))


async def _needed(store: Store, room: str) -> set[str]:
    """The pieces in every index that is kept."""
    indexes = await store.read(FindFrameIndexes(room))
    ids = tuple({each for index in indexes for each in decode_index(index).ids})
    segments = await store.read(FindSegments(room, ids))
    assert None not in segments
    return {run.piece for each in segments if each is not None for run in decode_segment(each).runs}
