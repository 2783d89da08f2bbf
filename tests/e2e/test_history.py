"""The server's memory depends on what is unfinished and connected, not on what was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from redis import Redis

from support.bulk_worker import BulkWorker
from support.raw_connections import memory_of
from support.users import LoopThread, Person
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import ADMIN_PASSWORD, UNLIMITED, ServerProcess, eventually
from workroom.testing.valkey import Valkey

MB = 1_000_000
WARM_UP = 6000  # jobs, after which the caches of the database are nearly full
MILLION = 1_000_000
ARCHIVED = 300_000  # fewer: jobs end three times as fast as they are archived, and wait in Valkey until then


@pytest.fixture
def server(store: str, start_server: StartServer, tmp_path: Path) -> Iterator[ServerProcess]:
    """Sweeps drop what is known of attempts that have ended. The worker sends no heartbeats."""
    settings = {"sweep": 1, "lease": 7200, "submit_rate": UNLIMITED}
    if store == "sqlite":
        yield start_server(**settings)
        return
    valkey = Valkey(tmp_path / "valkey")
    valkey.start()
    if store == "archive":
        settings |= {"archive": f"sqlite:///{tmp_path / 'archive.db'}", "archive_after": 0}
    server = start_server(**settings, store=valkey.url)
    yield server
    server.close()
    with Redis.from_url(valkey.url) as client:
        memory, keys = client.info("memory")["used_memory"], client.dbsize()
    print(f"Valkey: {memory / MB:.0f} MB in {keys:,} keys")
    valkey.stop()


@pytest.fixture
def worker(server: ServerProcess) -> Iterator[BulkWorker]:
    with ExitStack() as stack:
        loop = stack.enter_context(closing(LoopThread()))
        person = stack.enter_context(closing(Person(loop, server.url, "admin", ADMIN_PASSWORD)))
        yield stack.enter_context(closing(BulkWorker(person)))


def log_size(server: ServerProcess) -> int:
    """The size of the write-ahead log of SQLite."""
    return sum(path.stat().st_size for path in Path(server.data_dir).glob("*.db-wal"))


@pytest.mark.parametrize(
    ("store", "jobs", "growth"),
    [
        ("sqlite", 12_000, 10 * MB),
        ("valkey", 12_000, 10 * MB),
        ("archive", 12_000, 10 * MB),
        pytest.param("sqlite", MILLION, 30 * MB, marks=[pytest.mark.full, pytest.mark.timeout(3600)]),
        pytest.param("archive", ARCHIVED, 20 * MB, marks=[pytest.mark.full, pytest.mark.timeout(3600)]),
    ],
)
def test_memory_does_not_grow_with_the_jobs_that_have_ended(
    server: ServerProcess, worker: BulkWorker, jobs: int, growth: int
) -> None:
    worker.run(WARM_UP)
    before, longest = memory_of(server), 0
    for _ in range(0, jobs, WARM_UP):
        worker.run(WARM_UP)
        longest = max(longest, log_size(server))
    grown = memory_of(server) - before
    print(f"{jobs:,} jobs: grown by {grown / MB:.1f} MB, log of at most {longest / MB:.0f} MB")

    assert grown < growth
    assert longest < 50 * MB
    eventually(lambda: log_size(server) < 4 * MB, 30, "a log that is truncated while idle")
