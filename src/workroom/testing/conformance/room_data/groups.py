"""Edits of one group make one version, unless somebody else changed the same document."""

from __future__ import annotations

from typing import Any

from workroom.domain.queries import FindContents, FindDocument, FindVersions
from workroom.domain.room_data.documents import FRAMES, Edit
from workroom.domain.room_data.locks import Writer
from workroom.domain.room_data.versions import Change, Version, VersionKind
from workroom.domain.rules.room_data.versions import MAX_CHANGES
from workroom.testing.conformance.room_data.frames import ADA, BOB, edit_frames, index_of, revert
from workroom.testing.conformance.stage import LAB, SMOOTH, Conformance, Stage


async def set_document(stage: Stage, key: str, content: bytes | None, **options: Any) -> int:
    given = {"writer": ADA, "summary": f"set {key}", **options}
    return (await stage.store.edit_document(Edit(LAB, key, content, **given))).version


async def versions_of(stage: Stage) -> list[Version]:
    """The newest first."""
    return (await stage.store.read(FindVersions(LAB, limit=500))).items


async def content_of(stage: Stage, key: str) -> bytes | None:
    found = await stage.store.read(FindDocument(LAB, key))
    return None if found is None else found.content


class GroupConformance(Conformance):
    async def test_edits_of_a_group_make_one_version(self, stage: Stage) -> None:
        first = await set_document(stage, "notes", b"1", group="g")
        stage.clock.advance(1)
        second = await set_document(stage, "notes", b"2", group="g", summary="again")
        third = (await edit_frames(stage, b"i1", group="g")).version
        (version,) = await versions_of(stage)
        found = await stage.store.read(FindDocument(LAB, "notes"))

        assert first < second < third
        assert found is not None
        assert found.info.version == second
        assert version.number == first
        assert version.at_us == stage.clock.now_us()
        assert version.changes == (Change(FRAMES, None, third), Change("notes", None, second))
        names = (("notes", first), ("notes", second))
        assert await stage.store.read(FindContents(LAB, names)) == [None, b"2"]

    async def test_a_group_is_undone_and_redone_at_once(self, stage: Stage) -> None:
        await set_document(stage, "notes", b"0")
        for content in (b"1", b"2", b"3"):
            await set_document(stage, "notes", content, group="g")
        await edit_frames(stage, b"i1", group="g")

        await revert(stage, VersionKind.UNDO)
        assert (await content_of(stage, "notes"), await index_of(stage)) == (b"0", None)
        await revert(stage, VersionKind.REDO)
        assert (await content_of(stage, "notes"), await index_of(stage)) == (b"3", b"i1")

    async def test_what_somebody_else_changed_since_is_not_amended(self, stage: Stage) -> None:
        await set_document(stage, "notes", b"1", group="g")
        await set_document(stage, "figures", b"1", writer=BOB)
        await set_document(stage, "notes", b"2", group="g")
        assert len(await versions_of(stage)) == 2

        await set_document(stage, "notes", b"3", writer=BOB)
        await set_document(stage, "notes", b"4", group="g")
        await set_document(stage, "notes", b"5", group="g")
        assert len(await versions_of(stage)) == 4
        for content in (b"3", b"2"):
            await revert(stage, VersionKind.UNDO)
            assert await content_of(stage, "notes") == content

    async def test_a_document_that_others_changed_does_not_join_the_group(self, stage: Stage) -> None:
        await set_document(stage, "notes", b"1", group="g")
        await set_document(stage, "figures", b"1", writer=BOB)
        await set_document(stage, "figures", b"2", group="g")

        assert [len(each.changes) for each in await versions_of(stage)] == [1, 1, 1]

    async def test_what_is_undone_is_not_amended(self, stage: Stage) -> None:
        await set_document(stage, "notes", b"1", group="g")
        await revert(stage, VersionKind.UNDO)
        await set_document(stage, "notes", b"2", group="g")
        await revert(stage, VersionKind.UNDO)
        assert await content_of(stage, "notes") is None

        await revert(stage, VersionKind.REDO)
        await set_document(stage, "notes", b"3", group="g")
        newest = (await versions_of(stage))[0]
        assert (newest.kind, await content_of(stage, "notes")) == (VersionKind.CHANGE, b"3")

    async def test_an_amended_version_ends_what_can_be_redone(self, stage: Stage) -> None:
        await set_document(stage, "notes", b"1", group="g")
        await set_document(stage, "figures", b"1", writer=BOB)
        await revert(stage, VersionKind.UNDO)
        await set_document(stage, "notes", b"2", group="g")
        before = len(await versions_of(stage))
        await revert(stage, VersionKind.UNDO)

        assert await content_of(stage, "notes") is None
        assert len(await versions_of(stage)) == before + 1

    async def test_the_groups_of_two_people_are_two(self, stage: Stage) -> None:
        await set_document(stage, "notes", b"1", group="g")
        await set_document(stage, "notes", b"2", group="g", writer=BOB)
        await set_document(stage, "notes", b"3", group="h", writer=BOB)

        assert len(await versions_of(stage)) == 3

    async def test_a_jobs_edits_are_one_group_whatever_it_sends(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        one, two = await stage.running(session), await stage.running(session)
        for n, given in enumerate((one, one, two)):
            await set_document(
                stage, "notes", b"%d" % n, writer=Writer("ada", None, given.fence), group=f"g{n}"
            )

        newest, oldest = await versions_of(stage)
        assert (newest.job_id, oldest.job_id) == (two.fence.job_id, one.fence.job_id)

    async def test_a_version_changes_only_so_many_documents(self, stage: Stage) -> None:
        for n in range(MAX_CHANGES + 1):
            for content in (b"1", None):
                await set_document(stage, f"figures.n{n}", content, group="g")

        assert [len(each.changes) for each in await versions_of(stage)] == [1, MAX_CHANGES]

    async def test_a_restore_knows_what_a_group_made(self, stage: Stage) -> None:
        first = await set_document(stage, "notes", b"1", group="g")
        await set_document(stage, "figures", b"1", writer=BOB)
        await set_document(stage, "notes", b"2", group="g")
        await set_document(stage, "notes", b"3", writer=BOB)
        await revert(stage, VersionKind.RESTORE, to=first)

        assert await content_of(stage, "notes") == b"2"
        assert await content_of(stage, "figures") is None
