"""A server's metrics are what happened, and the files for monitoring name metrics that there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from prometheus_client.samples import Sample

from support.extensions.samples import Break, Echo
from support.job_waits import ended_job
from support.monitoring import ALERT_QUERIES, DASHBOARD_QUERIES, GUIDE, metrics_in, samples, scrape, value
from workroom import Room
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually
from workroom.testing.valkey import free_port

SAMPLES = "support.extensions.samples"
PORT = free_port()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that ran three jobs, of which one failed."""
    data_dir = tmp_path_factory.mktemp("monitored")
    extensions = f"{SAMPLES}:Echo", f"{SAMPLES}:Break"
    with ServerProcess(data_dir, *extensions, workers=1, metrics_port=PORT) as server:
        with Room("demo", server.url, user="ada") as room:
            for job in [room.submit(Echo(text="a")), room.submit(Echo(text="b")), room.submit(Break())]:
                ended_job(job, seconds=90)
        yield server


def test_the_metrics_are_what_happened(server: ServerProcess) -> None:
    failed = {"scope": "public", "extension": "analysis/Break", "status": "failed"}

    def after_the_failure() -> list[Sample] | None:
        """Figures of the store are a few seconds old at most."""
        now = scrape(PORT)
        return now if value(now, "workroom_jobs_ended_total", **failed) else None

    found = eventually(after_the_failure)
    assert value(found, "workroom_jobs_submitted_total") == 3
    assert value(found, "workroom_jobs_finished_total", status="completed") == 2
    assert value(found, "workroom_jobs", extension="analysis/Echo", status="completed") == 2
    assert value(found, "workroom_jobs_ended_total", **failed) == 1
    for name in ("wait", "dispatch", "execution"):
        assert value(found, f"workroom_job_{name}_seconds_count") == 3
    assert value(found, "workroom_workers") == 1
    assert value(found, "workroom_workers", state="idle") == 1
    assert value(found, "workroom_sockets") >= 1
    assert value(found, "workroom_commit_seconds_count") > 0
    assert value(found, "workroom_commit_steps_sum") >= value(found, "workroom_commit_steps_count")
    assert value(found, "workroom_store_up") == 1
    assert value(found, "workroom_unfinished_jobs") == 0


def test_an_admin_reads_the_same_metrics_with_a_token(server: ServerProcess) -> None:
    with httpx.Client(base_url=server.url) as http:
        login = {"name": "admin", "password": ADMIN_PASSWORD}
        token = http.post("/api/login", json=login).json()["token"]
        found = samples(http.get("/metrics", headers={"Authorization": f"Bearer {token}"}).text)

        assert {each.name for each in found} == {each.name for each in scrape(PORT)}
        assert http.get("/metrics").status_code == 401


def test_the_port_for_metrics_has_nothing_else(server: ServerProcess) -> None:
    for path in ("/", "/api/rooms", "/healthz", "/docs"):
        assert httpx.get(f"http://127.0.0.1:{PORT}{path}").status_code == 404


@pytest.mark.parametrize("query", [*DASHBOARD_QUERIES, *ALERT_QUERIES])
def test_every_metric_of_the_dashboard_and_the_alerts_exists(server: ServerProcess, query: str) -> None:
    names = {each.name for each in scrape(PORT)}

    assert metrics_in(query) or "up{" in query
    assert metrics_in(query) - names == set()


def test_the_guide_lists_every_metric(server: ServerProcess) -> None:
    families = {
        re.sub(r"_(bucket|count|sum|created)$", "", each.name)
        for each in scrape(PORT)
        if each.name.startswith("workroom_")
    }

    assert set(re.findall(r"^\| `(workroom_\w+)", GUIDE.read_text(), re.MULTILINE)) == families


def test_a_port_that_is_taken_is_named_at_the_start(server: ServerProcess, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=f"cannot listen on 127.0.0.1:{PORT} for metrics"):
        ServerProcess(tmp_path / "second", metrics_port=PORT)
