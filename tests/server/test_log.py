"""The server's log: as JSON, quiet under load, with ids and without secrets."""

from __future__ import annotations

import os
from pathlib import Path

import httpx
import orjson
import pytest
from fastapi import FastAPI
from structlog.testing import capture_logs

from support.extensions.samples import Break, Echo, Vault
from workroom import JobFailed
from workroom.server.http import problems
from workroom.testing.fixtures import OpenRoom, StartServer
from workroom.testing.processes import ADMIN_PASSWORD, eventually

SAMPLES = "support.extensions.samples"


def test_each_line_of_a_json_log_is_an_object_with_time_and_level(
    start_server: StartServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "packs" / "broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[workroom.packs]\nbroken = no_such_module\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(info.parent), os.environ["PYTHONPATH"]]))
    server = start_server(log_format="json", packs="broken")

    httpx.get(f"{server.url}/socket.io/?EIO=4&transport=polling")
    eventually(lambda: "Invalid transport" in server.log, what="the request in the log")

    pack, request = (orjson.loads(line) for line in server.log.splitlines())
    assert (pack["level"], pack["logger"]) == ("error", "workroom")
    assert "the pack 'broken' is left out" in pack["event"]
    assert (request["level"], request["logger"]) == ("error", "engineio.server")
    assert all(line["timestamp"].endswith("Z") for line in (pack, request))


@pytest.mark.parametrize("log_format", ["json", "text"])
def test_jobs_leave_no_line_at_info_and_no_secret(
    start_server: StartServer, open_room: OpenRoom, log_format: str
) -> None:
    secret = "s3cret-of-the-vault"
    extensions = [f"{SAMPLES}:{name}" for name in ("Echo", "Break", "Vault")]
    server = start_server(*extensions, workers=1, slots=4, log_format=log_format, log_level="info")
    room = open_room(server)
    group = room.submit_many([Echo(text=f"value-{number}") for number in range(100)])
    others = [room.submit(Break(message="value-broken")), room.submit(Vault(key=secret, how="raise"))]
    for job in others:
        with pytest.raises(JobFailed):
            job.result(timeout=60)
    assert len(list(group.results())) == 100
    login = {"name": "admin", "password": ADMIN_PASSWORD}
    token = httpx.post(f"{server.url}/api/login", json=login).json()["token"]
    httpx.post(f"{server.url}/api/login", json={"name": "admin", "password": "wrong-password"})
    httpx.get(f"{server.url}/api/jobs", headers={"Authorization": f"Bearer {token}x"})
    bearer = {"Authorization": f"Bearer {token}"}
    body = {"name": "gpu-box", "role": "worker"}
    machine = httpx.post(f"{server.url}/api/tokens", json=body, headers=bearer).json()["token"]

    (line,) = server.log.splitlines()  # of the token, which is no job
    assert "audit" in line
    assert "gpu-box" in line
    for text in (secret, "value-", ADMIN_PASSWORD, "wrong-password", token, machine):
        assert text not in server.log


async def test_a_request_that_fails_unexpectedly_is_logged_with_its_ids_and_without_its_values() -> None:
    app = FastAPI()
    problems.install(app)

    @app.post("/api/rooms/{room}/jobs/{job_id}/things/{value}")
    async def fail(room: str, job_id: str, value: str) -> None:
        raise RuntimeError(f"a fault in {room}")

    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
        with capture_logs() as logged:
            response = await http.post("/api/rooms/demo/jobs/j1/things/v", json={"password": "pa55word"})

    assert response.status_code == 500
    (line,) = logged
    assert (line["event"], line["method"], line["room"], line["job_id"]) == (
        "request_failed",
        "POST",
        "demo",
        "j1",
    )
    assert "value" not in line
    assert "pa55word" not in str(line)
