"""What an attempt changed is taken back unless it completes, and its locks end with it."""

from __future__ import annotations

from typing import Any

import pytest

from workroom.domain.extension import Policy, RetryOn
from workroom.domain.queries import FindJobEdits, FindLocks
from workroom.domain.room_data.documents import FRAMES, DataLimits
from workroom.domain.room_data.locks import LockRequest, Writer
from workroom.domain.room_data.versions import EditsEnd, EndedEdits, JobEdits, VersionKind
from workroom.domain.steps import Assignment
from workroom.errors import Locked, NothingToRevert
from workroom.testing.conformance.room_data.frames import BOB, edit_frames, index_of, revert
from workroom.testing.conformance.room_data.groups import content_of, set_document, versions_of
from workroom.testing.conformance.stage import (
    LAB,
    SMOOTH,
    Conformance,
    Reopen,
    Stage,
    cancelled,
    completed,
    extension,
    failed,
)

AGAIN = extension("Again", policy=Policy(retries=1, retry_on=RetryOn.ERROR))


def writer(given: Assignment) -> Writer:
    return Writer("ada", None, given.fence)


async def end(stage: Stage, given: Assignment, **options: Any) -> EndedEdits | None:
    edits = JobEdits(LAB, given.fence.job_id, given.fence.attempt)
    return await stage.store.end_job_edits(EditsEnd(edits, "Smooth failed", **options))


async def ended(stage: Stage, given: Assignment, **options: Any) -> EndedEdits:
    found = await end(stage, given, **options)
    assert found is not None
    return found


async def lock(stage: Stage, target: str, given: Assignment | None = None, user: str = "ada") -> None:
    job = None if given is None else given.fence
    request = LockRequest(LAB, target, f"{user}-{target}", user, job, "", 300_000_000, False)
    assert (await stage.store.acquire_lock(request)).is_granted


class JobEditConformance(Conformance):
    async def open_edits(self, stage: Stage) -> list[JobEdits]:
        return await stage.store.read(FindJobEdits())

    async def test_what_a_failed_attempt_changed_is_taken_back_at_once(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await set_document(stage, "notes", b"0")
        await edit_frames(stage, b"i0")
        for n in range(1, 4):
            await set_document(stage, "notes", b"%d" % n, writer=writer(given))
            await set_document(stage, f"figures.f{n}", b"new", writer=writer(given))
            last = await edit_frames(stage, b"i%d" % n, writer=writer(given))
        await stage.finish(failed(given))
        found = await ended(stage, given)

        assert found.undone is not None
        assert (found.undone.kind, found.undone.summary) == (VersionKind.UNDO, "Smooth failed")
        assert (found.undone.user, found.undone.job_id) == ("ada", given.fence.job_id)
        assert (found.kept, found.is_trimmed, found.freed) == ((), False, ())
        assert (await index_of(stage), await content_of(stage, "notes")) == (b"i0", b"0")
        assert [each.key for each in found.undone.changes] == [
            "figures.f1",
            "figures.f2",
            "figures.f3",
            FRAMES,
            "notes",
        ]
        newest, made, *_ = await versions_of(stage)
        assert newest == found.undone
        assert (newest.of, made.is_undone) == (made.number, True)
        assert newest.number > last.version

    async def test_what_was_taken_back_cannot_be_redone(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await set_document(stage, "figures", b"0")
        await set_document(stage, "notes", b"1", writer=writer(given))
        await stage.finish(failed(given))
        await end(stage, given)

        with pytest.raises(NothingToRevert):
            await revert(stage, VersionKind.REDO)
        await revert(stage, VersionKind.UNDO)
        assert (await content_of(stage, "figures"), await content_of(stage, "notes")) == (None, None)

    async def test_what_a_completed_attempt_changed_stays(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await edit_frames(stage, b"i1", writer=writer(given))
        assert await end(stage, given) is None
        assert await self.open_edits(stage) == []

        await stage.finish(completed(given))
        assert await self.open_edits(stage) == [JobEdits(LAB, given.fence.job_id, 1)]
        assert await end(stage, given) == EndedEdits(JobEdits(LAB, given.fence.job_id, 1))
        assert await index_of(stage) == b"i1"
        assert await self.open_edits(stage) == []
        assert await end(stage, given) is None

    async def test_a_cancelled_or_retried_attempt_did_not_complete(self, stage: Stage) -> None:
        session = await stage.connect("w1", SMOOTH, AGAIN, slots=3)
        one, two, three = [await stage.running(session, spec) for spec in (SMOOTH, SMOOTH, AGAIN)]
        for key, given in (("a", one), ("b", two), ("c", three)):
            await set_document(stage, key, b"1", writer=writer(given))
        await stage.finish(cancelled(one))
        await stage.store.cancel([two.fence.job_id], "ada", "no")
        await stage.finish(failed(three))

        for given in (one, two, three):
            assert (await ended(stage, given)).undone is not None
        assert [await content_of(stage, key) for key in "abc"] == [None, None, None]

    async def test_a_lost_attempt_did_not_complete(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await edit_frames(stage, b"i1", writer=writer(given))
        await stage.wait(120)
        assert await self.open_edits(stage) == [JobEdits(LAB, given.fence.job_id, 1)]

        await end(stage, given)
        assert await index_of(stage) is None

    async def test_what_somebody_changed_since_stays(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await edit_frames(stage, b"i1", writer=writer(given))
        await set_document(stage, "notes", b"1", writer=writer(given))
        changed = await edit_frames(stage, b"i2", writer=BOB)
        await stage.finish(failed(given))
        found = await ended(stage, given)

        assert found.undone is not None
        assert [each.key for each in found.undone.changes] == ["notes"]
        assert found.kept == (FRAMES,)
        assert (await index_of(stage), await content_of(stage, "notes")) == (b"i2", None)
        assert [each.is_undone for each in await versions_of(stage)] == [False, False, False]

        # what stays can be undone like anything else, but does not come back as a whole
        await revert(stage, VersionKind.UNDO)
        assert await index_of(stage) == b"i1"
        await revert(stage, VersionKind.UNDO)
        assert (await index_of(stage), await content_of(stage, "notes")) == (None, None)
        with pytest.raises(NothingToRevert):
            await revert(stage, VersionKind.REDO)
        assert changed.version > 0

    async def test_an_attempt_that_went_on_after_others_goes_back_to_theirs(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await edit_frames(stage, b"i1", writer=writer(given))
        await edit_frames(stage, b"i2", writer=BOB)
        await edit_frames(stage, b"i3", writer=writer(given))
        await stage.finish(failed(given))
        found = await ended(stage, given)

        assert found.kept == (FRAMES,)
        assert await index_of(stage) == b"i2"

    async def test_edits_marked_to_be_kept_stay_after_a_failure(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await edit_frames(stage, b"i1", writer=writer(given), keeps_on_failure=True)
        await edit_frames(stage, b"i2", writer=writer(given), keeps_on_failure=True)
        await set_document(stage, "notes", b"1", writer=writer(given))
        await stage.finish(failed(given))
        found = await ended(stage, given)

        assert found.kept == ()
        assert (await index_of(stage), await content_of(stage, "notes")) == (b"i2", None)
        assert len(await versions_of(stage)) == 3

    async def test_an_undone_version_of_a_failed_attempt_cannot_be_redone(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await edit_frames(stage, b"i1", writer=writer(given))
        await revert(stage, VersionKind.UNDO)
        await stage.finish(failed(given))

        assert (await ended(stage, given)).undone is None
        with pytest.raises(NothingToRevert):
            await revert(stage, VersionKind.REDO)

    async def test_a_redone_version_of_a_failed_attempt_is_taken_back(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await edit_frames(stage, b"i1", writer=writer(given))
        await revert(stage, VersionKind.UNDO)
        await revert(stage, VersionKind.REDO)
        await stage.finish(failed(given))

        assert (await ended(stage, given)).kept == ()
        assert await index_of(stage) is None

    async def test_what_was_undone_since_does_not_bring_a_jobs_edit_back(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await edit_frames(stage, b"i1", writer=writer(given))
        await edit_frames(stage, b"i2", writer=BOB)
        await revert(stage, VersionKind.UNDO)
        await stage.finish(failed(given))
        await end(stage, given)

        assert await index_of(stage) is None
        with pytest.raises(NothingToRevert):
            await revert(stage, VersionKind.REDO)

    async def test_what_is_not_kept_any_more_is_reported(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        limits = DataLimits(versions=1)
        await set_document(stage, "notes", b"1", writer=writer(given), limits=limits)
        await set_document(stage, "figures", b"1", limits=limits)
        await stage.finish(failed(given))
        found = await ended(stage, given, limits=limits)

        assert found.is_trimmed
        assert found.undone is None
        assert await content_of(stage, "notes") == b"1"

    async def test_what_somebody_else_locked_stays(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await set_document(stage, "notes", b"1", writer=writer(given))
        await set_document(stage, "figures", b"1", writer=writer(given))
        await lock(stage, "notes", user="bob")
        await lock(stage, "figures", user="ada")
        await stage.finish(failed(given))
        found = await ended(stage, given)

        assert found.kept == ("notes",)
        assert (await content_of(stage, "notes"), await content_of(stage, "figures")) == (b"1", None)
        assert found.freed == ()

    async def test_the_locks_of_an_attempt_end_with_it(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        for target in ("notes", FRAMES):
            await lock(stage, target, given)
        await lock(stage, "figures")
        assert await end(stage, given) is None
        await stage.finish(completed(given))

        assert (await ended(stage, given)).freed == (FRAMES, "notes")
        held = await stage.store.read(FindLocks(LAB, stage.clock.now_us()))
        assert [each.target for each in held] == ["figures"]

    async def test_the_lock_of_a_completed_attempt_is_free_before_its_edits_end(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        for target in ("notes", "figures", FRAMES):
            await lock(stage, target, given)
        await edit_frames(stage, b"i1", writer=writer(given))
        with pytest.raises(Locked):
            await set_document(stage, "notes", b"1", writer=BOB)
        await stage.finish(completed(given))

        await set_document(stage, "notes", b"1", writer=BOB)
        await revert(stage, VersionKind.UNDO)
        await revert(stage, VersionKind.UNDO)
        await lock(stage, "figures", user="bob")
        assert await index_of(stage) is None
        assert (await ended(stage, given)).freed == (FRAMES, "notes")
        held = await stage.store.read(FindLocks(LAB, stage.clock.now_us()))
        assert [(each.target, each.user) for each in held] == [("figures", "bob")]

    async def test_the_lock_of_a_failed_attempt_is_held_until_its_edits_are_taken_back(
        self, stage: Stage
    ) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await lock(stage, "notes", given)
        await set_document(stage, "notes", b"1", writer=writer(given))
        await stage.finish(failed(given))

        with pytest.raises(Locked):
            await set_document(stage, "notes", b"2", writer=BOB)
        await ended(stage, given)
        await set_document(stage, "notes", b"2", writer=BOB)

    async def test_the_locks_of_a_later_attempt_stay(self, stage: Stage) -> None:
        session = await stage.connect("w1", AGAIN)
        first = await stage.running(session, AGAIN)
        await set_document(stage, "figures", b"1", writer=writer(first))
        await stage.finish(failed(first))
        await stage.wait(60, lambda: stage.store.renew(session, (), 0))
        (second,) = await stage.claim(session)
        await stage.start(second)
        await lock(stage, "notes", second)
        found = await ended(stage, first)

        assert second.fence.attempt == 2
        assert found.undone is not None
        assert found.freed == ()
        assert await end(stage, second) is None

    async def test_rolling_back_needs_no_quota(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await set_document(stage, "notes", b"12345")
        await set_document(stage, "notes", None, writer=writer(given))
        await stage.finish(failed(given))
        await ended(stage, given, limits=DataLimits(documents=0, bytes=1))

        assert await content_of(stage, "notes") == b"12345"

    async def test_volatile_documents_are_not_taken_back(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await set_document(stage, "step", b"1", writer=writer(given))
        await stage.finish(failed(given))

        assert await self.open_edits(stage) == []
        assert await content_of(stage, "step") == b"1"

    async def test_a_deleted_room_has_no_edits_to_end(self, stage: Stage) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await set_document(stage, "notes", b"1", writer=writer(given))
        await stage.store.delete_room(LAB)
        await stage.store.cancel([given.fence.job_id], "ada", "no")

        assert await self.open_edits(stage) == []
        assert await end(stage, given) is None

    async def test_open_edits_survive_a_restart(self, stage: Stage, reopen: Reopen) -> None:
        given = await stage.running(await stage.connect("w1", SMOOTH))
        await edit_frames(stage, b"i1", writer=writer(given))
        await stage.finish(failed(given))
        await stage.store.aclose()
        async with reopen() as again:
            assert await self.open_edits(again) == [JobEdits(LAB, given.fence.job_id, 1)]
            await end(again, given)
            assert await index_of(again) is None
