"""A database file that is in use, exchanged, damaged or not ours."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from workroom.domain.queries import FindJobs, FindLogPosition
from workroom.errors import StartRefused, StoreDamaged, StoreReplaced
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage
from workroom.testing.conformance.stage import SMOOTH, furnished


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "workroom.db"


@pytest.fixture
async def stage(path: Path) -> AsyncIterator[Stage]:
    """A store with a job in it."""
    clock = FakeClock()
    stage = Stage(SqliteStore(path, LIVENESS, clock=clock), clock)
    await (await furnished(stage)).connect("w1", SMOOTH)
    await stage.submit(SMOOTH)
    yield stage
    await stage.store.aclose()


async def test_a_file_belongs_to_one_store_at_a_time(stage: Stage, path: Path, tmp_path: Path) -> None:
    other_way = tmp_path / "link.db"
    other_way.symlink_to(path)
    for same in (path, other_way):
        with pytest.raises(StartRefused, match="another server uses it: stop that one"):
            SqliteStore(same, LIVENESS)
    await stage.store.aclose()

    await SqliteStore(path, LIVENESS).aclose()


async def test_an_empty_file_in_the_place_of_the_database_is_noticed(stage: Stage, path: Path) -> None:
    epoch = (await stage.store.read(FindLogPosition())).epoch
    await stage.store.aclose()
    await SqliteStore(path, LIVENESS, epoch=epoch).aclose()
    _exchange(path)

    with pytest.raises(StoreReplaced):
        SqliteStore(path, LIVENESS, epoch=epoch)


@pytest.mark.parametrize("fault", ["deleted", "exchanged"])
async def test_a_file_that_is_exchanged_while_it_is_used_is_not_written_to(
    stage: Stage, path: Path, fault: str
) -> None:
    """SQLite would go on writing to the old file, which nobody finds again."""
    await stage.store.probe()
    _exchange(path, path.with_name("copy.db") if fault == "exchanged" else None)
    with pytest.raises(StoreReplaced, match="put the file back"):
        await stage.store.sweep()

    for refused in (stage.store.probe(), stage.store.sweep(), stage.submit(SMOOTH)):
        with pytest.raises(StoreReplaced):
            await refused


async def test_damage_that_is_found_while_running_stops_the_store(stage: Stage, path: Path) -> None:
    await stage.store.aclose()
    _damage(path, "jobs")
    store = SqliteStore(path, LIVENESS)
    await store.probe()
    with pytest.raises(StoreDamaged, match="restore a backup"):
        await store.read(FindJobs())
    with pytest.raises(StoreDamaged):
        await store.probe()
    await store.aclose()


async def test_damage_that_a_step_finds_stops_the_store(stage: Stage, path: Path) -> None:
    job = await stage.new_job(SMOOTH)
    await stage.store.aclose()
    _damage(path, "jobs")
    store = SqliteStore(path, LIVENESS)
    with pytest.raises(StoreDamaged, match="restore a backup"):
        await store.submit([job])
    with pytest.raises(StoreDamaged):
        await store.probe()
    await store.aclose()


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("PRAGMA user_version = 99", r"made by a newer Workroom; this one knows \d+: install that one"),
        ("PRAGMA user_version = 1", r"made by an older Workroom; this one knows \d+: use another file"),
        ("PRAGMA application_id = 7", "a database of another program: use another file"),
    ],
)
async def test_a_database_of_something_else_is_refused(
    stage: Stage, path: Path, statement: str, reason: str
) -> None:
    await stage.store.aclose()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)

    with pytest.raises(StartRefused, match=f"cannot use {path} as the database: it .*{reason}"):
        SqliteStore(path, LIVENESS)


def test_a_foreign_database_is_not_touched(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE diary (day TEXT)")
    before = path.read_bytes()
    with pytest.raises(StartRefused, match="another program"):
        SqliteStore(path, LIVENESS)

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("diary",)]
    assert len(path.read_bytes()) == len(before)


def _exchange(path: Path, copy: Path | None = None) -> None:
    """Delete the file, or put a copy into its place."""
    if copy is None:
        path.unlink()
    else:
        shutil.copy(path, copy)
        copy.replace(path)


def _damage(path: Path, table: str) -> None:
    """Overwrite the root page of a table."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        find = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        page: Any = connection.execute(find, (table,)).fetchone()[0]
        size: Any = connection.execute("PRAGMA page_size").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
