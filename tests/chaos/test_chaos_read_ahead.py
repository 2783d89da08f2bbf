"""Jobs of any length, workers that lie about it, and kills: nobody hoards, and only what ran is lost."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from support.chaos.pacing import SHORTEST_MS, Pacing
from support.chaos.replica_stage import ReplicaStage
from support.chaos.stalls import Stalls

pytestmark = [pytest.mark.full, pytest.mark.timeout(600)]

SETTINGS = {"heartbeat": 1, "lease": 30, "grace": 0.5, "ack": 5}
GIVEN_BACK_SECONDS = 0.01  # when nothing begins for 5 ms: looked at twice, and the way to the server
PROMISED_SECONDS = 0.1  # for which a worker is idle, or a more urgent job waits, while others could begin


def on_sqlite(stage: ReplicaStage, stalls: Stalls) -> None:
    stage.open(SETTINGS)
    stalls.watch(stage.server.process.pid, essential=True)


def on_valkey(stage: ReplicaStage, stalls: Stalls, servers: int = 1) -> None:
    """The links to Valkey are part of this process."""
    stage.open_replicas(SETTINGS, servers)
    pids = [server.process.pid for server in stage.servers]
    stalls.watch(os.getpid(), stage.valkey.pid, *pids, essential=True)


def on_two_servers(stage: ReplicaStage, stalls: Stalls) -> None:
    on_valkey(stage, stalls, 2)


@pytest.mark.parametrize("begin", [on_sqlite, on_valkey, on_two_servers], ids=lambda each: each.__name__)
def test_a_thousand_jobs_of_any_length_at_honest_and_lying_workers(
    replicas: ReplicaStage, begin: Callable[[ReplicaStage, Stalls], None]
) -> None:
    """The time for which processes did not get a core, or waited for the disk, is the machine's.

    Each job that was lost is looked at: no code began twice, and what had not begun was about to begin. No
    lie makes the server expect less of a job than the shortest takes, so 5 ms are a bounded number of jobs.
    """
    with Stalls() as stalls:
        begin(replicas, stalls)
        played = Pacing(replicas, 2000, stalls).play(jobs=1000, kills=10)
    ends, losses = played.ends(), played.losses()
    unbegun = losses.unbegun()
    idle, overtaken = played.longest_idle(), played.longest_overtaken()
    waited = played.worst((each.since, each.killed) for each in unbegun)

    print(
        f"seed {replicas.seed}, {ends['failed']} lost, {len(unbegun)} of them not begun "
        f"(nothing had begun for {waited.measured:.3f} s, {waited.own:.3f} our own), "
        f"{played.taken_back()} taken back; "
        f"at most {idle.measured:.3f} s idle, of which {idle.own:.3f} are our own; "
        f"overtaken for {overtaken.measured:.3f} s, {overtaken.own:.3f} our own"
    )
    assert ends["completed"] + ends["failed"] == 1000
    assert played.taken_back() > 0
    assert len(played.killed) == 10
    assert (
        losses.unexplained(lambda since, until: played.own_seconds(since, until) > GIVEN_BACK_SECONDS) == []
    )
    assert played.records.begun_twice() == []
    assert played.records.shortest_expected_ms() >= SHORTEST_MS
    assert idle.own < PROMISED_SECONDS
    assert overtaken.own < PROMISED_SECONDS
