"""Jobs that are over move to the archive, once and whole, whatever happens on the way."""

from __future__ import annotations

import asyncio
import resource
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from structlog.testing import capture_logs

from support.stores import archiver_process
from support.stores.archive import ArchiveConformance, EagerStore, opened, opened_store
from support.stores.lossy_link import LossyLink
from support.stores.redis import opened as opened_without_archive
from support.stores.retention import RetentionConformance
from workroom.domain.job import JobState
from workroom.domain.jobs.annotation import Annotation, Saved
from workroom.domain.jobs.logs import LogLine, Stream
from workroom.domain.queries import (
    ExtensionsOverview,
    FindArtifact,
    FindArtifacts,
    FindChat,
    FindJob,
    FindJobs,
    FindJobsById,
    FindLogPosition,
    FindPreview,
    JobEvents,
    JobHistory,
    JobLogs,
    LastValues,
    NewChat,
    Query,
    RoomEvents,
)
from workroom.domain.steps import Idempotency, LogBatch, Progress
from workroom.errors import IdempotencyConflict, IllegalTransition, StaleAttempt, StoreUnavailable
from workroom.ports import Store
from workroom.stores.redis.archiving.store import ArchivingStore
from workroom.testing.conformance import FakeClock, Stage
from workroom.testing.conformance.records.annotations import WRITTEN, annotating
from workroom.testing.conformance.records.files import saving, showing
from workroom.testing.conformance.stage import SMOOTH, completed, failed
from workroom.testing.processes import eventually
from workroom.testing.valkey import Valkey

HOUR = 3600.0


class TestMoving(ArchiveConformance):
    async def test_archived_jobs_read_as_before(self, stage: Stage, store: ArchivingStore) -> None:
        questions = await _lives(stage)
        before = [await store.read(question) for question in questions]
        await store.archiver.move_all()

        assert [await store.read(question) for question in questions] == before

    async def test_what_has_moved_is_gone_from_redis(
        self, stage: Stage, store: ArchivingStore, valkey: Valkey, path: Path
    ) -> None:
        await _lives(stage)
        over = {job.id for job in await _jobs(store) if job.status.is_terminal}
        await store.archiver.move_all()

        kept = {key.rpartition(":")[2] for key in _keys(valkey) if ":moved:" not in key}
        assert len(over) == 3
        assert not over & kept
        assert _archived(path) == over
        assert _card(valkey, "{workroom}:jobs") == len(await _jobs(store)) - 3

    async def test_pages_go_on_from_redis_into_the_archive_and_back(
        self, stage: Stage, store: ArchivingStore
    ) -> None:
        await stage.connect("w1", SMOOTH)
        jobs = await stage.submit_many(9, SMOOTH)
        await store.cancel([jobs[1], jobs[2], jobs[5], jobs[8]], "ada", "no")
        await store.archiver.move_all()

        assert [job.id for job in await _pages(store, FindJobs(room="lab", limit=2))] == jobs[::-1]
        assert [job.id for job in await _pages(store, FindJobs(status=JobState.CANCELLED, limit=3))] == [
            jobs[8],
            jobs[5],
            jobs[2],
            jobs[1],
        ]

    async def test_a_stream_goes_on_from_the_archive_into_redis(
        self, stage: Stage, store: ArchivingStore
    ) -> None:
        await _lives(stage)
        whole = await store.read(RoomEvents("lab", 0))
        await store.archiver.move_all()

        told = await store.read(RoomEvents("lab", 0, limit=3))
        while following := await store.read(RoomEvents("lab", told[-1].sequence, limit=3)):
            told += following
        assert told == whole

    async def test_a_failed_job_is_replayed_from_the_archive_once(
        self, stage: Stage, store: ArchivingStore
    ) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        broken = running.fence.job_id
        await stage.finish(failed(running))
        await store.archiver.move_all()
        assert [job.id for job in await _pages(store, FindJobs(replayed=False))] == [broken]

        first = replace(await stage.new_job(SMOOTH), retry_of=broken, once=True)
        again = replace(first, id="again")
        await store.submit([first])

        assert (await store.submit([again])).known == {again.id: first.id}
        assert [job.id for job in await _pages(store, FindJobs(replayed=True))] == [broken]
        assert [job.id for job in await _pages(store, FindJobs(replayed=False))] == [first.id]

    async def test_a_key_leads_to_a_job_that_has_moved(self, stage: Stage, store: ArchivingStore) -> None:
        await stage.connect("w1", SMOOTH)
        new = replace(await stage.new_job(SMOOTH), idempotency=Idempotency("POST", "key", "body"))
        await store.submit([new])
        await store.cancel([new.id], "ada", "no")
        await store.archiver.move_all()

        other = replace(new, id="other", idempotency=Idempotency("POST", "key", "other body"))
        assert (await store.submit([replace(new, id="again")])).known == {"again": new.id}
        assert (await store.submit([new])).known == {new.id: new.id}
        assert await stage.refusal(store.submit([other])) is IdempotencyConflict

    async def test_late_reports_get_the_same_reply_after_archiving(
        self, stage: Stage, store: ArchivingStore
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        done, broken = await stage.running(session), await stage.running(session)
        await stage.finish(completed(done))
        await stage.finish(failed(broken))
        await store.archiver.move_all()

        assert (await store.finish("w1", [completed(done), failed(broken)])).answers == [None, None]
        assert await stage.refusal(store.finish("w1", [completed(done, b"2")])) is StaleAttempt
        assert await stage.refusal(store.finish("w1", [failed(done)])) is StaleAttempt
        assert await stage.refusal(store.append("w1", [Progress(done.fence, b"{}")])) is StaleAttempt
        assert await stage.refusal(store.cancel([done.fence.job_id], "ada", "no")) is IllegalTransition
        with pytest.raises(StaleAttempt):
            await store.attach(saving(done, "b9"))

    async def test_a_job_that_takes_up_a_worker_does_not_move(
        self, stage: Stage, store: ArchivingStore, path: Path
    ) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await store.cancel([running.fence.job_id], "ada", "no")
        await store.archiver.move_all()

        assert _archived(path) == set()

    async def test_of_very_many_all_move_in_one_go(
        self, stage: Stage, store: ArchivingStore, path: Path
    ) -> None:
        await stage.connect("w1", SMOOTH)
        jobs = await stage.submit_many(300, SMOOTH)
        await store.cancel(jobs, "ada", "no")
        await store.archiver.move_all()

        assert _archived(path) == set(jobs)
        assert {job.id for job in await _jobs(store)} == set(jobs)


class TestWhen(ArchiveConformance):
    after = HOUR

    async def test_a_sweep_moves_jobs_so_long_after_their_end(
        self, stage: Stage, store: ArchivingStore, path: Path
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        first = await stage.running(session)
        await stage.finish(completed(first))
        stage.clock.advance(HOUR / 2)
        await stage.finish(completed(await stage.running(session)))
        stage.clock.advance(HOUR / 2)
        await store.sweep()

        await asyncio.to_thread(eventually, lambda: _archived(path))
        assert _archived(path) == {first.fence.job_id}


class TestRetention(RetentionConformance, ArchiveConformance):
    """The archive forgets as Redis does."""

    kind = EagerStore


class TestAnnotating(ArchiveConformance):
    """What people write about a job is kept, wherever the job is on its way to the archive."""

    async def test_an_archived_job_can_be_annotated(self, stage: Stage, store: ArchivingStore) -> None:
        await stage.connect("w1", SMOOTH)
        moved, here = await stage.submit_many(2, SMOOTH)
        await store.cancel([moved], "ada", "no")
        await store.archiver.move_all()
        saved = await store.annotate([annotating(here), annotating(moved), annotating("no-such-job")])

        assert saved == [Saved.SAVED, Saved.SAVED, Saved.MISSING]
        assert (await stage.job(moved)).annotation == WRITTEN
        assert await store.annotate([annotating(moved)]) == [Saved.OUTDATED]
        annotated = await store.read(FindJobs(room="lab", annotated=True))
        assert [job.id for job in annotated.items] == [here, moved]

    async def test_a_change_between_the_copy_and_the_end_is_kept(
        self, stage: Stage, store: ArchivingStore, valkey: Valkey
    ) -> None:
        await stage.connect("w1", SMOOTH)
        job = await stage.submit(SMOOTH)
        await store.cancel([job], "ada", "no")
        await store.annotate([annotating(job)])
        leavers = await _departing(store)
        kept = await store.archiver.copy(leavers)
        later = Annotation(name="later", version=2)
        assert await store.annotate([annotating(job, later)]) == [Saved.SAVED]
        assert await store.archiver.delete(leavers, kept) == 0

        await store.archiver.move_all()
        assert (await stage.job(job)).annotation == later
        assert await _departing(store) == []
        assert not [key for key in _keys(valkey) if "annotated" in key]

    async def test_a_copy_that_is_repeated_does_not_undo_a_change(
        self, stage: Stage, store: ArchivingStore
    ) -> None:
        await stage.connect("w1", SMOOTH)
        job = await stage.submit(SMOOTH)
        await store.cancel([job], "ada", "no")
        await store.archiver.copy(await _departing(store))
        await store.annotate([annotating(job)])
        await store.archiver.copy(await _departing(store))
        await store.archiver.move_all()

        assert (await stage.job(job)).annotation == WRITTEN


class TestInterrupted(ArchiveConformance):
    """A move that ends anywhere leaves nothing out and nothing twice, and the next one completes it."""

    async def test_between_the_copy_and_the_end(
        self, stage: Stage, store: ArchivingStore, valkey: Valkey, path: Path
    ) -> None:
        questions = await _lives(stage)
        before = [await store.read(question) for question in questions]
        await store.archiver.copy(await _departing(store))
        assert [await store.read(question) for question in questions] == before

        async with opened(valkey.url, stage.clock, path) as other:
            assert isinstance(other.store, ArchivingStore)
            await other.store.archiver.move_all()
            assert [await other.store.read(question) for question in questions] == before
            assert await _departing(other.store) == []

    async def test_between_what_rooms_keep_and_what_the_queue_keeps(
        self, stage: Stage, store: ArchivingStore
    ) -> None:
        questions = await _lives(stage)
        before = [await store.read(question) for question in questions]
        leavers = await _departing(store)
        await store.archiver.copy(leavers)
        await store._departures.clear_rooms(leavers)
        assert [await store.read(question) for question in questions] == before

        await store.archiver.move_all()
        assert [await store.read(question) for question in questions] == before
        assert await _departing(store) == []

    async def test_by_another_that_moves_the_same(
        self, stage: Stage, store: ArchivingStore, valkey: Valkey, path: Path
    ) -> None:
        await stage.connect("w1", SMOOTH)
        jobs = await stage.submit_many(200, SMOOTH)
        await store.cancel(jobs, "ada", "no")
        async with opened(valkey.url, stage.clock, path) as other:
            assert isinstance(other.store, ArchivingStore)
            await other.store.read(FindLogPosition())
            await asyncio.gather(store.archiver.move_all(), other.store.archiver.move_all())

            assert [job.id for job in await _jobs(other.store)] == jobs[::-1]
        assert await _departing(store) == []
        assert [usage.jobs for usage in await store.read(ExtensionsOverview())] == [{"cancelled": 200}]

    async def test_by_a_disk_that_is_full(self, stage: Stage, store: ArchivingStore, path: Path) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH), data=b'"%s"' % (b"x" * 100_000))
        await stage.finish(completed(running))
        with _full_disk(), capture_logs() as said:
            await store.sweep()
            await asyncio.to_thread(
                eventually, lambda: [line for line in said if line["event"] == "archive_failed"]
            )
            await store.sweep()
            assert await stage.status(running) is JobState.COMPLETED
            waiting = await stage.submit(SMOOTH)

        assert [(line["event"], line["log_level"]) for line in said] == [("archive_failed", "warning")]
        assert _archived(path) == set()
        await store.archiver.move_all()
        assert _archived(path) == {running.fence.job_id}
        assert {job.id for job in await _jobs(store)} == {running.fence.job_id, waiting}

    async def test_by_kill_9(self, stage: Stage, store: ArchivingStore, valkey: Valkey, path: Path) -> None:
        await stage.connect("w1", SMOOTH)
        jobs = await stage.submit_many(1000, SMOOTH)
        await store.cancel(jobs, "ada", "no")
        mover = await asyncio.create_subprocess_exec(
            sys.executable, "-P", archiver_process.__file__, valkey.url, path
        )
        await asyncio.to_thread(eventually, lambda: len(_archived(path)) > 100)
        mover.kill()
        await mover.wait()
        assert [job.id for job in await _jobs(store)] == jobs[::-1]

        await store.archiver.move_all()
        assert _archived(path) == set(jobs)
        assert [job.id for job in await _jobs(store)] == jobs[::-1]
        assert await _departing(store) == []


class TestOutage(ArchiveConformance):
    @pytest.fixture
    async def store(self, link: LossyLink, clock: FakeClock, path: Path) -> AsyncIterator[ArchivingStore]:
        store = opened_store(link.url, clock, path)
        yield store
        await store.aclose()

    async def test_a_move_that_redis_leaves_half_done_is_completed_when_it_is_back(
        self, stage: Stage, store: ArchivingStore, link: LossyLink
    ) -> None:
        questions = await _lives(stage)
        before = [await store.read(question) for question in questions]
        leavers = await _departing(store)
        kept = await store.archiver.copy(leavers)
        link.is_deaf = True
        with pytest.raises(StoreUnavailable):
            await store.archiver.delete(leavers, kept)
        link.is_deaf = False

        assert [await store.read(question) for question in questions] == before
        await store.archiver.move_all()
        assert [await store.read(question) for question in questions] == before
        assert await _departing(store) == []

    async def test_a_move_whose_reply_is_lost_is_done_once(
        self, stage: Stage, store: ArchivingStore, link: LossyLink
    ) -> None:
        questions = await _lives(stage)
        before = [await store.read(question) for question in questions]
        link.lose_every_other()
        await store.archiver.move_all()

        assert link.lost > 0
        assert [await store.read(question) for question in questions] == before


class TestBelonging(ArchiveConformance):
    async def test_a_server_without_the_archive_is_refused(
        self, stage: Stage, store: ArchivingStore, valkey: Valkey
    ) -> None:
        await store.read(FindLogPosition())
        async with opened_without_archive(valkey, stage.clock) as other:
            with pytest.raises(RuntimeError, match="set WORKROOM_ARCHIVE"):
                await other.store.read(FindLogPosition())

    async def test_a_server_with_another_archive_is_refused_and_moves_nothing(
        self, stage: Stage, store: ArchivingStore, valkey: Valkey, tmp_path: Path
    ) -> None:
        await stage.connect("w1", SMOOTH)
        await store.cancel([await stage.submit(SMOOTH)], "ada", "no")
        async with opened(valkey.url, stage.clock, tmp_path / "other.db") as other:
            with pytest.raises(RuntimeError, match="all its servers share one"):
                await other.store.read(FindLogPosition())
            with pytest.raises(RuntimeError, match="all its servers share one"):
                await other.store.sweep()

        assert len(await _departing(store)) == 1
        assert _archived(tmp_path / "other.db") == set()

    async def test_an_archive_of_another_store_is_refused(
        self, stage: Stage, store: ArchivingStore, valkey: Valkey, path: Path
    ) -> None:
        await store.read(FindLogPosition())
        await store.aclose()
        valkey.empty()
        async with opened(valkey.url, stage.clock, path) as other:
            with pytest.raises(RuntimeError, match="belongs to another store"):
                await other.store.read(FindLogPosition())


async def _lives(stage: Stage) -> list[Query[Any]]:
    """Jobs in every state, with all that a job can have. Gives the questions that show it."""
    store = stage.store
    session = await stage.connect("w1", SMOOTH, slots=4)
    done, broken = (
        await stage.running(session, data=b'{"window":3}'),
        await stage.running(session, user="bob"),
    )
    await store.log("w1", [LogBatch(done.fence, [_line(1), _line(2), _line(3)])])
    await store.append("w1", [Progress(done.fence, b'{"fraction":0.5}')])
    await store.attach(saving(done, "b1"))
    await store.show(showing(done, "b2"))
    await store.post_chat("lab", "ada", "it begins")
    await stage.finish(failed(broken))
    await stage.finish(completed(done))
    await store.post_chat("lab", "ada", "it ends")
    running, _ = await stage.running(session), await stage.assigned(session)
    stopped = await stage.submit(SMOOTH, user="bob")
    await store.cancel([stopped], "ada", "no")
    await stage.submit(SMOOTH)
    await store.annotate([annotating(each) for each in (done.fence.job_id, running.fence.job_id)])
    await stage.catch_up()
    (artifact,) = await store.read(FindArtifacts(done.fence.job_id))
    ids = [done.fence.job_id, broken.fence.job_id, running.fence.job_id, stopped]
    return [
        *(FindJob(each) for each in ids),
        FindJobsById(tuple(ids)),
        FindJobsById(tuple(ids), brief=True),
        FindJobs(brief=True),
        *(FindJobs(unfinished=unfinished) for unfinished in (True, False)),
        FindJobs(user="ada", unfinished=True),
        *(FindJobs(room="lab", annotated=True, limit=limit) for limit in (1, 2)),
        *(JobHistory(each) for each in ids),
        *(JobEvents(each, 3, limit=2) for each in ids),
        *(FindJobs(status=status) for status in JobState),
        *(FindJobs(limit=limit) for limit in (1, 2, 3, 50)),
        FindJobs(worker="w1"),
        FindJobs(user="bob"),
        FindJobs(room="lab", category="analysis", name="Smooth", limit=2),
        FindJobs(room="elsewhere"),
        JobLogs(done.fence.job_id),
        JobLogs(done.fence.job_id, after=1, limit=1),
        RoomEvents("lab", 2, limit=4),
        FindChat("lab"),
        FindChat("lab", limit=1),
        NewChat("lab", 1),
        FindArtifacts(done.fence.job_id),
        FindArtifact(done.fence.job_id, artifact.name),
        FindArtifact(done.fence.job_id, "nothing"),
        FindPreview(done.fence.job_id),
        LastValues("ada", "lab", "analysis", "Smooth"),
        LastValues("bob", "lab", "analysis", "Smooth"),
        ExtensionsOverview(),
    ]


def _line(number: int) -> LogLine:
    return LogLine(number, "2026-01-20T12:00:00Z", Stream.STDOUT, f"line {number}")


async def _pages(store: Store, query: FindJobs) -> list[Any]:
    page = await store.read(query)
    found = list(page.items)
    while page.next_cursor is not None:
        page = await store.read(replace(query, before=page.next_cursor))
        found += page.items
    return found


async def _jobs(store: Store) -> list[Any]:
    return await _pages(store, FindJobs(limit=1000))


async def _departing(store: ArchivingStore) -> list[Any]:
    return await store._departures.find(await store._departures.now_us() + 1, 5000)


def _archived(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {job_id for (job_id,) in connection.execute("SELECT id FROM jobs")}


def _keys(valkey: Valkey) -> list[str]:
    with Redis.from_url(valkey.url, decode_responses=True) as client:
        return list(client.scan_iter(count=1000))


def _card(valkey: Valkey, key: str) -> int:
    with Redis.from_url(valkey.url) as client:
        count: int = client.zcard(key)
        return count


@contextmanager
def _full_disk() -> Iterator[None]:
    """No file of this process may grow."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limit[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
