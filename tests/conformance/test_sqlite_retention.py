"""What is forgotten, if anything is to be forgotten at all."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from workroom.domain.job import JobState
from workroom.domain.jobs.logs import LogLine, Stream
from workroom.domain.queries import (
    FindArtifacts,
    FindChat,
    FindJob,
    FindJobs,
    FindOrphanedBlobs,
    FindPreview,
    JobHistory,
)
from workroom.domain.steps import Idempotency, LogBatch, Progress
from workroom.errors import JobNotFound
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage, extension
from workroom.testing.conformance.records.annotations import annotating
from workroom.testing.conformance.records.files import saving, showing
from workroom.testing.conformance.stage import Conformance, cancelled, completed, failed, held

SMOOTH = extension("Smooth")
DAYS = 0.5
RETENTION = DAYS * 86_400
_SWEEPS = 40
DAY = 86_400.0


class TestRetention(Conformance):
    @pytest.fixture
    async def store(self, tmp_path: Path, clock: FakeClock) -> AsyncIterator[SqliteStore]:
        store = SqliteStore(tmp_path / "workroom.db", LIVENESS, clock=clock, retention_days=DAYS)
        yield store
        await store.aclose()

    async def test_a_job_is_forgotten_so_long_after_its_end(
        self, stage: Stage, store: SqliteStore, tmp_path: Path
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        done, broken = await stage.running(session), await stage.running(session)
        await store.append("w1", [Progress(done.fence, b'{"fraction":0.5}')])
        await store.log(
            "w1", [LogBatch(done.fence, [LogLine(1, "2026-01-20T12:00:00Z", Stream.STDOUT, "hi")])]
        )
        await stage.finish(completed(done))
        await stage.finish(failed(broken))
        await store.annotate([annotating(done.fence.job_id)])
        last = await stage.submit(SMOOTH)

        await _wait(stage, RETENTION)
        assert await _known(store) == {last, done.fence.job_id, broken.fence.job_id}
        await _wait(stage, 1)
        assert await _known(store) == {last}
        assert await store.read(JobHistory(done.fence.job_id)) == []
        assert _count(tmp_path, "logs") == _count(tmp_path, "log_heads") == 0
        assert _count(tmp_path, "annotations") == 0
        assert (await store.read(FindChat("lab"))).items == []
        assert await stage.refusal(store.finish("w1", [completed(done)])) is JobNotFound

    async def test_the_blobs_of_a_forgotten_job_are_orphaned(self, stage: Stage, store: SqliteStore) -> None:
        done = await stage.running(await stage.connect("w1", SMOOTH))
        await store.attach(saving(done, "b1"))
        await store.show(showing(done, "b2"))
        await stage.finish(completed(done))
        await stage.submit(SMOOTH)
        await _wait(stage, RETENTION)
        assert await store.read(FindOrphanedBlobs()) == []
        await _wait(stage, 1)

        assert await store.read(FindOrphanedBlobs()) == ["b1", "b2"]
        assert await store.read(FindArtifacts(done.fence.job_id)) == []
        assert await store.read(FindPreview(done.fence.job_id)) is None

    async def test_a_job_that_has_not_ended_is_never_forgotten(
        self, stage: Stage, store: SqliteStore
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        running, assigned = await stage.running(session), await stage.assigned(session)
        waiting = await stage.submit(SMOOTH)
        stage.clock.advance(100 * DAY)
        await store.renew(session, [held(running), held(assigned)], assigned.number)
        await store.sweep()

        assert await _known(store) == {running.fence.job_id, assigned.fence.job_id, waiting}
        await stage.finish(completed(running))

    async def test_a_job_that_takes_up_a_worker_is_not_forgotten(
        self, stage: Stage, store: SqliteStore
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        running = await stage.running(session)
        await store.cancel([running.fence.job_id], "ada", "no")
        last = await stage.submit(SMOOTH)
        await _wait(stage, 2 * RETENTION)
        assert await stage.load("w1") == (0, 1)

        await stage.finish(cancelled(running))
        assert await stage.load("w1") == (0, 0)
        await stage.submit(SMOOTH)
        await _wait(stage, 0)
        assert running.fence.job_id not in await _known(store)
        assert last in await _known(store)

    async def test_no_number_comes_again(self, stage: Stage, store: SqliteStore) -> None:
        session = await stage.connect("w1", SMOOTH)
        first, second = [await stage.running(session) for _ in range(2)]
        for assignment in (second, first):
            await stage.finish(completed(assignment))
        before = [await stage.job(each.fence.job_id) for each in (first, second)]
        (*_, moved) = await store.read(JobHistory(first.fence.job_id))
        await _wait(stage, 2 * RETENTION)
        new = await stage.submit(SMOOTH)
        (begun,) = await store.read(JobHistory(new))

        assert (await stage.job(new)).sequence > max(job.sequence for job in before)
        assert begun.sequence > moved.sequence

    async def test_a_clock_that_jumps_ahead_deletes_nothing_until_it_is_steady(
        self, stage: Stage, store: SqliteStore
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        done = await stage.running(session)
        await stage.finish(completed(done))
        last = await stage.submit(SMOOTH)
        known = {done.fence.job_id, last}
        await _wait(stage, RETENTION / 2)
        for jump in (365 * 86_400, -365 * 86_400):
            stage.clock.jump(jump)
            await _wait(stage, RETENTION / 11)
            assert await _known(store) == known
        stage.clock.jump(365 * 86_400)
        await _wait(stage, RETENTION / 5)

        assert await _known(store) == {last}

    async def test_a_submit_that_is_sent_again_after_its_job_was_forgotten_is_a_new_job(
        self, stage: Stage, store: SqliteStore
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        new = replace(await stage.new_job(SMOOTH), idempotency=Idempotency("POST", "key", "body"))
        await store.submit([new])
        (assignment,) = await stage.claim(session)
        await stage.start(assignment)
        await stage.finish(completed(assignment))
        await stage.submit(SMOOTH)
        await _wait(stage, RETENTION + 1)
        again = replace(new, id="another")

        assert (await store.submit([again])).known == {}
        assert await store.read(FindJob(new.id)) is None
        assert (await stage.job("another")).status is JobState.PENDING

    async def test_of_very_many_all_are_forgotten_in_the_end(self, stage: Stage, store: SqliteStore) -> None:
        await stage.connect("w1", SMOOTH)
        jobs = await stage.submit_many(1200, SMOOTH)
        await store.cancel(jobs, "ada", "no")
        last = await stage.submit(SMOOTH)
        for _ in range(4):
            await _wait(stage, RETENTION)

        assert await _known(store) == {last}


class TestWithoutRetention(Conformance):
    @pytest.fixture
    async def store(self, tmp_path: Path, clock: FakeClock) -> AsyncIterator[SqliteStore]:
        store = SqliteStore(tmp_path / "workroom.db", LIVENESS, clock=clock)
        yield store
        await store.aclose()

    async def test_everything_is_kept_for_ever(self, stage: Stage, store: SqliteStore) -> None:
        done = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.finish(completed(done))
        last = await stage.submit(SMOOTH)
        await _wait(stage, 10_000 * DAY)

        assert await _known(store) == {done.fence.job_id, last}


def _count(folder: Path, table: str) -> int:
    with closing(sqlite3.connect(folder / "workroom.db")) as connection:
        count: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return count


async def _known(store: SqliteStore) -> set[str]:
    return {job.id for job in (await store.read(FindJobs(limit=10_000))).items}


async def _wait(stage: Stage, seconds: float) -> None:
    """Let time pass, with sweeps: history is not deleted by a clock that jumps."""
    for _ in range(_SWEEPS):
        stage.clock.advance(seconds / _SWEEPS)
        await stage.store.sweep()
