"""A store on Valkey with an archive, for the conformance suites."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from workroom.domain.queries import Query
from workroom.domain.steps import Report, Step
from workroom.domain.worker import Liveness
from workroom.stores.archive.sqlite import SqliteArchive
from workroom.stores.redis.archiving.store import ArchivingStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage
from workroom.testing.conformance.stage import Conformance, Reopen
from workroom.testing.valkey import Valkey

T = TypeVar("T")


class EagerStore(ArchivingStore):
    """Moves jobs as soon as they end, so that reads reach the archive."""

    def finish(self, worker: str, reports: Sequence[Report]) -> Awaitable[Step]:
        return self._queue.track(self._move_after(super().finish(worker, reports)))

    def cancel(self, job_ids: Sequence[str], actor: str, reason: str) -> Awaitable[Step]:
        return self._queue.track(self._move_after(super().cancel(job_ids, actor, reason)))

    def sweep(self) -> Awaitable[Step]:
        return self._queue.track(self._forget_after(super().sweep()))

    async def _forget_after(self, verb: Awaitable[Step]) -> Step:
        step = await self._move_after(verb)
        await self.archiver.forget_all()
        return step

    async def _read(self, query: Query[T]) -> T:
        await self._ensure_open()
        await self.archiver.move_all()
        return await super()._read(query)

    async def _move_after(self, verb: Awaitable[Step]) -> Step:
        step = await verb
        await self.archiver.move_all()
        return step


class ArchiveConformance(Conformance):
    days: float | None = None
    after: float = 0
    kind: type[ArchivingStore] = ArchivingStore

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return tmp_path / "archive.db"

    @pytest.fixture
    async def store(
        self, valkey: Valkey, clock: FakeClock, liveness: Liveness, path: Path
    ) -> AsyncIterator[ArchivingStore]:
        valkey.empty()
        store = opened_store(
            valkey.url, clock, path, kind=self.kind, after=self.after, days=self.days, liveness=liveness
        )
        yield store
        await store.aclose()

    @pytest.fixture
    def reopen(self, valkey: Valkey, clock: FakeClock, path: Path) -> Reopen:
        return lambda: opened(valkey.url, clock, path, kind=self.kind)


def opened_store(
    url: str,
    clock: FakeClock,
    path: Path,
    *,
    kind: type[ArchivingStore] = ArchivingStore,
    after: float = 0,
    days: float | None = None,
    liveness: Liveness = LIVENESS,
) -> ArchivingStore:
    archive = SqliteArchive(path)
    return kind(url, liveness, archive, archive_after=after, clock=clock, retention_days=days)


@asynccontextmanager
async def opened(
    url: str, clock: FakeClock, path: Path, *, kind: type[ArchivingStore] = ArchivingStore
) -> AsyncIterator[Stage]:
    store = opened_store(url, clock, path, kind=kind)
    try:
        yield Stage(store, clock)
    finally:
        await store.aclose()
