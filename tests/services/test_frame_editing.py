"""Frames in the services: caches that are bounded, turns that end, and pieces that are collected."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.frame_messages import decode, encode, name_of, numbered
from workroom.domain.events import Event
from workroom.domain.files import ArtifactLimits, Blob, BlobRange
from workroom.domain.identity import Account, Principal, Role
from workroom.domain.queries import FindFrameNames, FindOrphanedBlobs
from workroom.domain.quotas import Kind, Quota
from workroom.domain.room_data.documents import DataLimits
from workroom.domain.room_data.frame_edits import FrameEdit, FrameOperation, Source
from workroom.domain.room_data.frame_selection import Selection
from workroom.domain.room_data.frames import FrameLimits
from workroom.domain.room_data.versions import VersionKind
from workroom.errors import TooManyRequests
from workroom.services.limits.disk import Disk
from workroom.services.limits.memory import MemoryBudget
from workroom.services.limits.quotas import QuotaKeeper
from workroom.services.room_data.data_steps import DataSteps
from workroom.services.room_data.frames.assembly import Wanted
from workroom.services.room_data.frames.byte_cache import ByteCache
from workroom.services.room_data.frames.collector import FrameCollector
from workroom.services.room_data.frames.editing import EditedFrames, FrameEditor, FramesRequest, RoomTurns
from workroom.services.room_data.frames.indexes import FrameIndexes
from workroom.services.room_data.frames.piece_bytes import PieceBytes
from workroom.services.room_data.frames.pieces import Pieces
from workroom.services.room_data.frames.reading import FrameReader
from workroom.services.room_data.versions import Versions
from workroom.services.rooms.blob_names import BlobNames
from workroom.services.rooms.files import Files
from workroom.stores.blobs import BlobStore
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage
from workroom.testing.conformance.stage import LAB, furnished

ADA = Principal("landlord", Role.USER)
HOUR = 3600.0


class Harness:
    """The services of frames on a real store and real files, with a clock that the test sets."""

    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock()
        self.store = SqliteStore(folder / "workroom.db", LIVENESS, clock=self.clock)
        self.blobs = BlobStore(f"file://{folder}/files")
        self.events: list[Event] = []
        self.threads = ThreadPoolExecutor(2)
        limits = DataLimits(versions=2)
        steps = DataSteps(self.store, self.events.extend)
        quotas: Any = dict.fromkeys(Kind, Quota())
        keeper = QuotaKeeper(self.store, self.clock, quotas, Disk([folder], 0, self.clock))
        unused: Any = None
        self.files = Files(
            self.store, unused, self.blobs, ArtifactLimits(), keeper, BlobNames(self.clock), is_alone=True
        )
        self.versions = Versions(self.store, steps, limits)
        self.indexes = FrameIndexes(self.store, self.versions, 1_000_000, is_alone=True)
        steps.on_frames(self.indexes.changed)
        self.pieces = Pieces(self.store, self.files, self.threads, FrameLimits(), 1_000_000)
        self.reader = FrameReader(self.indexes, self.pieces, PieceBytes(self.blobs, 1_000_000), self.threads)
        self.editor = FrameEditor(self.indexes, self.pieces, steps, limits, 1000)
        self.collector = FrameCollector(self.store, self.pieces, self.clock)

    async def append(self, *contents: bytes) -> EditedFrames:
        pieces = [await self.pieces.upload(ADA, LAB, content) for content in contents]
        sources = tuple(Source(piece.name) for piece in pieces)
        return await self.edit(FrameEdit(FrameOperation.APPEND, sources=sources))

    async def edit(self, edit: FrameEdit) -> EditedFrames:
        return await self.editor.edit(FramesRequest(ADA, LAB), edit)

    async def read(self) -> list[dict[str, Any]]:
        frames = await self.reader.index(LAB)
        return decode((await self.reader.read(LAB, frames, Selection(), Wanted())).content)

    async def names(self) -> tuple[int, int]:
        """How many segments and pieces are stored."""
        found = await self.store.read(FindFrameNames(LAB))
        pieces = sum(each.is_piece for each in found)
        return len(found) - pieces, pieces

    async def orphans(self) -> list[str]:
        """Blobs without a file, except those that uploads to come may use."""
        return sorted(await self.reserved() - self.files._uploading)

    async def reserved(self) -> set[str]:
        found: list[str] = await self.store.read(FindOrphanedBlobs())
        return set(found)

    async def aclose(self) -> None:
        self.threads.shutdown()
        await self.blobs.aclose()
        await self.store.aclose()


@pytest.fixture
async def harness(tmp_path: Path) -> AsyncIterator[Harness]:
    harness = Harness(tmp_path)
    await furnished(Stage(harness.store, harness.clock))
    await harness.store.add_account(Account("landlord", Role.USER))
    yield harness
    await harness.aclose()


async def test_what_no_version_uses_is_collected_after_an_hour(harness: Harness) -> None:
    await harness.append(numbered(1))
    await harness.append(numbered(2))
    await harness.edit(FrameEdit(FrameOperation.DELETE, at=0))
    await harness.append(numbered(3))
    await harness.append(numbered(4))

    harness.clock.advance(HOUR - 1)
    assert await harness.collector.collect(LAB) == []
    before = await harness.names()
    harness.clock.advance(2)
    collected = await harness.collector.collect(LAB)
    segments, pieces = await harness.names()
    assert (len(collected), pieces) == (1, before[1] - 1)
    assert segments < before[0]
    assert len(await harness.orphans()) == 1
    assert [frame["number"] for frame in await harness.read()] == [2, 3, 4]

    await harness.versions.revert(ADA, LAB, VersionKind.UNDO)
    assert [frame["number"] for frame in await harness.read()] == [2, 3]


async def test_a_piece_that_lends_an_array_is_kept(harness: Harness) -> None:
    numbers = np.arange(100)
    await harness.append(encode(1, same={"numbers": numbers}))
    for number in range(4):
        await harness.append(encode(1, ref={"numbers": numbers}, value={"number": number}))
    await harness.edit(FrameEdit(FrameOperation.DELETE, at=0))
    for number in range(4):
        await harness.append(encode(1, value={"number": number}))

    harness.clock.advance(2 * HOUR)
    assert await harness.collector.collect(LAB) == []
    assert (await harness.read())[0]["numbers"].tolist() == numbers.tolist()


async def test_a_piece_that_was_never_used_is_collected_and_can_be_uploaded_again(harness: Harness) -> None:
    content = numbered(1)
    piece = await harness.pieces.upload(ADA, LAB, content)
    await harness.pieces.find(LAB, [piece.name])
    harness.clock.advance(2 * HOUR)
    assert await harness.collector.collect(LAB) == [piece.name]
    await harness.blobs.delete(await harness.orphans())

    await harness.append(content)
    assert [frame["number"] for frame in await harness.read()] == [1]


async def test_a_piece_in_another_blob_than_is_remembered_is_read(harness: Harness, tmp_path: Path) -> None:
    """Another server collected it, and it was uploaded again."""
    content = numbered(1)
    await harness.append(content)
    (frame,) = await harness.read()
    stale = (await harness.pieces.find(LAB, [name_of(content)]))[name_of(content)]
    moved = await harness.blobs.write_whole("another", content, stale.piece.name)
    await harness.blobs.delete([stale.piece.blob.id])
    await asyncio.to_thread(_move_piece, tmp_path / "workroom.db", moved)

    assert (await harness.read())[0]["number"] == frame["number"]


def _move_piece(path: Path, blob: Blob) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE pieces SET blob = ?", (blob.id,))


class LateAnswers:
    """A store whose list of orphaned blobs arrives late."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self.listed, self.arrives = asyncio.Event(), asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def read(self, query: Any) -> Any:
        found = await self._store.read(query)
        if isinstance(query, FindOrphanedBlobs) and found:
            self.listed.set()
            await self.arrives.wait()
        return found


async def test_names_of_blobs_are_reserved_ahead_and_not_used_when_they_are_old(harness: Harness) -> None:
    """Others delete a blob without a file after a day: no upload begins under a name from long ago."""
    await harness.append(numbered(0))
    reserved = await harness.reserved()
    await harness.append(numbered(1))
    assert await harness.reserved() < reserved
    await harness.files._delete_orphans()
    assert await harness.reserved() < reserved

    harness.clock.advance(HOUR)
    await harness.append(numbered(2))
    await harness.files._delete_orphans()

    left = await harness.reserved()
    assert left
    assert not left & reserved
    assert [each["number"] for each in await harness.read()] == [0, 1, 2]


async def test_a_blob_that_gets_its_row_while_orphans_are_looked_for_is_kept(harness: Harness) -> None:
    late: Any = LateAnswers(harness.store)
    harness.files._store = late
    reserved = asyncio.Event()

    async def attach(blob: Blob) -> Blob:
        reserved.set()
        await late.listed.wait()
        await harness.store.discard([blob.id])  # as the step does that makes a file visible
        return blob

    saving = asyncio.ensure_future(harness.files.keep_whole("landlord", LAB, b"content", attach))
    await reserved.wait()
    cleaning = asyncio.ensure_future(harness.files._delete_orphans())
    blob = await saving
    late.arrives.set()
    await cleaning

    assert await harness.blobs.read_ranges([BlobRange(blob, 0, 7)]) == [b"content"]


async def test_the_event_of_an_edit_says_what_changed(harness: Harness) -> None:
    await harness.append(numbered(1), numbered(2, 3))
    await harness.edit(FrameEdit(FrameOperation.SET, 1, sources=(Source(name_of(numbered(1))),)))
    await harness.edit(FrameEdit(FrameOperation.DELETE, where=Selection(None, 1, None, None)))
    await harness.versions.revert(ADA, LAB, VersionKind.UNDO)

    told = [(each.op, each.start, each.stop, each.length) for each in harness.events]  # type: ignore[attr-defined]
    assert told == [("append", 0, 3, 3), ("set", 1, 2, 3), ("delete", 1, 1, 1), ("undo", 0, 3, 3)]


async def test_edits_at_the_same_time_wait_for_one_another(harness: Harness) -> None:
    await asyncio.gather(*(harness.append(numbered(number)) for number in range(20)))

    assert sorted(frame["number"] for frame in await harness.read()) == list(range(20))


async def test_those_who_wait_for_a_turn_are_limited() -> None:
    turns, begun, done = RoomTurns(), asyncio.Event(), asyncio.Event()

    async def edit() -> None:
        async with turns.turn(LAB):
            begun.set()
            await done.wait()

    edits = [asyncio.ensure_future(edit()) for _ in range(201)]
    await begun.wait()
    with pytest.raises(TooManyRequests):
        await edit()
    async with turns.turn("another room"):
        done.set()
    await asyncio.gather(*edits)
    async with turns.turn(LAB):
        pass


async def test_memory_is_given_to_others_while_one_user_waits() -> None:
    budget = MemoryBudget(1000)
    held = await budget.take("ada", 250)
    waiting = asyncio.ensure_future(budget.take("ada", 1))
    other = await budget.take("bob", 750)
    assert not waiting.done()

    held.give_back()
    held.give_back()
    (await waiting).give_back()
    other.give_back()
    (await budget.take("cleo", 5000)).give_back()  # alone, somebody always gets what they need


async def test_who_waits_for_memory_is_refused_in_time_however_often_others_give_some_back() -> None:
    budget = MemoryBudget(1000, wait_seconds=0.05)
    await budget.take("ada", 250)
    waiting = asyncio.ensure_future(budget.take("ada", 1))
    while not waiting.done():
        with await budget.take("bob", 10):
            await asyncio.sleep(0)

    with pytest.raises(TooManyRequests):
        await waiting


def test_a_cache_forgets_what_was_not_used_for_longest() -> None:
    cache = ByteCache[int, bytes](10_000)
    for number in range(100):
        cache.put(number, bytes(800), 800)
        cache.get(0)

    assert cache.size <= 10_000
    assert cache.get(0) is not None
    assert cache.get(99) is not None
    assert cache.get(1) is None
    cache.put(1, bytes(5000), 5000)
    assert cache.get(1) is None


class RemoteBlobs:
    """Blobs in a store that counts its requests."""

    is_remote = True

    def __init__(self) -> None:
        self.requests: list[int] = []

    async def read_ranges(self, ranges: list[BlobRange]) -> list[bytes]:
        await asyncio.sleep(0)
        self.requests += [each.length for each in ranges]
        return [bytes(each.length) for each in ranges]


async def test_a_remote_piece_is_read_once_for_many_readers() -> None:
    remote: Any = RemoteBlobs()
    source = PieceBytes(remote, 100_000)
    small, large = Blob("small", 10_000, ""), Blob("large", 50_000, "")
    wanted = [BlobRange(small, 5, 10), BlobRange(large, 0, 7), BlobRange(small, 9_990, 10)]

    found = await asyncio.gather(*(source.read(wanted) for _ in range(5)))
    assert [[len(each) for each in parts] for parts in found] == [[10, 7, 10]] * 5
    assert sorted(remote.requests) == [7] * 5 + [10_000]
