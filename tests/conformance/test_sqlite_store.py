"""The embedded store passes the suite, and keeps what only a file and group commit can promise."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from workroom.domain.job import JobState
from workroom.domain.queries import (
    FindJob,
    FindJobs,
)
from workroom.domain.steps import Step
from workroom.domain.worker import Liveness
from workroom.errors import SchemaConflict, StoreUnavailable
from workroom.stores import open_store
from workroom.stores.sqlite import migrations
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage, StoreConformance, extension
from workroom.testing.conformance.records.restart import fill
from workroom.testing.conformance.stage import Conformance, Reopen

SMOOTH = extension("Smooth")


class SqliteConformance(Conformance):
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return tmp_path / "data" / "workroom.db"

    @pytest.fixture
    async def store(self, path: Path, clock: FakeClock, liveness: Liveness) -> AsyncIterator[SqliteStore]:
        store = SqliteStore(path, liveness, clock=clock)
        yield store
        await store.aclose()

    @pytest.fixture
    def reopen(self, path: Path, clock: FakeClock) -> Reopen:
        return lambda: _opened(path, clock)


class TestSqliteStore(SqliteConformance, StoreConformance):
    """The suite that every store passes."""


class TestSqliteFile(SqliteConformance):
    async def test_what_was_answered_survives_a_crash(self, stage: Stage, path: Path) -> None:
        questions = await fill(stage)
        before = [await stage.store.read(question) for question in questions]
        snapshot = shutil.copytree(path.parent, path.parent.with_name("crashed"))

        async with _opened(snapshot / path.name, stage.clock) as again:
            assert [await again.store.read(question) for question in questions] == before

    async def test_a_url_names_the_file(self, tmp_path: Path) -> None:
        store = open_store(f"sqlite:///{tmp_path}/new/folder/here.db", LIVENESS)
        await store.aclose()
        assert (tmp_path / "new/folder/here.db").is_file()

        for wrong in ("postgres://localhost", "redis://", "sqlite://", "sqlite:///", "here.db"):
            with pytest.raises(ValueError, match="unknown store"):
                open_store(wrong, LIVENESS)


class TestOverview(SqliteConformance):
    @pytest.mark.parametrize("statement", ["ended_usage", "assigned_usage", "last_unfinished"])
    async def test_no_ended_job_is_scanned(self, store: SqliteStore, path: Path, statement: str) -> None:
        with closing(sqlite3.connect(path)) as connection:
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {SQL[statement]}")]

        scans = [step for step in plan if step.startswith("SCAN") and "USING INDEX" not in step]
        assert set(scans) <= {"SCAN u", "SCAN a", "SCAN attempts", "SCAN unfinished"}


class TestGroupCommit(SqliteConformance):
    async def test_a_single_submit_is_one_commit(self, stage: Stage, store: SqliteStore) -> None:
        await stage.register("w1", SMOOTH)
        before = store.commits
        await stage.submit(SMOOTH)

        assert store.commits == before + 1

    async def test_a_thousand_submits_at_once_share_their_commits(
        self, stage: Stage, store: SqliteStore
    ) -> None:
        await stage.register("w1", SMOOTH)
        jobs = [await stage.new_job(SMOOTH) for _ in range(1000)]
        before = store.commits
        steps = await asyncio.gather(*(store.submit([job]) for job in jobs))

        assert all(step.answers == [None] for step in steps)
        assert store.commits - before <= 100
        assert (await stage.job(jobs[-1].id)).queue_position == 999

    async def test_what_changes_nothing_costs_no_commit(self, stage: Stage, store: SqliteStore) -> None:
        session = await stage.connect("w1", SMOOTH)
        before = store.commits
        await store.read(FindJobs())
        await store.renew(session, (), 0)
        await store.sweep()
        await stage.claim(session)

        assert store.commits == before

    async def test_a_step_that_fails_undoes_itself_and_no_other(
        self, stage: Stage, store: SqliteStore
    ) -> None:
        await stage.register("w1", SMOOTH)
        paint, wider = extension("Paint"), extension("Smooth", field="width")
        many = [await stage.new_job(SMOOTH) for _ in range(300)]
        before, after = await stage.new_job(SMOOTH), await stage.new_job(SMOOTH)
        busy = store.submit(many)  # while it runs the others gather, and go to disk together
        together = asyncio.gather(
            store.submit([before]),
            stage.register("w2", paint, wider),
            store.submit([after]),
            return_exceptions=True,
        )
        await busy
        first, refused, last = await together

        assert isinstance(first, Step)
        assert isinstance(refused, SchemaConflict)
        assert isinstance(last, Step)
        assert [(await stage.job(job.id)).status for job in (before, after)] == [JobState.PENDING] * 2
        assert not await stage.is_offered(paint)

    async def test_what_cannot_be_kept_is_refused_and_may_be_tried_again(
        self, stage: Stage, store: SqliteStore, path: Path
    ) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        _alter(path, "ALTER TABLE forms RENAME TO broken")
        with pytest.raises(StoreUnavailable):
            await store.submit([job])
        _alter(path, "ALTER TABLE broken RENAME TO forms")

        assert await store.read(FindJob(job.id)) is None
        assert (await store.submit([job])).answers == [None]

    async def test_a_worker_whose_end_could_not_be_kept_is_lost_by_the_next_sweep(
        self, stage: Stage, store: SqliteStore, path: Path
    ) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.wait(LIVENESS.lease - 1)
        stage.clock.advance(1)
        _alter(path, "ALTER TABLE outcomes RENAME TO broken")
        with pytest.raises(StoreUnavailable):
            await store.sweep()
        _alter(path, "ALTER TABLE broken RENAME TO outcomes")

        assert (await store.sweep()).offline == ["w1"]
        assert await stage.status(running) is JobState.FAILED

    async def test_a_worker_whose_goodbye_could_not_be_kept_is_lost_with_its_lease(
        self, stage: Stage, store: SqliteStore, path: Path
    ) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        _alter(path, "ALTER TABLE transitions RENAME TO broken")
        with pytest.raises(StoreUnavailable):
            await store.close_session("w1", "goodbye")
        _alter(path, "ALTER TABLE broken RENAME TO transitions")

        assert (await stage.wait(LIVENESS.lease)).offline == ["w1"]
        assert await stage.status(running) is JobState.FAILED


class TestMigrations(SqliteConformance):
    async def test_a_new_file_is_of_the_newest_version(self, store: SqliteStore, path: Path) -> None:
        newest = migrations.FIRST - 1 + len(list(Path(migrations.__file__).parent.glob("*.sql")))

        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (newest,)

    async def test_a_file_of_a_newer_version_is_refused(
        self, store: SqliteStore, path: Path, clock: FakeClock
    ) -> None:
        await store.aclose()
        _alter(path, "PRAGMA user_version = 99")

        with pytest.raises(RuntimeError, match="version 99, made by a newer Workroom"):
            SqliteStore(path, LIVENESS, clock=clock)


@asynccontextmanager
async def _opened(path: Path, clock: FakeClock) -> AsyncIterator[Stage]:
    store = SqliteStore(path, LIVENESS, clock=clock)
    try:
        yield Stage(store, clock)
    finally:
        await store.aclose()


def _alter(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
