"""A real Valkey, started once for each file, and a bad way to it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from support.stores.lossy_link import LossyLink
from workroom.testing.valkey import Valkey


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    server = Valkey(tmp_path_factory.mktemp("valkey"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def link(valkey: Valkey, tmp_path: Path) -> AsyncIterator[LossyLink]:
    """A way to Valkey that loses what it is told to lose."""
    valkey.empty()
    link = LossyLink(Path(valkey.url.removeprefix("unix://")), tmp_path / "lossy.sock")
    await link.open()
    yield link
    await link.close()
