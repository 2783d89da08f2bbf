"""The commands of docs/howto/operate.md do what the page states.

Prometheus reads the configuration of the page in tests/replicas/test_replica_metrics.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import typer

from support.code_blocks import Reader, blocks_of
from support.extensions.samples import Echo
from support.monitoring import GUIDE, scrape, scrape_configs, value
from support.otlp_receiver import otlp_receiver
from workroom.cli import app
from workroom.server.app import rest
from workroom.settings import Settings
from workroom.testing.fixtures import OpenRoom, StartServer
from workroom.testing.guests import guest_token
from workroom.testing.processes import eventually
from workroom.testing.valkey import free_port

SAMPLES = "support.extensions.samples"
METRICS, SCRAPES, TRACES, BACKUP, DOCTOR = blocks_of(GUIDE)
INLINE_CODE = re.compile(r"`([^`\n]+)`")
TRACE = "0af7651916cd43dd8448eb211c80319c"
SMOOTH = """from workroom import Extension


class Smooth(Extension, category="analysis"):
    window: int = 3

    def run(self) -> int:
        return self.window
"""


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    folder = tmp_path / "folder"
    folder.mkdir()
    reader = Reader(folder, {"WORKROOM_USER": "ada", "WORKROOM_STATE_DIR": str(tmp_path / "state")})
    with reader:
        yield reader


def test_the_port_for_metrics_is_that_of_the_page(reader: Reader) -> None:
    port = free_port()
    reader.replaced |= {"9464": str(port), "10.0.0.5": "127.0.0.1"}

    reader.follow(METRICS)

    assert value(scrape(port), "workroom_info") == 1


def test_prometheus_is_told_the_port_that_the_server_is_given() -> None:
    host, port = re.findall(r"=([\d.]+)", METRICS.code)[::-1]

    assert f"{host}:{port}" in SCRAPES.code
    assert scrape_configs(SCRAPES.code, [1, 2])[0]["job_name"] == "workroom"


def test_the_server_and_the_worker_of_the_page_export_one_trace(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    (reader.folder / "smooth.py").write_text(SMOOTH)
    monkeypatch.setenv("WORKROOM_URL", url)
    monkeypatch.setenv("WORKROOM_ROOMS", "lab")
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
    reader.served["WORKROOM_PORT"] = str(port)
    with otlp_receiver() as receiver:
        reader.replaced["http://collector:4318"] = receiver.url

        reader.follow(TRACES)
        done = httpx.post(
            f"{url}/api/rooms/lab/extensions/analysis/Smooth/submit",
            params={"wait": 60},
            json={"data": {"window": 5}},
            headers={
                "Authorization": f"Bearer {guest_token(url, 'bob')}",
                "traceparent": f"00-{TRACE}-b7ad6b7169203331-01",
            },
            timeout=70,
        )

        assert done.json()["result"] == 5, done.text
        path = [
            "workroom-server: submit analysis/Smooth",
            "workroom-server: push analysis/Smooth",
            "workroom-worker: run analysis/Smooth",
            "workroom-server: finish",
        ]
        eventually(lambda: receiver.leads(path, TRACE), what="the trace")


def test_the_backup_of_the_page_is_restored_beside_a_server_that_goes_on(
    reader: Reader, start_server: StartServer, open_room: OpenRoom, tmp_path: Path
) -> None:
    server = start_server(f"{SAMPLES}:Echo", workers=1)
    room = open_room(server)
    job = room.submit(Echo(text="kept"))
    assert job.result(timeout=60)["text"] == "kept"
    room.frames.append({"positions": np.ones((2, 3), np.float32)})
    reader.replaced |= {
        "/backups/monday.tar": str(tmp_path / "monday.tar"),
        "workroom-data": str(server.data_dir),
        "/srv/new": str(tmp_path / "new"),
    }

    reader.follow(BACKUP)

    restored = open_room(start_server(data_dir=tmp_path / "new"))
    assert restored.job(job.id).result(timeout=10)["text"] == "kept"
    assert restored.frames[0]["positions"].sum() == 6
    assert room.submit(Echo(text="on")).result(timeout=60)["text"] == "on"


def test_the_check_of_the_page_finds_no_problem_beside_a_server(
    reader: Reader, start_server: StartServer
) -> None:
    reader.replaced["workroom-data"] = str(start_server().data_dir)

    reader.follow(DOCTOR)

    assert "ok" in reader.printed


def test_every_command_and_route_that_the_page_names_exists() -> None:
    inline = INLINE_CODE.findall(GUIDE.read_text())
    commands = {found[1] for code in inline if (found := re.match(r"workroom ([a-z]+)", code))}
    routes = {found for code in inline for found in re.findall(r"/api/[\w/]+", code)}
    everything: Any = typer.main.get_command(app)

    assert len(commands) > 8
    assert commands <= everything.commands.keys()
    assert len(routes) > 8
    assert routes <= rest(Settings()).openapi()["paths"].keys()
