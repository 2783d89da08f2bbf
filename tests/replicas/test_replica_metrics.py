"""Prometheus from Debian scrapes two servers on one store, as docs/howto/operate.md states."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from replicas.conftest import StartReplica
from support.code_blocks import blocks_of
from support.extensions.samples import Echo
from support.job_waits import ended_job
from support.monitoring import ALERTS, DASHBOARD_QUERIES, GUIDE, scrape, scrape_configs, value
from workroom.testing.fixtures import OpenRoom, StartWorker
from workroom.testing.processes import Process, eventually
from workroom.testing.valkey import free_port

ECHO = "support.extensions.samples:Echo"


def test_what_is_about_the_store_is_the_same_on_both_servers_and_the_rest_adds_up(
    start_replica: StartReplica, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    ports = [free_port(), free_port()]
    servers = [start_replica(name, metrics_port=port) for name, port in zip("ab", ports, strict=True)]
    for server in servers:
        start_worker(server, ECHO)
    for server in servers:
        ended_job(open_room(server).submit(Echo(text="a")), seconds=60)

    def ended() -> list[float]:
        return [value(scrape(port), "workroom_jobs", status="completed") for port in ports]

    eventually(lambda: ended() == [2, 2], what="both servers see both jobs")
    found = [scrape(port) for port in ports]
    assert sum(value(each, "workroom_jobs_submitted_total") for each in found) == 2
    assert sum(value(each, "workroom_job_execution_seconds_count") for each in found) == 2
    assert [value(each, "workroom_workers") for each in found] == [1, 1]
    assert all(value(each, "workroom_commit_seconds_count") > 0 for each in found)


class Prometheus:
    def __init__(self, folder: Path, targets: list[int]) -> None:
        port = free_port()
        folder.mkdir()
        [scraped] = [block for block in blocks_of(GUIDE) if block.language == "yaml"]
        config = {
            "global": {"scrape_interval": "1s"},
            "rule_files": [str(ALERTS)],
            "scrape_configs": scrape_configs(scraped.code, targets),
        }
        (folder / "prometheus.yml").write_text(json.dumps(config))  # JSON is YAML
        command = ["prometheus", f"--config.file={folder / 'prometheus.yml'}"]
        command += [f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address=127.0.0.1:{port}"]
        self._process = Process(command, {}, folder / "log")
        self._http = httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", timeout=20)

    def query(self, query: str) -> list[Any]:
        """The series of the answer; none while it starts."""
        try:
            response = self._http.get("/query", params={"query": query})
        except httpx.ConnectError:
            return []
        if response.status_code == 503:
            return []
        assert response.status_code == 200, (query, response.text)
        found: list[Any] = response.json()["data"]["result"]
        return found

    def alerts(self) -> dict[str, tuple[str, str]]:
        """The health and the state of each rule."""
        groups = self._http.get("/rules").json()["data"]["groups"]
        return {rule["name"]: (rule["health"], rule["state"]) for group in groups for rule in group["rules"]}

    def close(self) -> None:
        self._http.close()
        self._process.close()


@pytest.fixture
def ports() -> list[int]:
    return [free_port(), free_port()]


@pytest.fixture
def prometheus(tmp_path: Path, ports: list[int]) -> Iterator[Prometheus]:
    with closing(Prometheus(tmp_path / "prometheus", ports)) as running:
        yield running


@pytest.mark.full
def test_prometheus_scrapes_two_servers_and_answers_the_dashboard_and_the_alerts(
    start_replica: StartReplica,
    start_worker: StartWorker,
    open_room: OpenRoom,
    ports: list[int],
    prometheus: Prometheus,
) -> None:
    servers = [start_replica(name, metrics_port=port) for name, port in zip("ab", ports, strict=True)]
    for server in servers:
        start_worker(server, ECHO)
    eventually(lambda: len(prometheus.query("up == 1")) == 2, what="two servers are scraped", seconds=60)
    ended = 'workroom_jobs_ended_total{extension="analysis/Echo",status="completed"}'
    eventually(lambda: len(prometheus.query(ended)) == 2, what="counters before the jobs", seconds=60)
    for server in servers:
        ended_job(open_room(server).submit(Echo(text="a")), seconds=60)

    for query in DASHBOARD_QUERIES:
        eventually(partial(prometheus.query, query), what=query, seconds=60)
    rates = prometheus.query("sum(increase(workroom_jobs_finished_total[5m]))")
    assert float(rates[0]["value"][1]) > 0

    eventually(lambda: set(prometheus.alerts().values()) == {("ok", "inactive")}, what="no alert", seconds=60)
    servers[0].kill()
    down = ("ok", "pending")  # it fires after a minute
    eventually(lambda: prometheus.alerts()["WorkroomServerDown"] == down, what="an alert", seconds=60)
