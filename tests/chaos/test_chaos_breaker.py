"""Jobs that always fail, among many that do not: the circuit breaker does not starve the healthy."""

from __future__ import annotations

import random
from datetime import datetime

import pytest

from support.chaos.stage import PATIENCE
from support.extensions.poison import Brew
from workroom import JobHandle, Room
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import ServerProcess, eventually
from workroom.testing.valkey import Valkey

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

BREW = "support.extensions.poison:Brew"
JOBS, POISONED = 1000, 20


@pytest.fixture(params=["sqlite", "valkey"])
def server(request: pytest.FixtureRequest, start_server: StartServer) -> ServerProcess:
    if request.param == "sqlite":
        return start_server(sweep=0.2)
    valkey: Valkey = request.getfixturevalue("valkey")
    return start_server(sweep=0.2, store=valkey.url)


def test_twenty_jobs_that_always_fail_delay_a_thousand_by_less_than_their_own_time(
    server: ServerProcess, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    """They are retried on errors, so that each of them fails several times meanwhile."""
    for _ in range(2):
        start_worker(server, BREW, slots=2)
    room = open_room(server)
    undisturbed = _seconds(_ended([*room.submit_many([Brew()] * JOBS)]))
    poisoned = set(random.Random(17).sample(range(JOBS), POISONED))
    jobs = room.submit_many([Brew(poisoned=number in poisoned) for number in range(JOBS)])
    healthy = [job for number, job in enumerate(jobs) if number not in poisoned]
    disturbed = _seconds(_ended(healthy))
    undisturbed = max(undisturbed, _seconds(_ended([*room.submit_many([Brew()] * JOBS)])))

    print(f"{undisturbed:.2f} s undisturbed, {disturbed:.2f} s beside {POISONED} that fail")
    assert {job.status for job in healthy} == {"completed"}
    assert disturbed < 2 * undisturbed
    eventually(lambda: _has_retried(room, [jobs[number].id for number in poisoned]), PATIENCE, "retries")


def _ended(jobs: list[JobHandle]) -> list[JobHandle]:
    for job in jobs:
        assert job.result(timeout=PATIENCE) == "brewed"
    return jobs


def _has_retried(room: Room, poisoned: list[str]) -> bool:
    return all(room.job(each).refresh()["tries"] > 1 for each in poisoned)


def _seconds(jobs: list[JobHandle]) -> float:
    """From the first submit to the last end, by the times of the store."""
    documents = [job.refresh() for job in jobs]
    begin = min(datetime.fromisoformat(each["created_at"]) for each in documents)
    end = max(datetime.fromisoformat(each["completed_at"]) for each in documents)
    return (end - begin).total_seconds()
