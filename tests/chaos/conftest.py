"""The seed, and a stage for each scenario."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaos.stage import Stage

SEED = int(os.environ.get("CHAOS_SEED", "1"))


@pytest.fixture
def stage(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stage]:
    """Each scenario has a seed of its own, so that it plays alike alone and among others."""
    with Stage(tmp_path, SEED ^ zlib.crc32(request.node.name.encode())) as stage:
        yield stage


def pytest_report_header() -> str:
    return f"chaos seed: CHAOS_SEED={SEED}"
