"""Puppets for end-to-end tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from puppet import MakePuppet, Puppet
from workroom.testing.processes import ServerProcess


@pytest.fixture
def make_puppet() -> Iterator[MakePuppet]:
    with ExitStack() as stack:

        def make(server: ServerProcess, **options: Any) -> Puppet:
            puppet = Puppet(server.url, **options)
            stack.callback(puppet.close)
            puppet.hello()
            return puppet

        yield make
