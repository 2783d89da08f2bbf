"""What the server remembers of extensions and connections has a limit, or ends with them."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Iterator
from typing import Any, cast

import pytest

from support.dispatch_harness import DispatchHarness
from workroom.domain.extension import Extension, ExtensionSpec
from workroom.domain.identity import Principal, Role
from workroom.domain.job import Fence
from workroom.domain.queries import FindExtension
from workroom.domain.rules.estimates import Sample
from workroom.server.sockets.connections import Connections
from workroom.services.identity.tokens import Tokens
from workroom.services.jobs.catalog import Catalog
from workroom.services.workers.run_times import MAX_EXTENSIONS, Ends, RunTimes
from workroom.testing.conformance import extension

KB, MB = 1000, 1_000_000


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def memory() -> int:
    return tracemalloc.get_traced_memory()[0]


class Library:
    """A store that reads the schema of an extension anew for each room."""

    async def read(self, query: FindExtension) -> Extension:
        spec = extension("Smooth")
        large = ExtensionSpec(spec.key, bytes(100 * KB), spec.schema_hash, spec.runner, spec.owner)
        return Extension(1, large)


@pytest.mark.usefixtures("traced")
async def test_a_public_extension_used_in_a_thousand_rooms_is_not_known_a_thousand_times() -> None:
    catalog = Catalog(cast("Any", Library()))
    before = memory()
    for number in range(1000):
        await catalog.find(f"room-{number}", "analysis", "Smooth")

    assert catalog.cached("room-999", "analysis", "Smooth") is not None
    assert memory() - before < 20 * MB
    catalog.forget([extension("Smooth").key])
    assert memory() - before < 200 * KB


def test_the_run_times_of_the_first_extensions_are_forgotten_after_many_others() -> None:
    run_times = RunTimes()
    for number in range(MAX_EXTENSIONS + 5):
        run_times.learn(number, Ends(count=1, longest_ms=10.0), Sample(10.0, 10.0, 1))

    known = [number for number in range(MAX_EXTENSIONS + 5) if run_times.mean_ms(number) is not None]
    assert known == list(range(5, MAX_EXTENSIONS + 5))


@pytest.mark.usefixtures("traced")
async def test_arrivals_of_many_extensions_are_forgotten(harness: DispatchHarness) -> None:
    for number in range(MAX_EXTENSIONS):
        harness.dispatcher.jobs_arrived({number: 1})
    before = memory()
    for number in range(MAX_EXTENSIONS, 3 * MAX_EXTENSIONS):
        harness.dispatcher.jobs_arrived({number: 1})

    assert memory() - before < MB


@pytest.mark.usefixtures("traced")
async def test_nothing_is_left_of_connections_that_are_closed() -> None:
    connections = Connections(Tokens(b"x" * 32, 1), 10)
    before = memory()
    for number in range(5000):
        job = Principal("ada", Role.JOB, job=Fence(f"job-{number}", 1, "token"))
        connections.remove(connections.add(job, lambda: None, is_counted=bool(number % 2)))
    await asyncio.sleep(0)  # the loop drops cancelled timers

    assert memory() - before < 200 * KB
