"""Valkey forgets, is exchanged, is set to lose data, is full, or a replica that lags takes its place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from redis import Redis

from support.chaos.proxy import FaultProxy
from support.chaos.replica_stage import ReplicaStage
from support.chaos.stage import CALM, PATIENCE, errors
from support.readiness import is_not_ready, is_ready
from workroom.testing.processes import eventually
from workroom.testing.valkey import Valkey, free_port

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

EMPTIED = "Valkey emptied"
EXCHANGED = "an empty Valkey in its place"
SET_TO_LOSE = "Valkey set to lose data"
FULL = "memory full"
LAGGING = "replica cut off"
PROMOTED = "replica promoted"
SUBMIT = "/api/rooms/demo/extensions/analysis/Plain/submit"


def test_servers_stop_at_an_emptied_valkey_and_begin_anew_only_when_they_are_told_to(
    replicas: ReplicaStage,
) -> None:
    """FLUSHALL, while jobs run and more are submitted."""
    replicas.open_replicas(CALM, servers=2)
    workers = replicas.workers(None, None, slots=2)
    replicas.client()
    replicas.after_promises(5, 30)
    running = replicas.submit("Plain", seconds=60)
    replicas.wait_for_begin(running)
    replicas.valkey.empty()
    replicas.journal.witness(EMPTIED)

    _stop_with(replicas, "store_replaced")
    for server in replicas.servers:
        server.process.stop()
        (server.data_dir / "store.epoch").unlink()
    with _valkey(replicas) as valkey:
        assert all(_is_of_a_step_on_its_way(key, valkey) for key in valkey.keys("*"))
    for server in replicas.servers:
        server.restart()
        is_ready(server, PATIENCE)
    replicas.begin_anew()
    assert replicas.http.get(f"/api/jobs/{running}").status_code == 404
    eventually(lambda: _answer(replicas)[0] == 202, PATIENCE, "the workers registering again")
    assert replicas.wait_for_end(replicas.submit("Plain"))["status"] == "completed"
    assert all(worker.is_alive for worker in workers)


def test_an_empty_valkey_in_the_place_of_the_right_one_costs_nothing_when_that_is_back(
    replicas: ReplicaStage,
) -> None:
    replicas.open_replicas(CALM, servers=2)
    workers = replicas.workers(None, None, slots=2)
    replicas.client()
    for number in range(2):
        replicas.after_promises(5, 30)
        running = [replicas.submit("Plain", seconds=3) for _ in workers]
        for job in running:
            replicas.wait_for_begin(job)
        replicas.valkey.kill()
        replicas.valkey.put_data_aside(f"kept-{number}")
        replicas.valkey.start()
        replicas.journal.witness(EXCHANGED)
        _stop_with(replicas, "store_replaced")
        replicas.valkey.kill()
        replicas.valkey.put_data_back(f"kept-{number}")
        replicas.valkey.start()
        for server in replicas.servers:
            is_ready(server, PATIENCE)
        for job in running:
            document = replicas.wait_for_end(job)
            assert (document["status"], document["attempt"]) == ("completed", 1), document["error"]

    history = replicas.verdict({EXCHANGED: 2})
    assert all(worker.is_alive for worker in workers)
    assert not errors(history.jobs), "a store that was away must not fail a job of a healthy worker"


@pytest.mark.parametrize(
    ("setting", "value"),
    [("maxmemory-policy", "allkeys-lru"), ("appendfsync", "everysec"), ("appendonly", "no")],
)
def test_servers_stop_while_valkey_is_set_to_lose_data_and_go_on_when_it_is_set_back(
    replicas: ReplicaStage, setting: str, value: str
) -> None:
    replicas.open_replicas(CALM, servers=2)
    workers = replicas.workers(None, None, slots=2)
    replicas.client()
    replicas.after_promises(5, 30)
    running = replicas.submit("Plain", seconds=3)
    replicas.wait_for_begin(running)
    with _valkey(replicas) as valkey:
        safe = valkey.config_get(setting)[setting]
        valkey.config_set(setting, value)
        replicas.journal.witness(SET_TO_LOSE, setting=setting)
        _stop_with(replicas, "store_unsafe")
        valkey.config_set(setting, safe)
    for server in replicas.servers:
        is_ready(server, PATIENCE)
    assert replicas.wait_for_end(running)["status"] == "completed"
    replicas.after_promises(5, 10)

    history = replicas.verdict({SET_TO_LOSE: 1})
    assert all(worker.is_alive for worker in workers)
    assert not errors(history.jobs)


def test_a_full_valkey_refuses_whole_jobs_and_goes_on_when_there_is_room(replicas: ReplicaStage) -> None:
    """A job that was refused does not exist; one that was accepted is run."""
    replicas.open_replicas(CALM, servers=2)
    workers = replicas.workers(None, None, slots=2)
    replicas.client(0.005)
    with _valkey(replicas) as valkey:
        for _ in range(3):
            replicas.after_promises(5, 30)
            running = replicas.submit("Plain", seconds=3)
            replicas.wait_for_begin(running)
            valkey.config_set("maxmemory", valkey.info("memory")["used_memory"] + 20_000)
            replicas.after_refusals(10)
            replicas.journal.witness(FULL)
            valkey.config_set("maxmemory", 0)
            for server in replicas.servers:
                is_ready(server, PATIENCE)
            assert replicas.wait_for_end(running)["status"] == "completed"
    replicas.after_promises(5, 10)

    history = replicas.verdict({FULL: 3})
    assert all(worker.is_alive for worker in workers)
    assert not errors(history.jobs)
    assert not history.count("unanswered")
    assert set(history.jobs) == set(history.promised), "jobs that were refused exist"


def test_what_a_promoted_replica_lacks_is_logged(replicas: ReplicaStage) -> None:
    """Without the setting, what was acknowledged within the lag is lost, and not in silence."""
    link, follower = _with_follower(replicas)
    worker = replicas.worker(slots=2)
    kept = [replicas.submit("Plain") for _ in range(10)]
    for job in kept:
        replicas.wait_for_end(job)
    _catch_up(replicas)
    link.hold()
    replicas.journal.witness(LAGGING)
    lost = [_submitted(replicas) for _ in range(10)]
    _promote(replicas, follower)

    eventually(lambda: _answer(replicas)[0] == 202, PATIENCE, "the servers going on")
    assert {replicas.http.get(f"/api/jobs/{job}").status_code for job in lost} == {404}
    eventually(
        lambda: any("store_went_back" in server.log for server in replicas.servers), PATIENCE, "a log line"
    )
    history = replicas.verdict({LAGGING: 1, PROMOTED: 1})
    assert {history.jobs[job]["status"] for job in kept} == {"completed"}
    assert worker.is_alive


def test_with_the_setting_nothing_that_was_acknowledged_is_lost_by_a_promotion(
    replicas: ReplicaStage,
) -> None:
    """What the replica lacks was refused; a client repeats it."""
    link, follower = _with_follower(replicas, store_replicas=1)
    workers = replicas.workers(None, None, slots=2)
    replicas.client()
    replicas.after_promises(10, 40)
    running = replicas.submit("Stubborn", seconds=3)
    replicas.wait_for_begin(running)
    link.hold()
    replicas.journal.witness(LAGGING)
    replicas.after_refusals(5)
    assert _answer(replicas) == (503, "store_unavailable")
    _promote(replicas, follower)
    for server in replicas.servers:
        is_not_ready(server, "store_unavailable", PATIENCE)  # the new primary has no replica
    heir = Valkey(replicas.folder / "heir", replica_of=follower.port)
    heir.start()
    replicas.defer(heir.kill)
    for server in replicas.servers:
        is_ready(server, PATIENCE)
    assert replicas.wait_for_end(running)["status"] == "completed"
    replicas.after_promises(5, 10)

    replicas.verdict({LAGGING: 1, PROMOTED: 1})
    assert all(worker.is_alive for worker in workers)
    assert not any("store_went_back" in server.log for server in replicas.servers)


def _stop_with(replicas: ReplicaStage, code: str) -> None:
    """Each server says so, in its readiness, its log, and to who submits."""
    for server in replicas.servers:
        is_not_ready(server, code, PATIENCE)
        assert code in server.log
    assert _answer(replicas) == (503, code)


def _answer(replicas: ReplicaStage) -> tuple[int, str | None]:
    answer = replicas.http.post(SUBMIT, json={"data": {"seconds": 0.0}})
    if answer.status_code == 202:
        replicas.journal.write("promised", job=answer.json()["id"], name="Plain")
    return answer.status_code, answer.json().get("code")


def _submitted(replicas: ReplicaStage) -> str:
    """Submit a job whose promise will not be kept."""
    answer = replicas.http.post(SUBMIT, json={"data": {"seconds": 0.0}})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


@contextmanager
def _valkey(replicas: ReplicaStage) -> Iterator[Any]:
    with Redis.from_url(replicas.valkey.url, decode_responses=True) as client:
        yield client


def _is_of_a_step_on_its_way(key: str, valkey: Any) -> bool:
    """Replies, and results that precede the step that would refer to them. No step took effect."""
    if "}:job:" in key:
        return all(field.startswith("result:") for field in valkey.hkeys(key))
    return "replies" in key


def _with_follower(replicas: ReplicaStage, **settings: float) -> tuple[FaultProxy, Valkey]:
    """A replica of Valkey, and the link between them."""
    port = free_port()
    link = replicas.proxy_to(port)
    follower = Valkey(replicas.folder / "follower", port=free_port(), replica_of=link.port)
    replicas.start_valkey(port)
    follower.start()
    replicas.defer(follower.kill)
    _catch_up(replicas)
    replicas.open_replicas({**CALM, **settings}, servers=2)
    return link, follower


def _catch_up(replicas: ReplicaStage) -> None:
    """Wait until the replica has all that the primary has."""
    with _valkey(replicas) as valkey:

        def has_caught_up() -> bool:
            valkey.set("mark", "1")
            return bool(valkey.wait(1, 1000) == 1)

        eventually(has_caught_up, PATIENCE, "a replica that follows")
        valkey.delete("mark")
        valkey.wait(1, 1000)


def _promote(replicas: ReplicaStage, follower: Valkey) -> None:
    replicas.valkey.kill()
    with Redis.from_url(follower.url) as client:
        client.replicaof("NO", "ONE")
    follower.take_place_of(replicas.valkey)
    replicas.journal.witness(PROMOTED)
