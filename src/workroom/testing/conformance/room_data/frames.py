"""Frames: pieces are kept while somebody may use them, and an edit writes the index in one step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workroom.domain.files import Blob
from workroom.domain.identity import Account, Role
from workroom.domain.queries import (
    FindArrays,
    FindContents,
    FindDocument,
    FindDocuments,
    FindFrameIndexes,
    FindFrameNames,
    FindOrphanedBlobs,
    FindPieces,
    FindSegments,
)
from workroom.domain.quotas import Kind
from workroom.domain.room import Room
from workroom.domain.room_data.documents import FRAMES, DataLimits, Edit, Written
from workroom.domain.room_data.frames import FrameName, FramesEdit, NewPiece, Piece, Segment
from workroom.domain.room_data.locks import LockRequest, Writer
from workroom.domain.room_data.versions import Revert, VersionKind
from workroom.errors import (
    Locked,
    LockLost,
    PieceNotFound,
    QuotaExceeded,
    RoomNotFound,
    StaleAttempt,
    VersionConflict,
)
from workroom.testing.conformance.records.usage import used
from workroom.testing.conformance.stage import LAB, SMOOTH, Conformance, Reopen, Stage, completed

ADA, BOB = Writer("ada"), Writer("bob")
HOUR = 3600.0


def name_of(text: str) -> str:
    """A name like that of a piece."""
    return text.encode().hex().ljust(64, "0")


ONE, TWO, THREE = name_of("one"), name_of("two"), name_of("three")


def piece(name: str, **options: Any) -> Piece:
    given = {"count": 2, "directory": b"blocks", "buffers_at": 16, **options}
    return Piece(LAB, name, Blob(f"blob-{name[:8]}", 100, "ab" * 32), **given)


async def put(stage: Stage, name: str, writer: Writer = ADA, **options: Any) -> Piece:
    new = piece(name, **options)
    await stage.store.reserve(new.blob.id)
    return await stage.store.put_piece(NewPiece(new, writer))


async def frames_edit(stage: Stage, index: bytes, **options: Any) -> FramesEdit:
    """An edit of the frames as they are now."""
    found = await stage.store.read(FindDocument(LAB, FRAMES))
    base = 0 if found is None else found.info.version
    given: dict[str, Any] = {"base": base, "segments": (), "pieces": (), "length": 2, "writer": ADA}
    return FramesEdit(LAB, index=index, **given | options)


async def edit_frames(stage: Stage, index: bytes, **options: Any) -> Written:
    written = await stage.store.edit_frames(await frames_edit(stage, index, **options))
    assert written is not None
    return written


async def index_of(stage: Stage) -> bytes | None:
    found = await stage.store.read(FindDocument(LAB, FRAMES))
    return None if found is None else found.content


async def is_stored(stage: Stage, *names: str) -> list[bool]:
    return [each is not None for each in await stage.store.read(FindPieces(LAB, names))]


async def revert(stage: Stage, kind: VersionKind, **options: Any) -> None:
    await stage.store.revert(Revert(LAB, kind, **{"writer": BOB, **options}))


class FrameConformance(Conformance):
    async def test_a_piece_is_stored_with_its_arrays(self, stage: Stage) -> None:
        await put(stage, ONE, arrays=(("a1", 0), ("a2", 64)))
        new = await put(stage, TWO, uses=(ONE,))

        assert new == piece(TWO, uses=(ONE,))
        assert await stage.store.read(FindPieces(LAB, (TWO, THREE, ONE))) == [new, None, piece(ONE)]
        assert await stage.store.read(FindArrays(LAB, ("a2", "a3", "a1"))) == [(ONE, 64), None, (ONE, 0)]
        assert await stage.store.read(FindOrphanedBlobs()) == []
        assert await stage.store.read(FindPieces("attic", (ONE,))) == [None]

    async def test_a_piece_that_is_uploaded_twice_is_stored_once(self, stage: Stage) -> None:
        first = await put(stage, ONE)
        again = replace(first, blob=Blob("another", 100, "ab" * 32))
        await stage.store.reserve("another")

        assert await stage.store.put_piece(NewPiece(again, BOB)) == first
        assert await stage.store.read(FindOrphanedBlobs()) == ["another"]
        assert await used(stage, Kind.BYTES) == (100, 100, 100)

    async def test_a_piece_cannot_use_one_that_is_not_stored(self, stage: Stage) -> None:
        await put(stage, ONE)
        with pytest.raises(PieceNotFound) as raised:
            await put(stage, TWO, uses=(ONE, THREE))

        assert raised.value.fields["pieces"] == [THREE]
        assert await is_stored(stage, TWO) == [False]

    async def test_a_piece_is_stored_only_for_those_who_still_have_access(self, stage: Stage) -> None:
        await stage.store.add_account(Account("cleo", Role.USER, None, 0))
        await stage.store.create_room(Room("den", "ada", private=True))
        ended = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.finish(completed(ended))
        new = piece(ONE)

        for each in (replace(new, room="nowhere"), replace(new, room="den")):
            with pytest.raises(RoomNotFound):
                await stage.store.put_piece(NewPiece(each, Writer("cleo")))
        with pytest.raises(RoomNotFound):
            await stage.store.put_piece(NewPiece(new, Writer("cleo"), epoch=7))
        with pytest.raises(StaleAttempt):
            await stage.store.put_piece(NewPiece(new, Writer("ada", None, ended.fence)))
        assert await is_stored(stage, ONE) == [False]

    async def test_pieces_count_as_bytes_until_they_are_collected(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await put(stage, ONE)
        await put(stage, TWO, Writer("ada", None, given.fence))
        await put(stage, THREE, BOB)
        assert await used(stage, Kind.BYTES) == (200, 300, 300)
        assert await used(stage, Kind.FILES) == (0, 0, 0)

        stage.clock.advance(1)
        await stage.store.collect_frames(LAB, [], [ONE, THREE], stage.clock.now_us())
        assert await used(stage, Kind.BYTES) == (100, 100, 100)

    async def test_an_edit_writes_the_index_and_its_segments(self, stage: Stage) -> None:
        await put(stage, ONE)
        segments = (Segment("s1", b"runs"), Segment("s2", b"more"))
        written = await edit_frames(stage, b"i1", segments=segments, pieces=(ONE,), summary="append 2")
        found = await stage.store.read(FindDocument(LAB, FRAMES))

        assert found is not None
        assert (found.content, found.info.version, found.info.user) == (b"i1", written.version, "ada")
        assert await stage.store.read(FindSegments(LAB, ("s2", "s3", "s1"))) == [b"more", None, b"runs"]
        assert written.is_new

    async def test_the_index_is_no_document_of_the_room(self, stage: Stage) -> None:
        await stage.store.edit_document(Edit(LAB, "notes", b"12", ADA))
        await edit_frames(stage, b"x" * 100, limits=DataLimits(documents=1, bytes=3))
        await stage.store.edit_document(
            Edit(LAB, "notes", b"123", ADA, limits=DataLimits(documents=1, bytes=3))
        )
        await revert(stage, VersionKind.UNDO, limits=DataLimits(documents=1, bytes=3))
        await revert(stage, VersionKind.UNDO, limits=DataLimits(documents=1, bytes=3))
        await revert(stage, VersionKind.REDO, limits=DataLimits(documents=1, bytes=3))

        assert await index_of(stage) == b"x" * 100
        assert [each.key for each in await stage.store.read(FindDocuments(LAB))] == ["notes"]

    async def test_an_edit_of_an_older_index_is_computed_again(self, stage: Stage) -> None:
        stale = await frames_edit(stage, b"i1")
        await edit_frames(stage, b"i2")

        assert await stage.store.edit_frames(stale) is None
        assert await index_of(stage) == b"i2"

    async def test_an_edit_that_is_sent_again_is_made_once(self, stage: Stage) -> None:
        first = await edit_frames(stage, b"i1", request="r1")
        assert await edit_frames(stage, b"i1", request="r1") == replace(first, is_new=False)

        await edit_frames(stage, b"i2", writer=BOB)
        assert await edit_frames(stage, b"i3", request="r1") == replace(first, is_new=False)
        assert await index_of(stage) == b"i2"

    async def test_an_edit_of_a_group_that_is_sent_again_is_made_once(self, stage: Stage) -> None:
        await edit_frames(stage, b"i1", group="g", request="r1")
        second = await edit_frames(stage, b"i2", group="g", request="r2")
        await edit_frames(stage, b"i3", writer=BOB)

        assert await edit_frames(stage, b"i4", group="g", request="r2") == replace(second, is_new=False)
        assert await index_of(stage) == b"i3"

    async def test_a_condition_on_the_version_is_the_callers_own(self, stage: Stage) -> None:
        first = await edit_frames(stage, b"i1", expected=0)
        with pytest.raises(VersionConflict):
            await edit_frames(stage, b"i2", expected=first.version + 1)
        await edit_frames(stage, b"i2", expected=first.version)

        assert await index_of(stage) == b"i2"

    async def test_a_lock_of_the_frames_guards_them(self, stage: Stage) -> None:
        await stage.store.acquire_lock(
            LockRequest(LAB, FRAMES, "d1", "ada", None, "editing", 30_000_000, False)
        )
        with pytest.raises(Locked):
            await edit_frames(stage, b"i1", writer=BOB)
        with pytest.raises(Locked):
            await edit_frames(stage, b"i1")
        await edit_frames(stage, b"i1", writer=Writer("ada", "d1"))
        with pytest.raises(Locked):
            await revert(stage, VersionKind.UNDO)
        await stage.store.release_lock(LAB, FRAMES, "d1")
        with pytest.raises(LockLost):
            await edit_frames(stage, b"i2", writer=Writer("ada", "d1"))

    async def test_an_edit_needs_its_room_its_attempt_and_its_pieces(self, stage: Stage) -> None:
        ended = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.finish(completed(ended))
        await put(stage, ONE)
        edit = await frames_edit(stage, b"i1", segments=(Segment("s1", b"runs"),))

        with pytest.raises(RoomNotFound):
            await stage.store.edit_frames(replace(edit, room="nowhere"))
        with pytest.raises(StaleAttempt):
            await stage.store.edit_frames(replace(edit, writer=Writer("ada", None, ended.fence)))
        with pytest.raises(PieceNotFound) as raised:
            await stage.store.edit_frames(replace(edit, pieces=(ONE, TWO)))
        assert raised.value.fields["pieces"] == [TWO]
        assert await index_of(stage) is None
        assert await stage.store.read(FindSegments(LAB, ("s1",))) == [None]

    async def test_a_room_has_no_more_frames_than_its_quota(self, stage: Stage) -> None:
        await edit_frames(stage, b"i1", length=10, max_frames=10)
        with pytest.raises(QuotaExceeded) as raised:
            await edit_frames(stage, b"i2", length=11, max_frames=10)

        assert raised.value.fields["quota"] == "frames_per_room"
        assert await index_of(stage) == b"i1"

    async def test_frames_and_documents_are_undone_and_redone_together(self, stage: Stage) -> None:
        first = await edit_frames(stage, b"i1")
        await stage.store.edit_document(Edit(LAB, "notes", b"1", ADA))
        await edit_frames(stage, b"i2")

        await revert(stage, VersionKind.UNDO)
        assert await index_of(stage) == b"i1"
        await revert(stage, VersionKind.UNDO)
        await revert(stage, VersionKind.UNDO)
        assert await index_of(stage) is None
        for _ in range(3):
            await revert(stage, VersionKind.REDO)
        assert await index_of(stage) == b"i2"
        await revert(stage, VersionKind.RESTORE, to=first.version)
        assert await index_of(stage) == b"i1"
        assert await stage.store.read(FindDocuments(LAB)) == []

    async def test_every_index_that_is_kept_is_found(self, stage: Stage) -> None:
        limits = DataLimits(versions=2)
        for n in range(4):
            last = await edit_frames(stage, b"i%d" % n, limits=limits)

        assert await stage.store.read(FindFrameIndexes(LAB)) == [b"i1", b"i2", b"i3"]
        assert await stage.store.read(FindFrameIndexes("attic")) == []
        names = ((FRAMES, 1), (FRAMES, last.version))
        assert await stage.store.read(FindContents(LAB, names)) == [None, b"i3"]

    async def test_only_what_was_not_touched_since_is_collected(self, stage: Stage) -> None:
        await put(stage, ONE, arrays=(("a1", 0),))
        await put(stage, TWO)
        await edit_frames(stage, b"i1", segments=(Segment("s1", b"runs"), Segment("s2", b"more")))
        stage.clock.advance(HOUR)
        old_us = stage.clock.now_us()
        assert await stage.store.touch_piece(LAB, TWO) == piece(TWO)
        await edit_frames(stage, b"i2", segments=(Segment("s2", b"more"),))

        collected = await stage.store.collect_frames(LAB, ["s1", "s2", "s3"], [ONE, TWO, THREE], old_us)
        assert collected == [ONE]
        assert await is_stored(stage, ONE, TWO) == [False, True]
        assert await stage.store.read(FindSegments(LAB, ("s1", "s2"))) == [None, b"more"]
        assert await stage.store.read(FindArrays(LAB, ("a1",))) == [None]
        assert await stage.store.read(FindOrphanedBlobs()) == [piece(ONE).blob.id]

    async def test_an_edit_keeps_the_pieces_that_it_uses_and_theirs(self, stage: Stage) -> None:
        await put(stage, ONE)
        await put(stage, TWO, uses=(ONE,))
        stage.clock.advance(HOUR)
        old_us = stage.clock.now_us()
        await edit_frames(stage, b"i1", pieces=(TWO,))

        assert await stage.store.collect_frames(LAB, [], [ONE, TWO], old_us) == []

    async def test_a_new_piece_keeps_those_that_it_uses(self, stage: Stage) -> None:
        await put(stage, ONE)
        stage.clock.advance(HOUR)
        old_us = stage.clock.now_us()
        await put(stage, TWO, uses=(ONE,))
        assert await stage.store.collect_frames(LAB, [], [ONE], old_us) == []

        stage.clock.advance(HOUR)
        old_us = stage.clock.now_us()
        await stage.store.touch_piece(LAB, TWO)
        assert await stage.store.touch_piece(LAB, THREE) is None
        assert await stage.store.collect_frames(LAB, [], [ONE, TWO], old_us) == []

    async def test_an_array_is_found_in_the_piece_that_has_it_last(self, stage: Stage) -> None:
        await put(stage, ONE, arrays=(("a1", 0),))
        await put(stage, TWO, arrays=(("a1", 8),))
        stage.clock.advance(1)
        await stage.store.collect_frames(LAB, [], [ONE], stage.clock.now_us())

        assert await stage.store.read(FindArrays(LAB, ("a1",))) == [(TWO, 8)]

    async def test_segments_and_pieces_are_listed_by_name(self, stage: Stage) -> None:
        await put(stage, ONE)
        early_us = stage.clock.now_us()
        stage.clock.advance(1)
        await put(stage, TWO)
        await edit_frames(stage, b"i1", segments=(Segment("ab", b"runs"),))
        now_us = stage.clock.now_us()

        listed = [
            FrameName(ONE, True, early_us),
            FrameName(TWO, True, now_us),
            FrameName("ab", False, now_us),
        ]
        listed.sort(key=lambda each: each.name)
        assert await stage.store.read(FindFrameNames(LAB)) == listed
        assert await stage.store.read(FindFrameNames(LAB, limit=2)) == listed[:2]
        assert await stage.store.read(FindFrameNames(LAB, after=listed[0].name, limit=1)) == listed[1:2]

    async def test_a_deleted_room_keeps_no_frames(self, stage: Stage) -> None:
        await put(stage, ONE, arrays=(("a1", 0),))
        await edit_frames(stage, b"i1", segments=(Segment("s1", b"runs"),), pieces=(ONE,))
        await stage.store.delete_room(LAB)

        assert await is_stored(stage, ONE) == [False]
        assert await stage.store.read(FindSegments(LAB, ("s1",))) == [None]
        assert await stage.store.read(FindArrays(LAB, ("a1",))) == [None]
        assert await stage.store.read(FindFrameNames(LAB)) == []
        assert await stage.store.read(FindFrameIndexes(LAB)) == []
        assert await stage.store.read(FindOrphanedBlobs()) == [piece(ONE).blob.id]
        assert await used(stage, Kind.BYTES) == (0, 0, 0)

    async def test_frames_survive_a_restart(self, stage: Stage, reopen: Reopen) -> None:
        await put(stage, ONE, arrays=(("a1", 0),))
        await edit_frames(stage, b"i1", segments=(Segment("s1", b"runs"),), pieces=(ONE,))
        await stage.store.aclose()
        async with reopen() as again:
            assert await is_stored(again, ONE) == [True]
            assert await index_of(again) == b"i1"
            assert await again.store.read(FindArrays(LAB, ("a1",))) == [(ONE, 0)]
