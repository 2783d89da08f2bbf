"""Steps of the state machine at which the model and the stores could see different rates."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.test_sqlite_machine import SqliteMachine
from support.stores.redis_machine import RedisMachine
from workroom.testing.machine import StoreMachine


@pytest.fixture(params=[SqliteMachine, RedisMachine], ids=["sqlite", "redis"])
def machine(request: pytest.FixtureRequest) -> Iterator[StoreMachine]:
    """A rate is used up: one job of it is assigned, and two wait. Then it opens, and nobody has seen that."""
    machine: StoreMachine = request.param()
    machine.three_workers(slots=1)
    machine.submit("Fetch", "ada", 0, "b", 3)
    machine.claim(["w1"], 1, set(), lost=False, old=False)
    machine.the_store_agrees_with_the_model()
    machine.outage(seconds=300.0, restart=False)
    yield machine
    machine.teardown()


def test_a_submit_for_later_opens_no_rate(machine: StoreMachine) -> None:
    machine.submit("Fetch", "ada", 0, "b", 1, delay=1.0)

    machine.the_store_agrees_with_the_model()


def test_a_submit_that_is_skipped_opens_a_rate(machine: StoreMachine) -> None:
    """It waits for a job that was cancelled, so it is cancelled too."""
    machine.submit("Train", "ada", 0, "b", 1)
    machine.cancel(0)
    machine.submit("Fetch", "ada", 0, "b", 1, after="job")

    machine.the_store_agrees_with_the_model()


def test_a_submit_whose_time_has_come_opens_a_rate(machine: StoreMachine) -> None:
    machine.submit("Fetch", "ada", 0, "b", 1, delay=0.0)

    machine.the_store_agrees_with_the_model()
