"""Files become visible in one step: that of the attempt that still counts, or not at all."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

import pytest

from workroom.domain.files import Blob, NewFile, PreviewKind, Saving, Showing
from workroom.domain.identity import Account, Role
from workroom.domain.job import Fence
from workroom.domain.queries import (
    FindArtifact,
    FindArtifacts,
    FindFile,
    FindFiles,
    FindOrphanedBlobs,
    FindPreview,
)
from workroom.domain.room import Room
from workroom.domain.steps import Assignment
from workroom.errors import JobNotFound, RoomNotFound, StaleAttempt
from workroom.ports import Store
from workroom.testing.conformance.stage import LAB, LIVENESS, SMOOTH, Conformance, Stage, completed


def blob(name: str) -> Blob:
    return Blob(name, 6, "ab" * 32)


def saving(
    given: Assignment, blob_id: str = "b1", *, name: str = "plot.png", worker: str | None = None
) -> Saving:
    return Saving(given.fence, worker, name, "image/png", blob(blob_id))


def showing(given: Assignment, blob_id: str = "b1", worker: str | None = None) -> Showing:
    return Showing(given.fence, worker, PreviewKind.PNG, blob(blob_id))


def new_file(file_id: str, blob_id: str, room: str = LAB) -> NewFile:
    return NewFile(file_id, room, "ada", "water.xyz", "chemical/x-xyz", blob(blob_id))


class AttachConformance(Conformance):
    async def test_what_a_running_attempt_saves_is_listed_by_name(self, stage: Stage, store: Store) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        for number, name in enumerate(("z.txt", "a.txt")):
            await store.attach(saving(given, f"b{number}", name=name, worker="w1"))

        found = await store.read(FindArtifacts(given.fence.job_id))
        assert [(each.name, each.blob, each.attempt) for each in found] == [
            ("a.txt", blob("b1"), 1),
            ("z.txt", blob("b0"), 1),
        ]
        assert await store.read(FindArtifact(given.fence.job_id, "z.txt")) == found[1]
        assert await store.read(FindArtifact(given.fence.job_id, "y.txt")) is None

    async def test_the_same_name_again_replaces_and_wastes_what_was_there(
        self, stage: Stage, store: Store
    ) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await store.attach(saving(given, "b1"))
        await store.attach(saving(given, "b2"))

        (found,) = await store.read(FindArtifacts(given.fence.job_id))
        assert found.blob.id == "b2"
        assert await store.read(FindOrphanedBlobs()) == ["b1"]

    async def test_a_blob_is_orphaned_until_something_refers_to_it(self, stage: Stage, store: Store) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        for name in ("b1", "b2", "b3", "b4"):
            await store.reserve(name)
        assert await store.read(FindOrphanedBlobs()) == ["b1", "b2", "b3", "b4"]
        await store.attach(saving(given, "b1"))
        await store.show(showing(given, "b2"))
        await store.add_file(new_file("f1", "b3"))

        assert await store.read(FindOrphanedBlobs()) == ["b4"]
        await store.discard(["b4"])
        assert await store.read(FindOrphanedBlobs()) == []

    async def test_orphaned_blobs_are_read_in_pages(self, store: Store) -> None:
        for name in ("b1", "b2", "b3"):
            await store.reserve(name)

        assert await store.read(FindOrphanedBlobs(limit=2)) == ["b1", "b2"]
        assert await store.read(FindOrphanedBlobs("b2", limit=2)) == ["b3"]

    @pytest.mark.parametrize("verb", ["attach", "show"])
    async def test_an_attempt_that_is_over_makes_nothing_visible(
        self, stage: Stage, store: Store, verb: str
    ) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await store.reserve("b1")
        await stage.finish(completed(given))

        await _refused(_write(store, verb, given), StaleAttempt)
        await self._nothing(store, given)
        assert await store.read(FindOrphanedBlobs()) == ["b1"]

    @pytest.mark.parametrize("verb", ["attach", "show"])
    async def test_a_cancelled_attempt_makes_nothing_visible(
        self, stage: Stage, store: Store, verb: str
    ) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await store.cancel([given.fence.job_id], "ada", "no")

        await _refused(_write(store, verb, given), StaleAttempt)
        await self._nothing(store, given)

    @pytest.mark.parametrize("verb", ["attach", "show"])
    async def test_an_attempt_that_has_not_begun_makes_nothing_visible(
        self, stage: Stage, store: Store, verb: str
    ) -> None:
        given = await stage.assigned(await stage.connect("w1", SMOOTH))

        await _refused(_write(store, verb, given), StaleAttempt)
        await self._nothing(store, given)

    @pytest.mark.parametrize("verb", ["attach", "show"])
    async def test_a_lost_attempt_leaves_what_it_saved_and_adds_nothing(
        self, stage: Stage, store: Store, verb: str
    ) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await store.attach(saving(given, "b0", name="early.txt"))
        await stage.wait(LIVENESS.lease + 1)

        await _refused(_write(store, verb, given), StaleAttempt)
        (kept,) = await store.read(FindArtifacts(given.fence.job_id))
        assert kept.name == "early.txt"

    @pytest.mark.parametrize("verb", ["attach", "show"])
    async def test_only_who_knows_the_token_may_speak(self, stage: Stage, store: Store, verb: str) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        fence = given.fence
        for guess in (Fence(fence.job_id, 1, "guess"), Fence(fence.job_id, 2, fence.token)):
            await _refused(_write(store, verb, given, fence=guess), StaleAttempt)
        await _refused(_write(store, verb, given, fence=Fence("nothing", 1, "t")), JobNotFound)
        await self._nothing(store, given)

    @pytest.mark.parametrize("verb", ["attach", "show"])
    async def test_another_worker_cannot_speak_for_the_attempt(
        self, stage: Stage, store: Store, verb: str
    ) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.connect("w2", SMOOTH)

        await _refused(_write(store, verb, given, worker="w2"), StaleAttempt)
        await self._nothing(store, given)

    async def test_each_preview_replaces_the_one_before_and_counts_on(
        self, stage: Stage, store: Store
    ) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        versions = [(await store.show(showing(given, each))).version for each in ("b1", "b2", "b3")]

        assert versions == [1, 2, 3]
        found = await store.read(FindPreview(given.fence.job_id))
        assert found is not None
        assert (found.version, found.blob.id) == (3, "b3")
        assert await store.read(FindOrphanedBlobs()) == ["b1", "b2"]

    async def test_the_files_of_a_room_are_listed_newest_first_in_pages(
        self, stage: Stage, store: Store
    ) -> None:
        for number in range(3):
            await store.add_file(new_file(f"f{number}", f"b{number}"))
        await store.add_file(new_file("other", "b9", room="attic"))

        page = await store.read(FindFiles(LAB, limit=2))
        assert [each.id for each in page.items] == ["f2", "f1"]
        rest = await store.read(FindFiles(LAB, page.next_cursor, 2))
        assert [each.id for each in rest.items] == ["f0"]
        assert rest.next_cursor is None
        assert await store.read(FindFile(LAB, "f1")) == page.items[1]
        assert await store.read(FindFile(LAB, "other")) is None

    async def test_the_blob_of_a_deleted_file_is_orphaned(self, stage: Stage, store: Store) -> None:
        await store.add_file(new_file("f1", "b1"))

        assert not await store.delete_file("attic", "f1")
        assert await store.delete_file(LAB, "f1")
        assert not await store.delete_file(LAB, "f1")
        assert await store.read(FindFile(LAB, "f1")) is None
        assert await store.read(FindOrphanedBlobs()) == ["b1"]

    async def test_the_blobs_of_a_deleted_room_are_orphaned(self, stage: Stage, store: Store) -> None:
        await store.add_file(new_file("f1", "b1"))
        await store.delete_room(LAB)

        assert (await store.read(FindFiles(LAB))).items == []
        assert await store.read(FindOrphanedBlobs()) == ["b1"]
        with pytest.raises(RoomNotFound):
            await store.add_file(new_file("f2", "b2"))

    async def test_a_file_of_somebody_who_was_put_out_meanwhile_is_not_added(
        self, stage: Stage, store: Store
    ) -> None:
        await store.create_room(Room("den", "olga", private=True))
        await store.add_member("den", "ada")
        await store.add_file(new_file("f1", "b1", room="den"))
        await store.remove_member("den", "ada")
        with pytest.raises(RoomNotFound):
            await store.add_file(new_file("f2", "b2", room="den"))
        await store.change_room("den", private=False)
        await store.add_file(new_file("f3", "b3", room="den"))

        assert [each.id for each in (await store.read(FindFiles("den"))).items] == ["f3", "f1"]

    async def test_a_file_of_an_account_that_was_changed_meanwhile_is_not_added(
        self, stage: Stage, store: Store
    ) -> None:
        await store.add_account(Account("ada", Role.ADMIN))
        await store.create_room(Room("den", "olga", private=True))
        await store.add_file(replace(new_file("f1", "b1", room="den"), epoch=0))
        await store.change_account("ada", role=Role.USER)
        for epoch in (0, 1):
            with pytest.raises(RoomNotFound):
                await store.add_file(replace(new_file("f2", "b2", room="den"), epoch=epoch))
        await store.add_file(replace(new_file("f3", "b3"), epoch=1))
        await store.change_account("ada", disabled=True)
        with pytest.raises(RoomNotFound):
            await store.add_file(replace(new_file("f4", "b4"), epoch=2))

        assert [each.id for each in (await store.read(FindFiles(LAB))).items] == ["f3"]

    async def test_a_file_of_an_attempt_that_is_over_is_not_added(self, stage: Stage, store: Store) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await store.add_file(replace(new_file("f1", "b1"), fence=running.fence))
        await stage.finish(completed(running))
        with pytest.raises((StaleAttempt, JobNotFound)):  # the archive may have it already
            await store.add_file(replace(new_file("f2", "b2"), fence=running.fence))

        assert [each.id for each in (await store.read(FindFiles(LAB))).items] == ["f1"]

    async def _nothing(self, store: Store, given: Assignment) -> None:
        assert await store.read(FindArtifacts(given.fence.job_id)) == []
        assert await store.read(FindPreview(given.fence.job_id)) is None


def _write(
    store: Store, verb: str, given: Assignment, worker: str | None = None, fence: Fence | None = None
) -> Awaitable[Any]:
    named = fence or given.fence
    if verb == "attach":
        return store.attach(Saving(named, worker, "plot.png", "image/png", blob("b1")))
    return store.show(Showing(named, worker, PreviewKind.PNG, blob("b1")))


async def _refused(verb: Awaitable[Any], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        await verb
