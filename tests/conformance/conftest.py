"""A real Valkey, started once for each file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workroom.testing.valkey import Valkey


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    server = Valkey(tmp_path_factory.mktemp("valkey"))
    server.start()
    yield server
    server.stop()
