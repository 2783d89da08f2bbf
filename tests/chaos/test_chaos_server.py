"""The server dies and comes back."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from support.chaos.stage import PATIENCE, PATIENT, SERVER_KILLED, Stage, errors
from support.scripted_worker import ScriptedWorker, fence
from workroom.testing.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

KILLED_IN_A_COMMIT = "server killed in a commit"
RECONNECTED = "worker reconnected"
NEVER = "65535"  # the most that strace counts to


def test_kill_9_of_the_server_at_random_moments_loses_no_promise_and_no_worker(stage: Stage) -> None:
    stage.open(PATIENT)
    workers = stage.workers(None, None, slots=2)
    stage.client()
    for _ in range(3):
        stage.after_promises(5, 60)
        stage.kill_server()
        stage.server.restart()
    stage.after_promises(20, 40)

    history = stage.verdict({SERVER_KILLED: 3})
    assert history.count("unanswered"), "no client noticed"
    assert all(worker.is_alive for worker in workers)
    assert not errors(history.jobs), "a restart of the server must not fail a job of a healthy worker"


def test_kill_9_of_the_server_inside_a_commit_loses_no_promise(stage: Stage, tmp_path: Path) -> None:
    """strace kills it as it enters its nth fdatasync: written, not yet promised."""
    number = tmp_path / "kill-at-commit"
    number.write_text(NEVER)
    inject = f"--inject=fdatasync:signal=SIGKILL:when=$(cat {number})"
    script = f'exec strace -D -f -qq -o /dev/null -e trace=fdatasync "{inject}" "$@"'
    stage.open(PATIENT, wrap=["sh", "-c", script, "sh"])
    stage.worker(slots=2)
    stage.client()
    for _ in range(3):
        number.write_text(str(stage.chance.randint(10, 60)))
        stage.server.restart()
        eventually(lambda: not stage.server.process.is_alive, PATIENCE, "the server being killed in a commit")
        stage.server_was_killed(KILLED_IN_A_COMMIT)
    number.write_text(NEVER)
    stage.server.restart()
    stage.after_promises(10, 20)

    history = stage.verdict({KILLED_IN_A_COMMIT: 3})
    assert history.count("unanswered"), "no client noticed"


def test_20_workers_that_reconnect_at_once_after_a_restart_keep_what_they_run(stage: Stage) -> None:
    stage.open(PATIENT)
    scripted_workers = stage.scripted_workers(20)
    jobs = stage.submit_many("Scripted", 20)  # together: what is not started at once moves to an idle worker
    items = [scripted.take() for scripted in scripted_workers]
    assert [scripted.start(item) for scripted, item in zip(scripted_workers, items, strict=True)] == [
        None
    ] * 20
    for _ in range(2):
        stage.kill_server()
        stage.server.restart()
        for answer in _come_back_together(scripted_workers, items):
            assert (answer["drop"], answer["cancel"]) == ([], [])
            stage.journal.witness(RECONNECTED)
    assert [scripted.finish(item) for scripted, item in zip(scripted_workers, items, strict=True)] == [
        None
    ] * 20

    history = stage.verdict({SERVER_KILLED: 2, RECONNECTED: 40})
    assert {history.jobs[job]["status"] for job in jobs} == {"completed"}
    assert {history.jobs[job]["attempt"] for job in jobs} == {1}


def _come_back_together(
    scripted_workers: list[ScriptedWorker], items: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    together = threading.Barrier(len(scripted_workers))

    def come_back(scripted: ScriptedWorker, item: dict[str, Any]) -> dict[str, Any]:
        scripted.drop()
        together.wait(PATIENCE)
        scripted.reconnect()
        return scripted.hello([{**fence(item), "phase": "begun"}], item["number"])

    with ThreadPoolExecutor(len(scripted_workers)) as threads:
        return list(threads.map(come_back, scripted_workers, items))
