"""A Valkey that refuses, forgets or is exchanged, as clients and operators of a server see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from redis import Redis

from replicas.conftest import StartReplica
from support.extensions.samples import Echo
from support.readiness import is_not_ready, is_ready
from workroom import Room
from workroom.testing.fixtures import OpenRoom, StartWorker
from workroom.testing.processes import ServerProcess
from workroom.testing.valkey import Valkey

ECHO = "support.extensions.samples:Echo"
Submit = Callable[[], httpx.Response]


@pytest.fixture
def admin(valkey: Valkey) -> Iterator[Any]:
    with Redis.from_url(valkey.url, decode_responses=True) as client:
        yield client


@pytest.fixture
def server(start_replica: StartReplica) -> ServerProcess:
    return start_replica("a")


@pytest.fixture
def room(server: ServerProcess, start_worker: StartWorker, open_room: OpenRoom) -> Room:
    start_worker(server, ECHO)
    room = open_room(server)
    room.submit(Echo(text="hello")).result(timeout=30)
    return room


@pytest.fixture
def submit(room: Room, server: ServerProcess) -> Iterator[Submit]:
    with httpx.Client(base_url=server.url, timeout=30) as http:
        token = http.post("/api/login", json={"name": "bob"}).json()["token"]
        path = "/api/rooms/demo/extensions/analysis/Echo/submit"
        yield lambda: http.post(path, json={"data": {}}, headers={"Authorization": f"Bearer {token}"})


def test_a_server_is_not_ready_while_memory_is_full_or_its_store_may_evict_jobs(
    server: ServerProcess, submit: Submit, admin: Any
) -> None:
    is_ready(server)
    admin.config_set("maxmemory", 1)
    is_not_ready(server, "store_unavailable")
    refused = submit()
    assert (refused.status_code, refused.json()["code"]) == (503, "store_unavailable")
    admin.config_set("maxmemory", 0)
    is_ready(server)
    assert submit().status_code == 202

    admin.config_set("maxmemory-policy", "allkeys-lru")
    is_not_ready(server, "store_unsafe")
    refused = submit()
    assert (refused.status_code, refused.json()["code"]) == (503, "store_unsafe")
    assert "set maxmemory-policy noeviction" in refused.json()["detail"]
    assert "store_unsafe" in server.log
    admin.config_set("maxmemory-policy", "noeviction")
    is_ready(server)
    assert submit().status_code == 202


def test_an_emptied_store_is_refused_loudly_until_an_admin_accepts_it(
    server: ServerProcess, room: Room, submit: Submit, valkey: Valkey
) -> None:
    job = submit().json()["id"]
    valkey.empty()
    is_not_ready(server, "store_replaced")
    refused = submit()
    assert (refused.status_code, refused.json()["code"]) == (503, "store_replaced")
    login = httpx.post(f"{server.url}/api/login", json={"name": "admin", "password": "x"}, timeout=30)
    assert (login.status_code, login.json()["code"]) == (503, "store_replaced")
    read = httpx.get(f"{server.url}/api/jobs/{job}", headers=_who(refused), timeout=30)
    assert (read.status_code, read.json()["code"]) == (503, "store_replaced")
    assert "store_replaced" in server.log

    with pytest.raises(AssertionError, match="it was emptied or exchanged") as refusal:
        server.restart()
    assert f"delete {server.data_dir / 'store.epoch'}" in str(refusal.value)
    assert "Traceback" not in str(refusal.value)
    (server.data_dir / "store.epoch").unlink()
    server.restart()
    is_ready(server)


def test_a_store_that_may_lose_jobs_is_refused_at_the_start(start_replica: StartReplica, admin: Any) -> None:
    admin.config_set("maxmemory-policy", "volatile-ttl")
    with pytest.raises(AssertionError, match="maxmemory-policy is volatile-ttl") as refusal:
        start_replica("b")
    assert "Traceback" not in str(refusal.value)
    admin.config_set("maxmemory-policy", "noeviction")
    admin.config_set("appendfsync", "everysec")
    with pytest.raises(AssertionError, match="or WORKROOM_DURABILITY=everysec"):
        start_replica("b")

    is_ready(start_replica("b", durability="everysec"))


def _who(response: httpx.Response) -> dict[str, str]:
    return {"Authorization": response.request.headers["Authorization"]}
