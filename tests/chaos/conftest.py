"""The seed, and a stage for each scenario."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.chaos.replica_stage import ReplicaStage
from support.chaos.stage import Stage
from workroom.testing.valkey import Valkey

SEED = int(os.environ.get("CHAOS_SEED", "1"))


@pytest.fixture
def stage(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stage]:
    with Stage(tmp_path, _seed(request)) as stage:
        yield stage


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    valkey = Valkey(tmp_path / "valkey")
    valkey.start()
    yield valkey
    valkey.stop()


@pytest.fixture
def replicas(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ReplicaStage]:
    with ReplicaStage(tmp_path, _seed(request)) as stage:
        yield stage


def _seed(request: pytest.FixtureRequest) -> int:
    """Each scenario has a seed of its own, so that it plays alike alone and among others."""
    return SEED ^ zlib.crc32(request.node.name.encode())


def pytest_report_header() -> str:
    return f"chaos seed: CHAOS_SEED={SEED}"
