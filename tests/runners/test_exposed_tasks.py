"""The tasks of somebody's Celery app in a room: they run where they always ran."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import Celery
from parity import SECONDS

import shop
from workroom import JobFailed, Room, expose_celery
from workroom.errors import JobCancelled
from workroom.testing.fixtures import OpenRoom, StartWorker
from workroom.testing.processes import Process, ServerProcess, eventually
from workroom.testing.valkey import Valkey


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("shop")) as server:
        yield server


@pytest.fixture(scope="module")
def shop_workers(tmp_path_factory: pytest.TempPathFactory, broker: Valkey) -> Iterator[dict[str, str]]:
    url = broker.url.removeprefix("unix://")
    places = {"SHOP_BROKER": f"redis+socket://{url}", "SHOP_BACKEND": f"redis+socket://{url}"}
    command = [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "shop",
        "worker",
        "--concurrency=2",
        "--loglevel=WARNING",
    ]
    process = Process(command, places, tmp_path_factory.mktemp("workers") / "log")
    yield places
    process.close()


@pytest.fixture
def room(
    server: ServerProcess,
    name: str,
    open_room: OpenRoom,
    start_worker: StartWorker,
    shop_workers: dict[str, str],
) -> Room:
    """A worker passes the room's jobs on to the shop."""
    start_worker(server, "shop:app", room=name, environment=shop_workers)
    return open_room(server, name)


def test_each_task_is_a_form(room: Room) -> None:
    tools = {each["name"]: each for each in room.extensions() if each["category"] == "tasks"}

    assert sorted(tools) == ["carry", "drop", "wrap"]
    assert tools["wrap"]["schema"]["description"] == "Wrap words into one parcel."
    assert tools["wrap"]["schema"]["required"] == ["words"]
    assert sorted(tools["carry"]["schema"]["properties"]) == ["gate", "parcels"]


def test_a_job_runs_in_the_workers_of_the_app(room: Room) -> None:
    job = room.submit_named("tasks", "wrap", {"words": ["a", "b"], "glue": "-"})

    assert job.result(SECONDS) == "a-b"


def test_an_error_is_told_as_it_happened_there(room: Room) -> None:
    job = room.submit_named("tasks", "drop", {"what": "the vase"})

    with pytest.raises(JobFailed, match="dropped the vase"):
        job.result(SECONDS)
    assert job.document["error"]["type"] == "RuntimeError"
    assert "shop.py" in job.document["error"]["stack_trace"]


def test_progress_is_passed_on_and_a_job_can_be_cancelled(room: Room, tmp_path: Path) -> None:
    job = room.submit_named("tasks", "carry", {"parcels": 4, "gate": str(tmp_path / "gate")})
    eventually(lambda: (job.refresh()["progress"] or {}).get("current") == 4, what="the last parcel")

    job.cancel()

    with pytest.raises(JobCancelled):
        job.result(SECONDS)
    again = room.submit_named("tasks", "wrap", {"words": ["next"]})
    assert again.result(SECONDS) == "next"


def test_an_app_without_results_is_refused_in_words() -> None:
    with pytest.raises(TypeError, match="keeps no results"):
        expose_celery(Celery("mute", broker="memory://"))


def test_only_tasks_that_are_there_and_tell_how_they_ended_can_be_named() -> None:
    assert [each.extension_name for each in expose_celery(shop.app, "shop.wrap")] == ["wrap"]
    with pytest.raises(LookupError, match="no task"):
        expose_celery(shop.app, "shop.weigh")
    with pytest.raises(TypeError, match="ignores its result"):
        expose_celery(shop.app, "shop.whisper")
