"""Submit at one server, run at another, watch at a third: each sees everything, and may go."""

from __future__ import annotations

import time
from typing import Any

import httpx
import pytest

from replicas.conftest import StartReplica
from support.extensions.samples import Echo, Nap
from support.stream_readers import Listener
from workroom.testing.fixtures import OpenRoom, StartWorker
from workroom.testing.processes import eventually
from workroom.testing.valkey import Valkey

Document = dict[str, Any]


def test_a_job_is_submitted_at_one_server_run_at_another_and_watched_at_a_third(
    start_replica: StartReplica, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    here, there, elsewhere = (start_replica(name) for name in "abc")
    start_worker(there, "support.extensions.samples:Nap")
    room, watching = open_room(here), open_room(elsewhere, user="bob")
    job = room.submit(Nap(seconds=3.0))
    seen = [update.get("status") for update in watching.job(job.id).watch()]

    assert job.result(timeout=20) == "rested"
    assert seen[-1] == "completed"
    assert {"assigned", "running"} & set(seen)


def test_a_stream_has_every_state_of_jobs_at_other_servers(
    start_replica: StartReplica, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    here, there, elsewhere = (start_replica(name) for name in "abc")
    start_worker(there, "support.extensions.samples:Echo")
    room = open_room(here)
    room.submit(Echo()).result(timeout=20)
    listener = Listener(elsewhere.url, "/api/rooms/demo/stream", _token(elsewhere.url))
    listener.expect("open")
    jobs = [room.submit(Echo(text=str(number))) for number in range(5)]
    for job in jobs:
        job.result(timeout=20)
        listener.expect("state", job_id=job.id, status="completed")

    for job in jobs:
        told = [each["status"] for each in listener.named("state") if each["job_id"] == job.id]
        assert told == ["pending", "assigned", "running", "completed"]


def test_a_wait_at_one_server_ends_with_a_job_at_another(
    start_replica: StartReplica, start_worker: StartWorker
) -> None:
    here, there = start_replica("a"), start_replica("b")
    start_worker(there, "support.extensions.samples:Nap")
    bearer = {"Authorization": f"Bearer {_token(here.url)}"}
    before = time.monotonic()
    response = httpx.post(
        f"{here.url}/api/rooms/demo/extensions/analysis/Nap/submit?wait=20",
        headers=bearer,
        json={"data": {"seconds": 0.2}},
        timeout=30,
    )

    assert (response.status_code, response.json()["result"]) == (200, "rested")
    assert time.monotonic() - before < 15


def test_a_cancel_at_one_server_stops_the_job_at_another(
    start_replica: StartReplica, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    here, there = start_replica("a"), start_replica("b")
    start_worker(there, "support.extensions.samples:Nap")
    room = open_room(here)
    job = room.submit(Nap(seconds=30))
    eventually(lambda: job.status == "running", what="the job runs")
    job.cancel()
    again = room.submit(Nap(seconds=0.01))

    assert again.result(timeout=10) == "rested"
    assert job.status == "cancelled"


def test_a_token_that_is_revoked_at_one_server_counts_at_none(start_replica: StartReplica) -> None:
    here, there = start_replica("a"), start_replica("b")
    bearer = {"Authorization": f"Bearer {_token(here.url)}"}
    assert httpx.get(f"{there.url}/api/users/me", headers=bearer).status_code == 200
    httpx.post(f"{here.url}/api/token/revoke", headers=bearer, json={}).raise_for_status()

    eventually(
        lambda: httpx.get(f"{there.url}/api/users/me", headers=bearer).status_code == 401,
        what="the token counts no more",
    )


def test_a_killed_server_takes_no_job_with_it(
    start_replica: StartReplica, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    """Its worker comes back to the same address, where another server now is."""
    here, there = start_replica("a"), start_replica("b")
    start_worker(there, "support.extensions.samples:Nap", slots=2)
    room = open_room(here)
    jobs = [room.submit(Nap(seconds=1.0)) for _ in range(4)]
    eventually(lambda: jobs[0].status == "running", what="a job runs")
    there.kill()
    there.restart()

    assert [job.result(timeout=60) for job in jobs] == ["rested"] * 4


@pytest.mark.timeout(180)
def test_an_outage_of_the_store_is_reported_at_once_and_costs_no_job(
    start_replica: StartReplica, start_worker: StartWorker, open_room: OpenRoom, valkey: Valkey
) -> None:
    here, there = start_replica("a"), start_replica("b")
    start_worker(there, "support.extensions.samples:Nap")
    room = open_room(here)
    job = room.submit(Nap(seconds=3.0))
    eventually(lambda: job.status == "running", what="the job runs")
    token = _token(here.url)
    valkey.kill()
    before = time.monotonic()
    response = httpx.post(
        f"{here.url}/api/rooms/demo/extensions/analysis/Nap/submit",
        headers={"Authorization": f"Bearer {token}"},
        json={"data": {}},
        timeout=10,
    )
    assert (response.status_code, time.monotonic() - before < 2.5) == (503, True)
    time.sleep(max(0.0, 10 - (time.monotonic() - before)))
    valkey.start()

    assert job.result(timeout=30) == "rested"
    assert room.submit(Nap(seconds=0.01)).result(timeout=20) == "rested"


def _token(url: str) -> str:
    login: Document = httpx.post(f"{url}/api/login", json={"name": "guest"}).json()
    return str(login["token"])
