"""Servers that share a store share its rates."""

from __future__ import annotations

from datetime import timedelta

from replicas.conftest import StartReplica
from support.extensions.samples import Metered
from support.job_waits import ended_job
from support.rates import most_in
from workroom.testing.fixtures import OpenRoom, StartWorker

METERED = "support.extensions.samples:Metered"


def test_two_servers_with_four_workers_start_no_more_in_any_second_than_the_rate(
    start_replica: StartReplica, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    """Neither server sweeps by itself while the test runs."""
    servers = [start_replica(name, sweep=60.0) for name in "ab"]
    rooms = [open_room(server) for server in servers]
    for server in servers * 2:
        start_worker(server, METERED, slots=2)
    slow = [job for room in rooms for job in room.submit_many([Metered()] * 22)]
    other = rooms[1].submit_many([Metered(provider="other")] * 22)
    for job in [*slow, *other]:
        ended_job(job)

    assert most_in(timedelta(seconds=1), slow) <= 20
    assert most_in(timedelta(seconds=1), other) <= 20
    assert len({job.document["worker"] for job in slow}) > 1
