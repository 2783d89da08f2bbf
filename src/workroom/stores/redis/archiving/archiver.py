"""Moves ended jobs to the archive: copies them, waits for the commit there, and then deletes them here.

An interrupted move is repeated; copying a job twice has no effect.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from uuid import uuid4

import structlog

from workroom.domain.jobs.annotation import Annotating, version_of
from workroom.domain.storage.archive import Expired, FindEnding, FindExpired
from workroom.ports import Archive
from workroom.stores.annotations import decode_annotation
from workroom.stores.redis.archiving.departures import DepartingJob, Departures
from workroom.stores.redis.archiving.retention import Retention
from workroom.stores.redis.archiving.snapshots import read_snapshots
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.messages.layouts import ExpiredRow
from workroom.stores.redis.reader import Reader
from workroom.stores.redis.script_queue import ScriptQueue

log = structlog.get_logger()
_BATCH = 64  # a job has up to three megabytes, and one round trip reads the batch
_REMEMBER_SECONDS = 600
_LOCK_SECONDS = 10  # also the pause after a failure


class Archiver:
    def __init__(
        self,
        reader: Reader,
        queue: ScriptQueue,
        departures: Departures,
        archive: Archive,
        ensure_open: Callable[[], Awaitable[str]],
        *,
        after: float,
        retention: Retention,
    ) -> None:
        self._reader = reader
        self._queue = queue
        self._departures = departures
        self._archive = archive
        self._ensure_open = ensure_open
        self._after_us = round(after * 1_000_000)
        self._retention = retention
        self._name = uuid4().hex
        self._is_running = False
        self._is_closing = False
        self._is_failing = False

    def start(self) -> None:
        """Move all ended jobs in the background, unless a move is running."""
        if not self._is_running and not self._is_closing:
            self._is_running = True
            self._queue.track(self._run())

    def close(self) -> None:
        """Stop after the current batch."""
        self._is_closing = True

    async def _run(self) -> None:
        try:
            await self._ensure_open()
            if await self._lock():
                await self.move_all()
                await self.forget_all()
                await self._reader.execute("DEL", scheduling("archiver"))
                self._is_failing = False
        except Exception as error:  # the jobs stay in Redis and the server goes on
            if not self._is_failing and not self._is_closing:
                log.warning(
                    "archive_failed", reason=str(error), outcome="ended jobs stay in Redis until it works"
                )
            self._is_failing = True
        finally:
            self._is_running = False

    async def _lock(self) -> bool:
        """Keep other servers from doing the same work. Two at once would be wasteful but safe."""
        taken = await self._reader.execute(
            "SET", scheduling("archiver"), self._name, "NX", "EX", _LOCK_SECONDS
        )
        return taken is not None

    async def move_all(self) -> None:
        while not self._is_closing and await self.move() == _BATCH:
            pass

    async def move(self) -> int:
        """Move one batch and return its size."""
        ended = await self._departures.find(await self._departures.now_us() - self._after_us + 1, _BATCH)
        return await self.delete(ended, await self.copy(ended)) if ended else 0

    async def copy(self, ended: Sequence[DepartingJob]) -> dict[str, int]:
        """Copy jobs. Return the ids of those that the archive has, with the versions of their annotations."""
        snapshots = await read_snapshots(self._reader, [job.id for job in ended])
        await self._archive.keep(snapshots)
        kept = {each.job.id: version_of(each.job.annotation) for each in snapshots}
        for job in ended:
            if job.id not in kept and await self._archive.read(FindEnding(job.id)) is not None:
                kept[job.id] = await self._copy_annotation(job)
        return kept

    async def _copy_annotation(self, job: DepartingJob) -> int:
        """Copy what people wrote about a job after it was copied. Return the version of that."""
        document = await self._reader.execute("HGET", scheduling("details", job.id), "annotation")
        annotation = decode_annotation(document)
        if annotation is not None:
            await self._archive.annotate([Annotating(job.id, job.room, annotation)])
        return version_of(annotation)

    async def delete(self, ended: Sequence[DepartingJob], kept: Mapping[str, int]) -> int:
        copied = [job for job in ended if job.id in kept]
        await self._departures.clear_rooms(copied)
        arguments: dict[str, object] = {
            "jobs": [job.id for job in copied],
            "versions": [kept[job.id] for job in copied],
            "remember": _REMEMBER_SECONDS,
        }
        return await self._queue.run("move", arguments, int)

    async def forget_all(self) -> None:
        before_us = await self._retention.forget_before_us()
        while not self._is_closing and before_us is not None and await self.forget(before_us) == _BATCH:
            pass

    async def forget(self, before_us: int) -> int:
        """Delete one batch of jobs that ended before this time and return its size."""
        expired = await self._archive.read(FindExpired(before_us, _BATCH))
        if expired:
            arguments: dict[str, object] = {
                "jobs": [_row(job) for job in expired],
                "before": before_us,
                "remember": _REMEMBER_SECONDS,
            }
            await self._queue.run("forget_moved", arguments, lambda _: None)
            await self._archive.forget([job.id for job in expired])
        return len(expired)


def _row(job: Expired) -> ExpiredRow:
    return ExpiredRow(
        job.id, job.extension_id, str(job.status), job.retry_of or False, job.blobs, job.group or False
    )
