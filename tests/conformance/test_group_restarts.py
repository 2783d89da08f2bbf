"""A group of a thousand jobs with a collector: the store is restarted behind every step."""

from __future__ import annotations

import pytest

from conformance.test_sqlite_store import SqliteConformance
from support.stores.redis import RedisConformance
from workroom.testing.conformance.groups.restarts import GroupRestartConformance

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]


class TestThousandOnSqlite(SqliteConformance, GroupRestartConformance):
    group_size = 1000


class TestThousandOnValkey(RedisConformance, GroupRestartConformance):
    group_size = 1000
