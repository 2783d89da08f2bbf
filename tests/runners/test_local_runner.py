"""Processes that the server starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from support.runners.celery_fleet import EXTENSIONS, HASTE
from support.runners.parity import RunnerParity
from workroom.testing.processes import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("local"), *EXTENSIONS, workers=2, **HASTE) as server:
        yield server


class TestLocalRunner(RunnerParity):
    runner: ClassVar[str] = "local"
