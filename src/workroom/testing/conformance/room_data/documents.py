"""A document is changed by one edit at a time, as a whole or not at all."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from workroom.domain.queries import FindDocument, FindDocuments, FindVersions
from workroom.domain.room_data.documents import DataLimits, Document, Edit, Written
from workroom.domain.room_data.locks import Writer
from workroom.errors import (
    DocumentNotFound,
    QuotaExceeded,
    RoomNotFound,
    StaleAttempt,
    VersionConflict,
    WorkroomError,
)
from workroom.testing.conformance.stage import ATTIC, LAB, SMOOTH, Conformance, Reopen, Stage, completed

ADA = Writer("ada")


def edited(key: str, content: bytes | None, **options: Any) -> Edit:
    given = {"room": LAB, "writer": ADA, **options}
    return Edit(key=key, content=content, **given)


class DocumentConformance(Conformance):
    async def put(self, stage: Stage, key: str, content: bytes | None, **options: Any) -> Written:
        return await stage.store.edit_document(edited(key, content, **options))

    async def found(self, stage: Stage, key: str, room: str = LAB) -> Document | None:
        return await stage.store.read(FindDocument(room, key))

    async def contents(self, stage: Stage) -> dict[str, bytes]:
        documents = await stage.store.read(FindDocuments(LAB))
        found = [await self.found(stage, each.key) for each in documents]
        return {each.info.key: each.content for each in found if each is not None}

    async def test_a_document_reads_as_it_was_written(self, stage: Stage) -> None:
        content = '{"text":"Grüße ☃","n":[1,2.5,null]}'.encode()
        written = await self.put(stage, "metadata", content)
        found = await self.found(stage, "metadata")

        assert found is not None
        assert found.content == content
        assert (found.info.version, found.info.size) == (written.version, len(content))
        assert (found.info.user, found.info.job_id) == ("ada", None)
        assert found.info.changed_us == written.at_us == stage.clock.now_us()
        assert await stage.store.read(FindDocuments(LAB)) == [found.info]
        assert await self.found(stage, "metadata", ATTIC) is None

    async def test_documents_are_listed_by_key(self, stage: Stage) -> None:
        for key in ("step", "figures.b", "figures.a"):
            await self.put(stage, key, b"1")

        found = await stage.store.read(FindDocuments(LAB))
        assert [each.key for each in found] == ["figures.a", "figures.b", "step"]

    async def test_each_change_has_a_higher_number_also_after_a_deletion(self, stage: Stage) -> None:
        numbers = [(await self.put(stage, "metadata", content)).version for content in (b"1", None, b"2")]

        assert numbers == sorted(set(numbers))

    async def test_a_large_document_is_kept_whole(self, stage: Stage) -> None:
        content = b'"' + bytes(range(35, 92)) * 17_000 + b'"'
        await self.put(stage, "figures", content)

        found = await self.found(stage, "figures")
        assert found is not None
        assert found.content == content

    async def test_an_edit_of_an_older_version_is_refused(self, stage: Stage) -> None:
        first = await self.put(stage, "metadata", b"1")
        second = await self.put(stage, "metadata", b"2", expected=first.version)

        with pytest.raises(VersionConflict) as raised:
            await self.put(stage, "metadata", b"3", expected=first.version)
        assert raised.value.fields == {"key": "metadata", "version": second.version}
        with pytest.raises(VersionConflict):
            await self.put(stage, "metadata", None, expected=first.version)
        assert await self.contents(stage) == {"metadata": b"2"}

    async def test_a_document_that_must_be_new_or_exist_is_checked(self, stage: Stage) -> None:
        with pytest.raises(VersionConflict):
            await self.put(stage, "metadata", b"1", expected=-1)
        await self.put(stage, "metadata", b"1", expected=0)
        with pytest.raises(VersionConflict):
            await self.put(stage, "metadata", b"2", expected=0)
        await self.put(stage, "metadata", b"2", expected=-1)

        assert await self.contents(stage) == {"metadata": b"2"}

    async def test_of_many_that_edit_one_version_one_succeeds(self, stage: Stage) -> None:
        first = await self.put(stage, "metadata", b"0")
        edits = [self.put(stage, "metadata", b"%d" % n, expected=first.version) for n in range(20)]
        done = await asyncio.gather(*edits, return_exceptions=True)

        assert sum(isinstance(each, Written) for each in done) == 1
        assert sum(isinstance(each, VersionConflict) for each in done) == 19

    async def test_a_deleted_document_is_gone(self, stage: Stage) -> None:
        await self.put(stage, "metadata", b"1")
        await self.put(stage, "metadata", None)

        assert await self.found(stage, "metadata") is None
        assert await stage.store.read(FindDocuments(LAB)) == []
        with pytest.raises(DocumentNotFound):
            await self.put(stage, "metadata", None)

    async def test_an_edit_that_is_sent_again_is_made_once(self, stage: Stage) -> None:
        first = await self.put(stage, "metadata", b"1", request="r1", expected=0)
        stage.clock.advance(5)
        again = await self.put(stage, "metadata", b"1", request="r1", expected=0)

        assert again == Written(first.version, first.at_us, False)
        assert len((await stage.store.read(FindVersions(LAB))).items) == 1

    async def test_documents_are_limited_in_number_and_size(self, stage: Stage) -> None:
        limits = DataLimits(documents=2, bytes=10)
        await self.put(stage, "a", b"11", limits=limits)
        await self.put(stage, "b", b"22", limits=limits)

        assert await self._data_quota(stage, "c", b"3", limits) == ("documents_per_room", 2, 2)
        assert await self._data_quota(stage, "b", b"x" * 9, limits) == ("document_bytes_per_room", 10, 4)
        await self.put(stage, "b", b"x" * 8, limits=limits)
        await self.put(stage, "b", None, limits=limits)
        await self.put(stage, "c", b"x" * 8, limits=limits)
        assert await self.contents(stage) == {"a": b"11", "c": b"x" * 8}

    async def _data_quota(
        self, stage: Stage, key: str, content: bytes, limits: DataLimits
    ) -> tuple[object, object, object]:
        with pytest.raises(QuotaExceeded) as raised:
            await self.put(stage, key, content, limits=limits)
        fields = raised.value.fields
        return fields["quota"], fields["limit"], fields["used"]

    async def test_what_was_refused_leaves_no_trace(self, stage: Stage) -> None:
        await self.put(stage, "metadata", b"1")
        before = await stage.store.read(FindVersions(LAB))
        for edit in (
            edited("metadata", b"2", expected=99),
            edited("other", None),
            edited("other", b"12345", limits=DataLimits(bytes=3)),
        ):
            with pytest.raises(WorkroomError):
                await stage.store.edit_document(edit)

        assert await self.contents(stage) == {"metadata": b"1"}
        assert await stage.store.read(FindVersions(LAB)) == before

    async def test_a_document_needs_a_room_and_goes_with_it(self, stage: Stage) -> None:
        with pytest.raises(RoomNotFound):
            await self.put(stage, "metadata", b"1", room="nowhere")
        await self.put(stage, "metadata", b"1")
        await stage.store.delete_room(LAB)

        assert await self.found(stage, "metadata") is None
        assert await stage.store.read(FindDocuments(LAB)) == []
        assert (await stage.store.read(FindVersions(LAB))).items == []
        with pytest.raises(RoomNotFound):
            await self.put(stage, "metadata", b"1")

    async def test_what_a_job_writes_names_the_job(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await self.put(stage, "metadata", b"1", writer=Writer("ada", None, given.fence))
        found = await self.found(stage, "metadata")

        assert found is not None
        assert found.info.job_id == given.fence.job_id
        await stage.finish(completed(given))
        with pytest.raises(StaleAttempt):
            await self.put(stage, "metadata", b"2", writer=Writer("ada", None, given.fence))

    async def test_documents_outlive_a_restart(self, stage: Stage, reopen: Reopen) -> None:
        await self.put(stage, "metadata", b"1")
        await self.put(stage, "step", b"7")
        before = await stage.store.read(FindDocuments(LAB))
        await stage.store.aclose()

        async with reopen() as again:
            assert await again.store.read(FindDocuments(LAB)) == before
            assert await self.contents(again) == {"metadata": b"1", "step": b"7"}
