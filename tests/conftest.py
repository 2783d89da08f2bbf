"""Shared by all tests."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from puppet import MakePuppet, Puppet
from workroom.testing.processes import ServerProcess

os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
)
os.environ["WORKROOM_STATE_DIR"] = tempfile.mkdtemp(prefix="workroom-state-")


@pytest.fixture
def make_puppet() -> Iterator[MakePuppet]:
    """Workers that do what the test says, and nothing else."""
    with ExitStack() as stack:

        def make(server: ServerProcess, **options: Any) -> Puppet:
            puppet = Puppet(server.url, **options)
            stack.callback(puppet.close)
            puppet.hello()
            return puppet

        yield make
