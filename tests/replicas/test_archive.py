"""Servers that share an archive: what has moved there is told by each of them as before."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis import Redis

from replicas.conftest import StartReplica
from support.stream_readers import Listener
from workroom.testing.fixtures import StartWorker
from workroom.testing.processes import ServerProcess, eventually
from workroom.testing.valkey import Valkey

Document = dict[str, Any]
Enter = Callable[[ServerProcess, str], httpx.Client]
ECHO = "/api/rooms/demo/extensions/analysis/Echo/submit?wait=20"
BREAK = "/api/rooms/demo/extensions/analysis/Break/submit?wait=20"


@pytest.fixture
def enter() -> Iterator[Enter]:
    """Come to a server with a token that counts at all of them."""
    with ExitStack() as stack:

        def come(server: ServerProcess, token: str) -> httpx.Client:
            bearer = {"Authorization": f"Bearer {token}"}
            return stack.enter_context(httpx.Client(base_url=server.url, headers=bearer, timeout=30))

        yield come


def test_every_server_reads_archived_jobs_as_before(
    start_replica: StartReplica, start_worker: StartWorker, enter: Enter, tmp_path: Path
) -> None:
    shared = {"archive": f"sqlite:///{tmp_path / 'archive.db'}", "archive_after": 0, "sweep": 0.2}
    here, there = (start_replica(name, **shared) for name in "ab")
    start_worker(there, "support.extensions.samples:Echo", "support.extensions.samples:Break")
    token = httpx.post(f"{here.url}/api/login", json={"name": "ada"}).json()["token"]
    ada, elsewhere = enter(here, token), enter(there, token)
    listener = Listener(here.url, "/api/rooms/demo/stream", token)
    listener.expect("open")
    done = ada.post(ECHO, json={"data": {"text": "a"}}, headers={"Idempotency-Key": "1"}).json()
    broken = ada.post(BREAK, json={"data": {}}).json()
    before = [_documents(ada, job["id"]) for job in (done, broken)]
    listener.expect("state", job_id=broken["id"], status="failed")
    eventually(lambda: _archived(tmp_path) == {done["id"], broken["id"]}, what="the jobs move")

    assert [_documents(elsewhere, job["id"]) for job in (done, broken)] == before
    listed = _get(elsewhere, "/api/rooms/demo/jobs")["items"]
    assert [job["id"] for job in listed] == [broken["id"], done["id"]]
    again = elsewhere.post(ECHO, json={"data": {"text": "a"}}, headers={"Idempotency-Key": "1"})
    assert (again.status_code, again.json()) == (200, done)
    assert elsewhere.delete(f"/api/jobs/{done['id']}").status_code == 409
    assert elsewhere.post(f"/api/jobs/{broken['id']}/retry").status_code == 202

    first = next(event for event in listener.heard if event.event == "state")
    resumed = Listener(there.url, "/api/rooms/demo/stream", token, first.id)
    resumed.expect("state", job_id=broken["id"], status="failed")
    assert _told(resumed, done) == _told(listener, done)[1:]
    assert _told(resumed, broken) == _told(listener, broken)


def test_a_server_that_does_not_share_the_archive_does_not_start(
    start_replica: StartReplica, valkey: Valkey, tmp_path: Path
) -> None:
    with Redis.from_url(valkey.url) as client:
        client.hset("{workroom}:meta", "archive", "of a server on another machine")

    with pytest.raises(AssertionError, match="all its servers share one"):
        start_replica("a", archive=f"sqlite:///{tmp_path / 'archive.db'}")


def _told(listener: Listener, job: Document) -> list[Document]:
    return [each for each in listener.named("state") if each["job_id"] == job["id"]]


def _documents(person: httpx.Client, job_id: str) -> list[Document]:
    return [_get(person, f"/api/jobs/{job_id}{part}") for part in ("", "/history", "/logs", "/artifacts")]


def _get(person: httpx.Client, path: str) -> Document:
    document: Document = person.get(path).raise_for_status().json()
    return document


def _archived(folder: Path) -> set[str]:
    with closing(sqlite3.connect(folder / "archive.db")) as connection:
        return {job_id for (job_id,) in connection.execute("SELECT id FROM jobs")}
