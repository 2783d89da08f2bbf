"""Submits that are repeated, replayed, or waited for."""

from __future__ import annotations

from pathlib import Path

import httpx

from support.extensions.misbehaving import (
    Flaky,
    Hold,
    Mark,
)
from support.extensions.samples import Echo
from support.job_waits import Log, Serve, error_of, submit
from workroom import Room


def test_failed_jobs_are_listed_and_replayed_as_new_jobs_that_point_back(
    room: Room, ada: httpx.Client, serve: Serve, tmp_path: Path
) -> None:
    serve(Flaky, slots=2)
    diaries = [tmp_path / "first", tmp_path / "second"]
    failed = [room.submit(Flaky(diary=str(each), failures=2)) for each in diaries]
    for job in failed:
        error_of(job)
    listed = ada.get(f"/api/rooms/{room.name}/jobs", params={"status": "failed"}).json()["items"]
    assert [(job["id"], job["tries"]) for job in listed] == [(job.id, 2) for job in reversed(failed)]

    answer = ada.post(f"/api/jobs/{failed[0].id}/retry")
    assert answer.status_code == 202
    assert answer.json()["retry_of"] == failed[0].id
    assert room.job(answer.json()["id"]).result(timeout=10) == 3

    answer = ada.post(f"/api/rooms/{room.name}/jobs/retry", params={"extension": "analysis/Flaky"})
    assert answer.status_code == 202
    replayed = [entry["job"] for entry in answer.json()["items"]]
    assert [job["retry_of"] for job in replayed] == [failed[1].id]
    assert [room.job(job["id"]).result(timeout=10) for job in replayed] == [3]
    assert [room.job(job.id).status for job in failed] == ["failed", "failed"]


def test_an_unfinished_job_cannot_be_replayed(room: Room, ada: httpx.Client) -> None:
    job = room.submit(Echo())

    answer = ada.post(f"/api/jobs/{job.id}/retry")

    assert (answer.status_code, answer.json()["code"]) == (409, "illegal_transition")


def test_a_submit_that_is_sent_again_is_the_same_job(room: Room, ada: httpx.Client, login: Log) -> None:
    headers = {"Idempotency-Key": f"key of {room.name}"}
    first = submit(ada, room.name, Echo(text="a"), headers=headers)
    again = submit(ada, room.name, Echo(text="a"), headers=headers)
    other = submit(ada, room.name, Echo(text="b"), headers=headers)
    somebody = submit(login("bob"), room.name, Echo(text="a"), headers=headers)

    assert (first.status_code, again.status_code, somebody.status_code) == (202, 202, 202)
    assert again.json()["id"] == first.json()["id"] != somebody.json()["id"]
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_conflict")
    assert len(room.jobs()) == 2


def test_a_submit_may_wait_for_the_end(room: Room, ada: httpx.Client, serve: Serve, gate: Path) -> None:
    serve(Mark, Hold)

    done = submit(ada, room.name, Mark(), params={"wait": 10})
    assert (done.status_code, done.json()["status"], done.json()["result"]) == (200, "completed", "mark")

    late = submit(ada, room.name, Hold(gate=str(gate)), params={"wait": 0.3})
    assert (late.status_code, late.json()["status"]) == (202, "running")
