"""Everything at once, in an order that the seed decides."""

from __future__ import annotations

import signal

import pytest

from support.chaos.proxy import CUT, SWALLOWED, FaultProxy
from support.chaos.stage import FROZEN, LOSSES, PATIENCE, SERVER_KILLED, Stage, errors
from workroom.testing.processes import Process, WorkerProcess, eventually

WORKER_KILLED = "worker killed"
LEASE_LOST = "frozen worker lost its lease"
KINDS = (SERVER_KILLED, WORKER_KILLED, FROZEN, CUT, SWALLOWED)
FAULTS = [len(KINDS), pytest.param(12, marks=pytest.mark.full)]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("faults", FAULTS)
def test_everything_at_once(stage: Stage, faults: int) -> None:
    """Under load: each kind of fault once, then whatever comes."""
    stage.open({"lease": 3})
    proxy = stage.proxy()
    *victims, _ = stage.workers(None, None, proxy.url, slots=2)
    stage.client()
    for kind in _order(stage, faults):
        stage.after_promises(5, 30)
        _strike(stage, kind, victims, proxy)

    history = stage.verdict({**dict.fromkeys(KINDS, 1), LEASE_LOST: 1})
    assert not errors(history.jobs, besides=LOSSES)


def _order(stage: Stage, faults: int) -> list[str]:
    first = stage.chance.sample(KINDS, len(KINDS))
    return first + stage.chance.choices(KINDS, k=faults - len(first))


def _strike(stage: Stage, kind: str, victims: list[WorkerProcess], proxy: FaultProxy) -> None:
    number = stage.chance.randrange(len(victims))
    if kind == SERVER_KILLED:
        stage.kill_server()
        stage.server.restart()
    elif kind == WORKER_KILLED:
        stage.kill(victims[number], WORKER_KILLED)
        victims[number] = stage.worker(slots=2)
    elif kind == FROZEN:
        _freeze_past_its_lease(stage, victims[number])
    elif kind == CUT:
        eventually(proxy.cut_all, PATIENCE, "a connection to cut")
    else:
        _swallow_an_assignment(proxy)


def _freeze_past_its_lease(stage: Stage, victim: Process) -> None:
    stage.freeze(victim)
    eventually(lambda: victim.pid not in _online(stage), PATIENCE, "the end of the lease")
    stage.journal.witness(LEASE_LOST)
    victim.signal(signal.SIGCONT)


def _swallow_an_assignment(proxy: FaultProxy) -> None:
    proxy.swallow(b"job:assigned")
    eventually(lambda: proxy.swallowed, PATIENCE, "an assignment being lost")
    proxy.heal()


def _online(stage: Stage) -> set[int]:
    return {each["machine"].get("pid") for each in stage.fleet() if each["state"] != "offline"}
