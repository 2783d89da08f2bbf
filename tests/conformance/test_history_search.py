"""A room's history is searched alike on SQLite, on Valkey, and on Valkey with an archive."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.stores.archive import ArchiveConformance
from support.stores.redis import RedisConformance
from support.stores.search import SearchConformance
from workroom.domain.worker import Liveness
from workroom.ports import Store
from workroom.stores.redis.archiving.store import ArchivingStore
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.conformance import FakeClock


class TestOnSqlite(SearchConformance):
    @pytest.fixture
    async def store(self, tmp_path: Path, clock: FakeClock, liveness: Liveness) -> AsyncIterator[SqliteStore]:
        store = SqliteStore(tmp_path / "workroom.db", liveness, clock=clock)
        yield store
        await store.aclose()


class TestOnRedis(RedisConformance, SearchConformance):
    pass


class TestOnAnArchive(ArchiveConformance, SearchConformance):
    async def after_history(self, store: Store) -> None:
        assert isinstance(store, ArchivingStore)
        await store.archiver.move_all()
