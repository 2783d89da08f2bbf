"""An outage of the server or the store that is longer than the lease costs nothing; one of a worker does."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from support.chaos.stage import PATIENCE, Stage
from support.extensions.misbehaving import Hold, notes
from support.extensions.own_lease import OWN_LEASE, Brief
from support.job_waits import ended_job
from workroom import JobHandle
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import ServerProcess, eventually
from workroom.testing.valkey import Valkey

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

LEASE = 8.0  # a worker may take half of it to reconnect
STEADY = {"heartbeat": 1.0, "lease": LEASE, "grace": LEASE, "sweep": 0.2, "start": 20, "ack": 5}
HOLD, BRIEF = "support.extensions.misbehaving:Hold", "support.extensions.own_lease:Brief"
JOBS = 20

Fault = Callable[[ServerProcess, Valkey], Iterator[None]]


def server_killed(server: ServerProcess, valkey: Valkey) -> Iterator[None]:
    server.kill()
    yield
    server.restart()


def server_stopped(server: ServerProcess, valkey: Valkey) -> Iterator[None]:
    """As when it is updated."""
    server.process.stop()
    yield
    server.restart()


def server_frozen(server: ServerProcess, valkey: Valkey) -> Iterator[None]:
    """As when its machine hangs: then nobody sweeps."""
    server.process.signal(signal.SIGSTOP)
    yield
    server.process.signal(signal.SIGCONT)


def store_killed(server: ServerProcess, valkey: Valkey) -> Iterator[None]:
    valkey.kill()
    yield
    valkey.start()


def store_frozen(server: ServerProcess, valkey: Valkey) -> Iterator[None]:
    os.kill(valkey.pid, signal.SIGSTOP)
    yield
    os.kill(valkey.pid, signal.SIGCONT)


@pytest.mark.parametrize(
    ("store", "fault"),
    [
        ("sqlite", server_killed),
        ("sqlite", server_frozen),
        ("valkey", server_stopped),
        ("valkey", store_killed),
        ("valkey", store_frozen),
    ],
    ids=lambda each: each if isinstance(each, str) else each.__name__,
)
def test_20_running_jobs_complete_on_attempt_1_after_an_outage_of_3_leases(
    store: str,
    fault: Fault,
    valkey: Valkey,
    start_server: StartServer,
    start_worker: StartWorker,
    open_room: OpenRoom,
    tmp_path: Path,
) -> None:
    server = start_server(**STEADY, **({"store": valkey.url} if store == "valkey" else {}))
    workers = [start_worker(server, HOLD, slots=JOBS // 2) for _ in range(2)]
    gates = Gates(tmp_path)
    jobs = list(open_room(server).submit_many([Hold(**gates.fields(number)) for number in range(JOBS)]))

    _outlasts(gates, jobs, _outage(fault, server, valkey), 3 * LEASE)
    assert all(worker.is_alive for worker in workers)


@pytest.mark.parametrize(
    ("store", "fault"),
    [
        ("sqlite", server_stopped),
        ("sqlite", server_frozen),
        ("valkey", server_killed),
        ("valkey", store_killed),
        ("valkey", store_frozen),
    ],
    ids=lambda each: each if isinstance(each, str) else each.__name__,
)
def test_20_running_jobs_with_a_lease_of_their_own_complete_on_attempt_1_after_a_longer_outage(
    store: str,
    fault: Fault,
    valkey: Valkey,
    start_server: StartServer,
    start_worker: StartWorker,
    open_room: OpenRoom,
    tmp_path: Path,
) -> None:
    """It is no outage for workers with the server's lease. They continue although they could be retried."""
    settings = {**STEADY, "lease": 5 * OWN_LEASE}
    server = start_server(**settings, **({"store": valkey.url} if store == "valkey" else {}))
    workers = [start_worker(server, BRIEF, slots=JOBS // 2) for _ in range(2)]
    gates = Gates(tmp_path)
    jobs = list(open_room(server).submit_many([Brief(**gates.fields(number)) for number in range(JOBS)]))

    _outlasts(gates, jobs, _outage(fault, server, valkey), 1.5 * OWN_LEASE)
    assert all(worker.is_alive for worker in workers)


class Gates:
    """Half of the jobs end early, during the outage."""

    def __init__(self, folder: Path) -> None:
        self.diary, self.early, self.late = folder / "diary", folder / "early", folder / "late"

    def fields(self, number: int) -> dict[str, str]:
        return {"diary": str(self.diary), "gate": str(self.late if number % 2 else self.early)}


def _outlasts(
    gates: Gates, jobs: list[JobHandle], outage: AbstractContextManager[None], seconds: float
) -> None:
    """Assert that all jobs complete on their first attempt, over an outage of so many seconds."""
    eventually(lambda: len(notes(gates.diary)) == JOBS, PATIENCE, "all jobs running")
    with outage:
        began = time.monotonic()
        eventually(lambda: time.monotonic() > began + seconds * 2 / 3, PATIENCE, "most of the outage")
        gates.early.touch()
        eventually(lambda: time.monotonic() > began + seconds, PATIENCE, "the end of the outage")
    gates.late.touch()

    ended = [ended_job(job, PATIENCE) for job in jobs]
    assert [(job["status"], job["attempt"]) for job in ended] == [("completed", 1)] * JOBS
    assert len(notes(gates.diary)) == JOBS


@contextmanager
def _outage(fault: Fault, server: ServerProcess, valkey: Valkey) -> Iterator[None]:
    steps = fault(server, valkey)
    next(steps)
    yield
    assert next(steps, None) is None


def test_a_worker_that_alone_was_cut_off_past_its_lease_has_lost_its_job(
    stage: Stage, tmp_path: Path
) -> None:
    """The code continues, ends, and its late result changes nothing. The worker goes on."""
    stage.open(STEADY)
    proxy, diary, gate = stage.proxy(), tmp_path / "diary", tmp_path / "gate"
    worker = stage.worker(HOLD, url=proxy.url)
    job = stage.submit("Hold", diary=str(diary), gate=str(gate))
    eventually(lambda: notes(diary), PATIENCE, "the code running")
    proxy.hold()
    lost = stage.wait_for_end(job)
    assert (lost["status"], lost["error"]["type"]) == ("failed", "WorkerLost")
    gate.touch()
    proxy.heal()

    after = stage.submit("Hold", diary=str(diary), gate=str(gate))
    assert stage.wait_for_end(after)["status"] == "completed"
    late = stage.job(job)
    assert (late["status"], late["result"], late["version"]) == ("failed", None, lost["version"])
    assert worker.is_alive


def test_a_longer_lease_of_the_extension_survives_being_cut_off(stage: Stage, tmp_path: Path) -> None:
    stage.open(STEADY)
    proxy, diary, gate = stage.proxy(), tmp_path / "diary", tmp_path / "gate"
    stage.worker("support.extensions.sleeper:Sleeper", url=proxy.url)
    job = stage.submit("Sleeper", diary=str(diary), gate=str(gate))
    eventually(lambda: notes(diary), PATIENCE, "the code running")
    proxy.hold()
    began = time.monotonic()
    eventually(lambda: time.monotonic() > began + 2 * LEASE, PATIENCE, "two leases of the server")
    assert stage.job(job)["status"] == "running"
    proxy.heal()
    gate.touch()

    ended = stage.wait_for_end(job)
    assert (ended["status"], ended["attempt"]) == ("completed", 1)
