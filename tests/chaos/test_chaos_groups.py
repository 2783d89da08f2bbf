"""A group of a thousand jobs and its collector, while servers and workers die."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from support.chaos.history import Document, History
from support.chaos.replica_stage import ReplicaStage
from support.chaos.stage import CALM, PATIENCE, SERVER_KILLED, Stage
from workroom.testing.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(600)]

MEMBERS = 1000
WORKER_KILLED = "worker killed"
KILLED_IN_A_COMMIT = "server killed in a commit"
STEADY = {"heartbeat": 0.5, "lease": 20, "grace": 20, "start": 20}  # so long is a killed worker waited for
NEVER = "65535"  # the most that strace counts to
STUBBORN = {"category": "analysis", "name": "Stubborn", "data": {"seconds": 0.005, "again": 0.005}}


def test_a_collector_runs_once_though_the_server_is_killed_in_its_commits(
    stage: Stage, tmp_path: Path
) -> None:
    """strace kills it as it enters its nth fdatasync: while it submits, starts, ends and follows up."""
    number = tmp_path / "kill-at-commit"
    number.write_text(NEVER)
    inject = f"--inject=fdatasync:signal=SIGKILL:when=$(cat {number})"
    script = f'exec strace -D -f -qq -o /dev/null -e trace=fdatasync "{inject}" "$@"'
    stage.open(CALM, wrap=["sh", "-c", script, "sh"])
    workers = stage.workers(None, None, slots=2)
    group, collector = _submit(stage)
    kills = 5
    for kill in range(kills):
        _wait_for_ends(stage, group, MEMBERS * kill // kills)
        number.write_text(str(stage.chance.randint(10, 30)))
        stage.server.kill()
        stage.server.restart()
        eventually(lambda: not stage.server.process.is_alive, PATIENCE, "the server being killed in a commit")
        stage.server_was_killed(KILLED_IN_A_COMMIT)
        number.write_text(NEVER)
        stage.server.restart()
    stage.wait_for_end(collector)

    history = stage.verdict({KILLED_IN_A_COMMIT: kills})
    _was_collected_once(history, collector)
    assert all(worker.is_alive for worker in workers)


def test_a_collector_runs_once_though_each_server_and_a_worker_are_killed(replicas: ReplicaStage) -> None:
    replicas.open_replicas(STEADY, servers=2)
    workers = replicas.workers(None, None, None, slots=2)
    group, collector = _submit(replicas)
    for kill, server in enumerate(replicas.servers * 2, 1):
        _wait_for_ends(replicas, group, MEMBERS * kill // 6)
        replicas.kill_one(server)
        server.restart()
    replicas.kill(workers[0], WORKER_KILLED)
    replicas.worker(slots=2)
    replicas.wait_for_end(collector)

    history = replicas.verdict({SERVER_KILLED: 4, WORKER_KILLED: 1})
    _was_collected_once(history, collector)


def _submit(stage: Stage) -> tuple[str, str]:
    """The ids of the group and of the job that waits for it."""
    path = "/api/rooms/demo/groups"
    added: Document = stage.http.post(path, json={"jobs": [STUBBORN] * MEMBERS}).json()
    for item in added["items"]:
        stage.journal.write("promised", job=item["job"]["id"], name="Stubborn")
    group: str = added["group"]["id"]
    collector = stage.http.post(
        "/api/rooms/demo/extensions/analysis/Plain/submit", json={"data": {}, "after": [group]}
    ).json()
    stage.journal.write("promised", job=collector["id"], name="Plain")
    return group, str(collector["id"])


def _wait_for_ends(stage: Stage, group: str, count: int) -> None:
    def has_come() -> bool:
        try:
            counts: dict[str, int] = stage.http.get(f"/api/groups/{group}").json()["counts"]
        except httpx.TransportError:
            return False  # it comes back
        return counts["completed"] >= count

    eventually(has_come, PATIENCE * 2, f"{count} ends in the group")


def _was_collected_once(history: History, collector: str) -> None:
    members = [each for each in history.executions if each.job != collector]
    (collected,) = history.runs_of(collector)

    assert history.jobs[collector]["status"] == "completed"
    assert collected.began >= max(each.until for each in members)
    assert [job["status"] for job in history.jobs.values()] == ["completed"] * (MEMBERS + 1)
