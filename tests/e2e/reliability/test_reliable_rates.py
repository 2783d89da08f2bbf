"""A rate holds, and the server wakes up when the next job may start."""

from __future__ import annotations

from datetime import timedelta

from support.extensions.samples import Metered, Nap
from support.job_waits import Serve, ended_job, waits_for
from support.rates import most_in
from workroom import Concurrency, Extension, Room
from workroom.testing.fixtures import OpenRoom, StartServer


class Rare(Extension, category="analysis", rate="1/h", concurrency=Concurrency("{provider}", default=9)):
    provider: str = "slow"

    def run(self) -> str:
        return self.provider


def test_no_second_has_more_starts_than_the_rate_and_none_waits_for_a_sweep(
    start_server: StartServer, open_room: OpenRoom
) -> None:
    """This server sweeps by itself too seldom for the test."""
    server = start_server(sweep=60.0)
    room = open_room(server)
    room.register(Metered, slots=4)
    jobs = room.submit_many([Metered()] * 45)
    for job in jobs:
        ended_job(job)

    assert most_in(timedelta(seconds=1), jobs) <= 20


def test_a_job_that_waits_for_its_rate_says_so_and_holds_nobody_up(room: Room, serve: Serve) -> None:
    serve(Rare, Nap, slots=1)
    first, second = room.submit(Rare()), room.submit(Rare(provider="other"))
    assert first.result(timeout=10) == "slow"
    waiting = waits_for(second, "rate")

    assert room.submit(Nap(seconds=0)).result(timeout=10) == "rested"
    assert waiting["key"] is None
    assert waiting["until"] > second.document["created_at"]
    assert second.document["eta_ms"] is None
