"""The memory of an ended job before and after it is archived, and the speed of archiving.

    python benchmarks/archive.py [--jobs 20000] [--data 200] [--result 200] [--lines 3]

A Valkey of its own is started, with appendfsync always; the archive is a SQLite file beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
from pathlib import Path

from uuid_utils import uuid7

from workroom.domain.extension import ExtensionKey, ExtensionSpec, Policy, RunnerKind, canonical, schema_hash
from workroom.domain.job import JobState
from workroom.domain.jobs.logs import LogLine, Stream
from workroom.domain.queries import FindExtension, FindJob, FindJobs
from workroom.domain.room import Room
from workroom.domain.steps import LogBatch, NewJob, Report, Seat, Start
from workroom.domain.worker import Liveness, Session, WorkerSpec
from workroom.stores.archive.sqlite import SqliteArchive
from workroom.stores.redis.archiving.store import ArchivingStore
from workroom.testing.valkey import Valkey

_SCHEMA: dict[str, object] = {"type": "object"}
_BATCH = 500
_READS = 200


def spec() -> ExtensionSpec:
    key = ExtensionKey("bench", "analysis", "Noop")
    return ExtensionSpec(key, canonical(_SCHEMA), schema_hash(_SCHEMA), RunnerKind.REMOTE, "ada", Policy())


async def open_session(store: ArchivingStore) -> Session:
    worker = WorkerSpec("w1", "ada", "w1", RunnerKind.REMOTE, _BATCH, b"{}")
    await store.create_room(Room("bench", "ada"))
    await store.register(worker, [spec()])
    return (await store.open_session("w1", "boot", [], 0)).session


async def run_jobs(store: ArchivingStore, session: Session, count: int, options: argparse.Namespace) -> None:
    extension = await store.read(FindExtension("bench", "analysis", "Noop"))
    assert extension is not None
    data, result = _text(options.data), _text(options.result)
    for _ in range(count // _BATCH):
        hashed = extension.spec.schema_hash
        jobs = [NewJob(str(uuid7()), "bench", extension.id, hashed, "ada", data, 0) for _ in range(_BATCH)]
        await store.submit(jobs)
        held = (await store.claim([Seat(session, _BATCH)]).durable).assignments
        await store.start("w1", [Start(each.fence, "nonce") for each in held])
        lines = [_line(number) for number in range(1, options.lines + 1)]
        if lines:
            await store.log("w1", [LogBatch(each.fence, lines) for each in held])
        await store.finish("w1", [Report(each.fence, JobState.COMPLETED, result=result) for each in held])


async def used_bytes(store: ArchivingStore) -> int:
    await store.client.execute_command("MEMORY PURGE")
    return int((await store.client.info("memory"))["used_memory"])


async def expire_marks(store: ArchivingStore) -> None:
    """Let ten minutes pass."""
    async for key in store.client.scan_iter("{workroom}:moved:*", count=1000):
        await store.client.unlink(key)


async def read_seconds(store: ArchivingStore) -> tuple[float, float]:
    """The time to read a job, and a page of fifty."""
    jobs = (await store.read(FindJobs(limit=_READS))).items
    begun = time.perf_counter()
    for job in jobs:
        await store.read(FindJob(job.id))
    one = (time.perf_counter() - begun) / len(jobs)
    begun = time.perf_counter()
    for _ in range(20):
        await store.read(FindJobs(room="bench", limit=50))
    return one, (time.perf_counter() - begun) / 20


async def measure(folder: Path, valkey: Valkey, options: argparse.Namespace) -> dict[str, float]:
    archive = folder / "archive.db"
    store = ArchivingStore(valkey.url, Liveness(), SqliteArchive(archive), archive_after=0)
    session = await open_session(store)
    await run_jobs(store, session, _BATCH, options)
    await store.archiver.move_all()
    empty = await used_bytes(store)
    count = options.jobs // _BATCH * _BATCH
    await run_jobs(store, session, count, options)
    full = await used_bytes(store)
    read_before, page_before = await read_seconds(store)
    begun = time.perf_counter()
    await store.archiver.move_all()
    seconds = time.perf_counter() - begun
    after = await used_bytes(store)
    await expire_marks(store)
    later = await used_bytes(store)
    read_after, page_after = await read_seconds(store)
    await store.aclose()
    return {
        "jobs": count,
        "bytes_per_job_before": round((full - empty) / count),
        "bytes_per_job_after": round((after - empty) / count),
        "bytes_per_job_ten_minutes_later": round((later - empty) / count),
        "archive_bytes_per_job": round(_size(folder) / count),
        "jobs_moved_per_s": round(count / seconds),
        "read_ms_before": round(read_before * 1000, 2),
        "read_ms_after": round(read_after * 1000, 2),
        "page_ms_before": round(page_before * 1000, 2),
        "page_ms_after": round(page_after * 1000, 2),
        "load_average": round(os.getloadavg()[0], 1),
    }


def _size(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.glob("archive.db*"))


def _text(size: int) -> bytes:
    return b'"' + b"x" * (size - 2) + b'"'


def _line(number: int) -> LogLine:
    return LogLine(number, "2026-01-20T12:00:00Z", Stream.STDOUT, f"this is line {number} of what it prints")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=20_000)
    parser.add_argument("--data", type=int, default=200, help="bytes of values")
    parser.add_argument("--result", type=int, default=200, help="bytes of results")
    parser.add_argument("--lines", type=int, default=3, help="lines that each prints")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="workroom-archive-") as name:
        valkey = Valkey(Path(name) / "valkey")
        valkey.start()
        try:
            print(json.dumps(asyncio.run(measure(Path(name), valkey, options)), indent=2))
        finally:
            valkey.stop()


if __name__ == "__main__":
    main()
