"""Every change of a document can be taken back, in order, as long as its version is kept."""

from __future__ import annotations

from typing import Any

import pytest

from workroom.domain.queries import FindContents, FindDocument, FindDocuments, FindVersions
from workroom.domain.room_data.documents import DataLimits, Edit
from workroom.domain.room_data.locks import LockRequest, Writer
from workroom.domain.room_data.versions import Change, Revert, Version, VersionKind
from workroom.errors import Locked, LockLost, NothingToRevert, QuotaExceeded, VersionNotFound
from workroom.testing.conformance.stage import LAB, SMOOTH, Conformance, Reopen, Stage

ADA, BOB = Writer("ada"), Writer("bob")


class VersionConformance(Conformance):
    async def set(self, stage: Stage, key: str, content: bytes | None, **options: Any) -> int:
        given = {"writer": ADA, "summary": f"set {key}", **options}
        return (await stage.store.edit_document(Edit(LAB, key, content, **given))).version

    async def revert(self, stage: Stage, kind: VersionKind, **options: Any) -> Version:
        return await stage.store.revert(Revert(LAB, kind, **{"writer": BOB, **options}))

    async def undo(self, stage: Stage, **options: Any) -> Version:
        return await self.revert(stage, VersionKind.UNDO, **options)

    async def redo(self, stage: Stage, **options: Any) -> Version:
        return await self.revert(stage, VersionKind.REDO, **options)

    async def restore(self, stage: Stage, number: int, **options: Any) -> Version:
        return await self.revert(stage, VersionKind.RESTORE, to=number, **options)

    async def state(self, stage: Stage) -> dict[str, bytes]:
        """The documents with their contents."""
        keys = [each.key for each in await stage.store.read(FindDocuments(LAB))]
        found = [await stage.store.read(FindDocument(LAB, key)) for key in keys]
        return {each.info.key: each.content for each in found if each is not None}

    async def versions(self, stage: Stage) -> list[Version]:
        return (await stage.store.read(FindVersions(LAB, limit=500))).items

    async def kept(self, stage: Stage, key: str, up_to: int) -> list[bytes]:
        names = tuple((key, number) for number in range(1, up_to + 1))
        found = await stage.store.read(FindContents(LAB, names))
        return [content for content in found if content is not None]

    async def test_each_change_is_a_version_with_who_when_and_what(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        first = await self.set(stage, "metadata", b"1")
        stage.clock.advance(1)
        second = await self.set(
            stage, "metadata", b"2", writer=Writer("ada", None, given.fence), summary="smoothed"
        )
        newest, oldest = await self.versions(stage)

        assert (oldest.number, oldest.user, oldest.job_id, oldest.kind) == (first, "ada", None, "change")
        assert oldest.changes == (Change("metadata", None, first),)
        assert (newest.number, newest.job_id, newest.summary) == (second, given.fence.job_id, "smoothed")
        assert newest.changes == (Change("metadata", first, second),)
        assert newest.at_us == oldest.at_us + 1_000_000
        assert not newest.is_undone
        assert newest.of is None
        names = (("metadata", first), ("metadata", second), ("metadata", 99))
        assert await stage.store.read(FindContents(LAB, names)) == [b"1", b"2", None]

    async def test_versions_are_read_in_pages(self, stage: Stage) -> None:
        numbers = [await self.set(stage, "metadata", b"%d" % n) for n in range(5)]
        first = await stage.store.read(FindVersions(LAB, limit=2))
        second = await stage.store.read(FindVersions(LAB, before=first.next_cursor, limit=3))

        assert [each.number for each in first.items + second.items] == numbers[::-1]
        assert second.next_cursor is None

    async def test_step_and_camera_have_no_versions(self, stage: Stage) -> None:
        for key in ("step", "camera", "camera.left"):
            for content in (b"1", b"2"):
                last = await self.set(stage, key, content)

        assert await self.versions(stage) == []
        assert await self.kept(stage, "step", last) == [b"2"]
        with pytest.raises(NothingToRevert):
            await self.undo(stage)

    async def test_a_change_is_undone_and_redone(self, stage: Stage) -> None:
        await self.set(stage, "metadata", b"1")
        second = await self.set(stage, "metadata", b"2")
        undone = await self.undo(stage)

        assert await self.state(stage) == {"metadata": b"1"}
        assert (undone.kind, undone.of, undone.user, undone.summary) == (
            "undo",
            second,
            "bob",
            "set metadata",
        )
        redone = await self.redo(stage)
        assert await self.state(stage) == {"metadata": b"2"}
        assert (redone.kind, redone.of) == ("redo", second)
        document = await stage.store.read(FindDocument(LAB, "metadata"))
        assert document is not None
        assert (document.info.version, document.info.user) == (redone.number, "bob")

    async def test_ten_changes_are_undone_to_where_they_began_and_redone(self, stage: Stage) -> None:
        states = [await self.state(stage)]
        for number in range(10):
            key = ("metadata", "figures.a", "figures.b")[number % 3]
            await self.set(stage, key, None if number == 7 else b"%d" % number)
            states.append(await self.state(stage))
        found = []
        for _ in range(10):
            await self.undo(stage)
            found.append(await self.state(stage))

        assert found == states[-2::-1]
        for expected in states[1:]:
            await self.redo(stage)
            assert await self.state(stage) == expected
        with pytest.raises(NothingToRevert):
            await self.redo(stage)

    async def test_a_new_change_ends_what_can_be_redone(self, stage: Stage) -> None:
        await self.set(stage, "metadata", b"1")
        await self.set(stage, "metadata", b"2")
        await self.undo(stage)
        await self.set(stage, "metadata", b"3")

        with pytest.raises(NothingToRevert):
            await self.redo(stage)
        await self.undo(stage)
        assert await self.state(stage) == {"metadata": b"1"}
        await self.redo(stage)
        assert await self.state(stage) == {"metadata": b"3"}
        await self.undo(stage)
        await self.undo(stage)
        assert await self.state(stage) == {}
        with pytest.raises(NothingToRevert):
            await self.undo(stage)

    async def test_the_newest_change_of_a_target_is_undone_and_redone(self, stage: Stage) -> None:
        await self.set(stage, "figures.a", b"1")
        second = await self.set(stage, "figures.b", b"2")
        await self.set(stage, "metadata", b"3")
        await self.set(stage, "figuresque", b"4")
        undone = await self.undo(stage, target="figures")

        assert undone.of == second
        assert await self.state(stage) == {"figures.a": b"1", "metadata": b"3", "figuresque": b"4"}
        await self.undo(stage, target="figures")
        with pytest.raises(NothingToRevert):
            await self.undo(stage, target="figures")
        await self.redo(stage, target="figures")
        await self.redo(stage, target="figures")
        with pytest.raises(NothingToRevert):
            await self.redo(stage, target="figures")
        assert len(await self.state(stage)) == 4

    async def test_undoing_a_target_leaves_what_was_changed_beside_it_since(self, stage: Stage) -> None:
        await self.set(stage, "metadata", b"1", group="g")
        await self.set(stage, "figures.a", b"2", group="g")
        await self.set(stage, "figures.a", b"3")
        await self.undo(stage, target="metadata")

        assert await self.state(stage) == {"figures.a": b"3"}
        await self.redo(stage, target="metadata")
        assert await self.state(stage) == {"metadata": b"1", "figures.a": b"3"}
        await self.undo(stage)
        await self.undo(stage)
        assert await self.state(stage) == {}

    async def test_a_deleted_document_comes_back(self, stage: Stage) -> None:
        await self.set(stage, "metadata", b"1")
        await self.set(stage, "metadata", None)
        await self.undo(stage)

        assert await self.state(stage) == {"metadata": b"1"}

    async def test_any_version_can_be_restored_and_that_be_undone(self, stage: Stage) -> None:
        await self.set(stage, "metadata", b"1")
        wanted = await self.set(stage, "figures.a", b"2")
        await self.set(stage, "metadata", b"3")
        await self.set(stage, "figures.a", None)
        await self.undo(stage)
        await self.set(stage, "figures.b", b"4")
        before = await self.state(stage)
        restored = await self.restore(stage, wanted)

        assert await self.state(stage) == {"metadata": b"1", "figures.a": b"2"}
        assert (restored.kind, restored.of) == ("restore", wanted)
        assert {each.key for each in restored.changes} == {"metadata", "figures.b"}
        await self.undo(stage)
        assert await self.state(stage) == before
        await self.redo(stage)
        with pytest.raises(NothingToRevert):
            await self.restore(stage, wanted)

    async def test_a_version_that_is_not_kept_cannot_be_restored(self, stage: Stage) -> None:
        await self.set(stage, "metadata", b"1")

        with pytest.raises(VersionNotFound):
            await self.restore(stage, 99)

    async def test_a_revert_that_is_sent_again_is_made_once(self, stage: Stage) -> None:
        for content in (b"1", b"2", b"3"):
            await self.set(stage, "metadata", content)
        first = await self.undo(stage, request="r1")

        assert await self.undo(stage, request="r1") == first
        assert await self.state(stage) == {"metadata": b"2"}
        await self.undo(stage, request="r2")
        assert await self.state(stage) == {"metadata": b"1"}

    async def test_nothing_is_reverted_under_the_lock_of_somebody_else(self, stage: Stage) -> None:
        await self.set(stage, "metadata", b"1")
        wanted = await self.set(stage, "figures.a", b"2")
        await self.set(stage, "figures.a", b"3")
        await stage.store.acquire_lock(
            LockRequest(LAB, "figures", "digest", "ada", None, "", 30_000_000, False)
        )

        for attempt in (self.undo(stage), self.restore(stage, wanted)):
            with pytest.raises(Locked):
                await attempt
        assert await self.state(stage) == {"metadata": b"1", "figures.a": b"3"}
        with pytest.raises(LockLost):
            await self.undo(stage, writer=ADA, digests=("digest", "a digest of before"))
        await self.undo(stage, writer=ADA, digests=("digest",))
        assert await self.state(stage) == {"metadata": b"1", "figures.a": b"2"}

    async def test_a_token_holds_a_lock_although_another_lock_of_it_has_expired(self, stage: Stage) -> None:
        await self.set(stage, "figures.a", b"1")
        for target, ttl_us in (("figures", 60_000_000), ("notes", 10_000_000)):
            await stage.store.acquire_lock(LockRequest(LAB, target, "digest", "ada", None, "", ttl_us, False))
        stage.clock.advance(20)

        await self.undo(stage, writer=ADA, digests=("digest",))

        assert await self.state(stage) == {}

    async def test_only_the_last_versions_are_kept(self, stage: Stage) -> None:
        limits = DataLimits(versions=3)
        numbers = [await self.set(stage, "metadata", b"%d" % n, limits=limits) for n in range(6)]

        assert [each.number for each in await self.versions(stage)] == numbers[:2:-1]
        assert await self.kept(stage, "metadata", numbers[-1]) == [b"2", b"3", b"4", b"5"]
        for _ in range(3):
            await self.undo(stage)  # with wider limits, so that nothing is dropped
        assert await self.state(stage) == {"metadata": b"2"}
        with pytest.raises(NothingToRevert):
            await self.undo(stage)

    async def test_old_versions_go_with_the_next_change(self, stage: Stage) -> None:
        limits = DataLimits(keep_us=60_000_000)
        await self.set(stage, "metadata", b"1", limits=limits)
        stage.clock.advance(40)
        second = await self.set(stage, "metadata", b"2", limits=limits)
        stage.clock.advance(40)
        third = await self.set(stage, "metadata", b"3", limits=limits)

        assert [each.number for each in await self.versions(stage)] == [third, second]
        assert await self.kept(stage, "metadata", third) == [b"1", b"2", b"3"]

    async def test_versions_that_need_too_many_bytes_are_dropped(self, stage: Stage) -> None:
        limits = DataLimits(history_bytes=25)
        for number in range(5):
            last = await self.set(stage, "metadata", b"%d" % number * 10, limits=limits)

        assert await self.kept(stage, "metadata", last) == [b"2" * 10, b"3" * 10, b"4" * 10]
        assert len(await self.versions(stage)) == 2

    async def test_contents_are_kept_once_and_as_long_as_something_refers_to_them(self, stage: Stage) -> None:
        limits = DataLimits(versions=3)
        first = await self.set(stage, "metadata", b"1", limits=limits)
        await self.set(stage, "metadata", b"2", limits=limits)
        for _ in range(3):
            await self.undo(stage, limits=limits)
            last = (await self.redo(stage, limits=limits)).number

        assert await self.kept(stage, "metadata", last) == [b"1", b"2"]
        for number in range(4):
            last = await self.set(stage, "other", b"%d" % number, limits=limits)
        assert await self.kept(stage, "metadata", last) == [b"2"]
        assert first not in [each.number for each in await self.versions(stage)]

    async def test_undo_does_not_push_out_what_can_be_undone(self, stage: Stage) -> None:
        limits = DataLimits(versions=4)
        for content in (b"1", b"2", b"3", b"4"):
            await self.set(stage, "metadata", content, limits=limits)
        for revert in (self.undo, self.redo):
            for _ in range(4):
                await revert(stage, limits=limits)

        assert await self.state(stage) == {"metadata": b"4"}
        assert len(await self.versions(stage)) == 12

    async def test_an_undo_does_not_exceed_the_quota_of_the_room(self, stage: Stage) -> None:
        await self.set(stage, "a", b"x" * 8)
        await self.set(stage, "a", None)
        await self.set(stage, "step", b"y" * 8)

        with pytest.raises(QuotaExceeded):
            await self.undo(stage, limits=DataLimits(bytes=10))
        assert await self.state(stage) == {"step": b"y" * 8}

    async def test_versions_outlive_a_restart(self, stage: Stage, reopen: Reopen) -> None:
        await self.set(stage, "metadata", b"1")
        await self.set(stage, "metadata", b"2")
        await self.undo(stage)
        before = await self.versions(stage)
        await stage.store.aclose()

        async with reopen() as again:
            assert await self.versions(again) == before
            await self.redo(again)
            assert await self.state(again) == {"metadata": b"2"}
