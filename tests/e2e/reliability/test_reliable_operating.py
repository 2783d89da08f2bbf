"""Why a job waits, and what operators do about it."""

from __future__ import annotations

import time
from pathlib import Path

import httpx

from support.extensions.misbehaving import (
    Faulty,
    Hold,
    Mark,
)
from support.extensions.samples import Echo
from support.job_waits import Log, Serve, becomes, error_of, waits_for
from workroom import Room


def test_a_paused_extension_keeps_its_jobs_until_it_is_resumed(
    room: Room, ada: httpx.Client, login: Log, serve: Serve
) -> None:
    serve(Mark)
    path = f"/api/rooms/{room.name}/extensions/room/analysis/Mark"
    assert login("mallory").post(f"{path}/pause").status_code == 403
    assert ada.post(f"{path}/pause").json()["paused"] is True

    job = room.submit(Mark())
    assert waits_for(job, "paused")

    assert ada.post(f"{path}/resume").json()["paused"] is False
    assert job.result(timeout=10) == "mark"


def test_a_drained_worker_finishes_what_it_has_and_gets_nothing_more(
    room: Room, login: Log, serve: Serve, gate: Path
) -> None:
    serve(Hold, Mark, slots=2)
    running = room.submit(Hold(gate=str(gate)))
    becomes(running, "running")
    (worker,) = room.workers()
    http = login("worker")
    assert http.post(f"/api/workers/{worker['id']}/drain").status_code == 200

    job = room.submit(Mark())
    gate.touch()
    running.result(timeout=10)
    assert job.status == "pending"

    http.post(f"/api/workers/{worker['id']}/drain", params={"draining": False}).raise_for_status()
    assert job.result(timeout=10) == "mark"


def test_a_job_that_nobody_can_run_waits_for_a_worker(room: Room) -> None:
    assert waits_for(room.submit(Echo()), "no_worker") == {
        "code": "no_worker",
        "key": None,
        "job": None,
        "until": None,
        "group": None,
        "count": None,
    }


def test_a_job_behind_others_estimates_when_it_will_begin(room: Room, serve: Serve, gate: Path) -> None:
    serve(Hold)
    gate.touch()
    room.submit(Hold(gate=str(gate))).result(timeout=10)
    gate.unlink()
    becomes(room.submit(Hold(gate=str(gate))), "running")

    first, second = (room.submit(Hold(gate=str(gate))) for _ in range(2))

    assert waits_for(first, "workers_busy")
    assert (first.document["queue_position"], second.refresh()["queue_position"]) == (0, 1)
    assert second.document["eta_ms"] > first.document["eta_ms"] > 0


def test_after_five_failures_the_circuit_is_open(room: Room, serve: Serve) -> None:
    serve(Faulty)
    for _ in range(5):
        assert error_of(room.submit(Faulty()))["type"] == "ValueError"

    reason = waits_for(room.submit(Faulty()), "circuit_open")

    assert reason["until"] > time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
    assert [each["circuit_open"] for each in room.extensions() if each["name"] == "Faulty"] == [True]
