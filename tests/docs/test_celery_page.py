"""The commands of docs/celery.md: a fleet for a server's extensions, and the tasks of an app in rooms."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.code_blocks import ROOT, Reader, blocks_of
from support.runners.celery_fleet import idle_slots
from workroom import Room
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import ADMIN_PASSWORD, Process, eventually
from workroom.testing.valkey import Valkey, free_port

SERVER, FLEET, APP = blocks_of(ROOT / "docs" / "celery.md")
MODULE = """from workroom import Extension


class Twice(Extension, category="analysis"):
    number: int

    def run(self) -> int:
        return 2 * self.number
"""
TASKS = """import os

from celery import Celery

app = Celery("my_project", broker=os.environ["SHOP_BROKER"], backend=os.environ["SHOP_BROKER"])


@app.task(name="store.wrap")
def wrap(words: list[str]) -> str:
    return " ".join(words)
"""


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "valkey").mkdir()
    valkey = Valkey(tmp_path / "valkey", appendonly=False)
    valkey.start()
    yield valkey.url.replace("unix://", "redis+socket://")
    valkey.stop()


@pytest.fixture
def reader(tmp_path: Path, broker: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    with Reader(folder, {"WORKROOM_STATE_DIR": str(tmp_path / "state"), "SHOP_BROKER": broker}) as reader:
        yield reader


@pytest.mark.timeout(180)
def test_a_fleet_runs_the_extensions_of_the_server(reader: Reader, broker: str) -> None:
    (reader.folder / "my_module.py").write_text(MODULE)
    url = f"http://127.0.0.1:{free_port()}"
    reader.served = {
        "WORKROOM_PORT": url.rpartition(":")[2],
        "WORKROOM_DATA_DIR": str(reader.folder / "workroom-data"),
        "WORKROOM_ADMIN_PASSWORD": ADMIN_PASSWORD,
        "WORKROOM_ROOMS": "demo",
    }
    reader.replaced |= {
        "redis://valkey:6379/1": broker,
        "http://server:8000": url,
        "WORKROOM_TOKEN=...": lambda reader: f"WORKROOM_TOKEN={reader.printed.split()[-1]}",
    }

    reader.follow(SERVER)
    reader.follow(FLEET)

    eventually(lambda: idle_slots(url) > 4, what="the processes of both commands on call", seconds=60)
    os.environ.pop("WORKROOM_TOKEN")  # that of the fleet
    with Room("demo", url, user="ada") as room:
        assert room.submit_named("analysis", "Twice", {"number": 21}).result(timeout=60) == 42


@pytest.mark.timeout(180)
def test_the_tasks_of_an_app_run_on_its_own_workers(
    reader: Reader, start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (reader.folder / "my_project").mkdir()
    (reader.folder / "my_project" / "__init__.py").touch()
    (reader.folder / "my_project" / "celery.py").write_text(TASKS)
    server = start_server()
    monkeypatch.setenv("WORKROOM_URL", server.url)
    monkeypatch.setenv("WORKROOM_USER", "ada")
    command = [sys.executable, "-m", "celery", "-A", "my_project.celery", "worker", "--concurrency=1"]
    own_worker = Process(command, {}, reader.folder / "own.log")

    try:
        reader.follow(APP)
        with Room("demo", server.url, user="ada") as room:
            job = room.submit_named("tasks", "wrap", {"words": ["to", "be"]})
            assert job.result(timeout=60) == "to be"
    finally:
        own_worker.close()
