"""Whoever knows several servers goes on at another when one is gone, and no job fails for it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import redis

from replicas.conftest import StartReplica
from support.extensions.samples import Nap
from workroom import Room
from workroom.domain.storage.peer_message import PeerMessage
from workroom.stores.redis.peers.codec import encode
from workroom.testing.fixtures import OpenRoom, StartWorker
from workroom.testing.processes import ServerProcess, WorkerProcess, eventually
from workroom.testing.valkey import Valkey

Serve = Callable[..., WorkerProcess]
Enter = Callable[..., Room]
STEADY = {"heartbeat": 0.5, "lease": 12, "grace": 12}


def several(*servers: ServerProcess) -> str:
    return ",".join(server.url for server in servers)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """A worker that knows several servers."""
    with ExitStack() as stack:

        def start(*servers: ServerProcess, slots: int = 1) -> WorkerProcess:
            log = tmp_path / "worker.log"
            worker = WorkerProcess(
                several(*servers), "support.extensions.samples:Nap", room="demo", slots=slots, log=log
            )
            stack.callback(worker.close)
            eventually(lambda: "Serving" in log.read_text(), what="the worker serving")
            return worker

        yield start


@pytest.fixture
def enter() -> Iterator[Enter]:
    """A room that knows several servers."""
    with ExitStack() as stack:
        yield lambda *servers: stack.enter_context(Room("demo", several(*servers), user="ada"))


def test_a_killed_server_is_left_for_another_and_what_runs_goes_on(
    start_replica: StartReplica, serve: Serve, enter: Enter
) -> None:
    """It is not restarted: worker and SDK find the other one by themselves."""
    here, there = start_replica("a", **STEADY), start_replica("b", **STEADY)
    serve(here, there, slots=2)
    room = enter(here, there)
    jobs = [room.submit(Nap(seconds=2.0)) for _ in range(4)]
    eventually(lambda: jobs[1].status == "running", what="two jobs run")
    here.kill()

    assert room.submit(Nap(seconds=0.01)).result(timeout=60) == "rested"
    assert [job.result(timeout=60) for job in jobs] == ["rested"] * 4
    assert [job.document["attempt"] for job in jobs[:2]] == [1, 1]


def test_a_wait_at_a_killed_server_continues_at_another(
    start_replica: StartReplica, serve: Serve, enter: Enter
) -> None:
    here, there = start_replica("a", **STEADY), start_replica("b", **STEADY)
    serve(there)
    job = enter(here, there).submit(Nap(seconds=3.0))
    seen = []
    for update in job.watch():
        seen.append(update["status"])
        if seen[-1] == "running" and here.process.is_alive:
            here.kill()

    assert not here.process.is_alive
    assert seen[-1] == "completed"


def test_a_stream_goes_on_at_another_server_where_it_was(
    start_replica: StartReplica, serve: Serve, enter: Enter
) -> None:
    here, there = start_replica("a", **STEADY), start_replica("b", **STEADY)
    serve(there)
    job = enter(here, there).submit(Nap(seconds=2.0))
    told = []
    for event in job.events():
        if event.name == "state":
            told.append(event.data["status"])
            if told[-1] == "running":
                here.kill()

    assert told == ["pending", "assigned", "running", "completed"]


def test_a_server_that_stands_still_is_left_before_the_lease_ends(
    start_replica: StartReplica, serve: Serve, enter: Enter
) -> None:
    here, there = start_replica("a", **STEADY), start_replica("b", **STEADY)
    serve(here, there)
    job = enter(there).submit(Nap(seconds=2.0))
    eventually(lambda: job.status == "running", what="the job runs")
    here.process.signal(signal.SIGSTOP)
    try:
        assert job.result(timeout=60) == "rested"
        assert job.document["attempt"] == 1
    finally:
        here.process.signal(signal.SIGCONT)


def test_an_address_where_nobody_is_costs_nothing(
    start_replica: StartReplica, serve: Serve, enter: Enter
) -> None:
    gone, there = start_replica("a"), start_replica("b")
    gone.kill()
    serve(gone, there)

    assert enter(gone, there).submit(Nap(seconds=0.01)).result(timeout=20) == "rested"


def test_a_late_word_that_a_worker_is_gone_keeps_no_work_from_one_that_is_back(
    start_replica: StartReplica, start_worker: StartWorker, open_room: OpenRoom, valkey: Valkey
) -> None:
    """A server that stood still may tell of what is long over."""
    server = start_replica("a", heartbeat=0.3)
    start_worker(server, "support.extensions.samples:Nap")
    room = open_room(server)
    assert room.submit(Nap(seconds=0.01)).result(timeout=20) == "rested"
    worker = room.workers()[0]["id"]
    with redis.Redis.from_url(valkey.url) as client:
        client.publish("{workroom}:news:0", bytes(16) + encode(PeerMessage(offline=[worker])))

    for _ in range(5):
        assert room.submit(Nap(seconds=0.01)).result(timeout=20) == "rested"
