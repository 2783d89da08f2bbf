"""Three servers on one Valkey, and everything that can fail does, in an order that the seed decides."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.chaos.proxy import HELD_BACK
from support.chaos.replica_stage import SERVER_FROZEN, VALKEY_KILLED, ReplicaStage
from support.chaos.stage import LOSSES, PATIENCE, SERVER_KILLED, errors
from workroom.testing.processes import ServerProcess, WorkerProcess, eventually

WORKER_KILLED = "worker killed"
STEADY = {"lease": 6, "grace": 3}

Victims = list[WorkerProcess]
Strike = Callable[[ReplicaStage, Victims], None]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("faults", [5, pytest.param(15, marks=pytest.mark.full)])
def test_everything_at_once_on_three_servers(replicas: ReplicaStage, faults: int) -> None:
    """Under load: each kind of fault once, then whatever comes."""
    replicas.open_replicas(STEADY)
    victims = replicas.workers(None, None, None, slots=2)
    replicas.client()
    for kind in _order(replicas, faults):
        replicas.after_promises(5, 20)
        STRIKES[kind](replicas, victims)
    replicas.after_promises(5, 10)

    history = replicas.verdict(dict.fromkeys(STRIKES, 1))
    assert not errors(history.jobs, besides=LOSSES)


def _order(replicas: ReplicaStage, faults: int) -> list[str]:
    kinds = list(STRIKES)
    return replicas.chance.sample(kinds, len(kinds)) + replicas.chance.choices(kinds, k=faults - len(kinds))


def _kill_server(replicas: ReplicaStage, victims: Victims) -> None:
    server = _server(replicas)
    replicas.kill_one(server)
    replicas.after_promises(1, 10)
    server.restart()


def _freeze_server(replicas: ReplicaStage, victims: Victims) -> None:
    with replicas.frozen(_server(replicas)):
        replicas.after_promises(1, 10)


def _kill_valkey(replicas: ReplicaStage, victims: Victims) -> None:
    with replicas.without_valkey():
        replicas.after_refusals(1)


def _hold_link(replicas: ReplicaStage, victims: Victims) -> None:
    link = replicas.link_of(_server(replicas))
    held = link.seen["held"]
    link.hold()
    eventually(lambda: link.seen["held"] > held, PATIENCE, "bytes being held back")
    replicas.after_promises(1, 10)
    link.heal()


def _kill_worker(replicas: ReplicaStage, victims: Victims) -> None:
    number = replicas.chance.randrange(len(victims))
    replicas.kill(victims[number], WORKER_KILLED)
    victims[number] = replicas.worker(slots=2)


def _server(replicas: ReplicaStage) -> ServerProcess:
    return replicas.chance.choice(replicas.servers)


STRIKES: dict[str, Strike] = {  # a new kind of fault, as of a Celery worker, is one more entry
    SERVER_KILLED: _kill_server,
    SERVER_FROZEN: _freeze_server,
    VALKEY_KILLED: _kill_valkey,
    HELD_BACK: _hold_link,
    WORKER_KILLED: _kill_worker,
}
