"""The tasks of somebody's Celery app in a room: they run where they always ran."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import Celery

from support.runners import celery_app
from support.runners.parity import SECONDS
from workroom import JobFailed, Room, expose_celery
from workroom.errors import JobCancelled
from workroom.testing.fixtures import OpenRoom, StartWorker
from workroom.testing.processes import Process, ServerProcess, eventually
from workroom.testing.valkey import Valkey


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("exposed")) as server:
        yield server


@pytest.fixture(scope="module")
def celery_workers(tmp_path_factory: pytest.TempPathFactory, broker: Valkey) -> Iterator[dict[str, str]]:
    url = broker.url.removeprefix("unix://")
    places = {"CELERY_APP_BROKER": f"redis+socket://{url}", "CELERY_APP_BACKEND": f"redis+socket://{url}"}
    command = [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "support.runners.celery_app",
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
    celery_workers: dict[str, str],
) -> Room:
    """A worker passes the room's jobs on to the Celery workers."""
    start_worker(server, "support.runners.celery_app:app", room=name, environment=celery_workers)
    return open_room(server, name)


def test_each_task_is_a_form(room: Room) -> None:
    tools = {each["name"]: each for each in room.extensions() if each["category"] == "tasks"}

    assert sorted(tools) == ["carry", "drop", "wrap"]
    assert tools["wrap"]["schema"]["description"] == "Join words into one text."
    assert tools["wrap"]["schema"]["required"] == ["words"]
    assert sorted(tools["carry"]["schema"]["properties"]) == ["gate", "steps"]


def test_a_job_runs_in_the_workers_of_the_app(room: Room) -> None:
    job = room.submit_named("tasks", "wrap", {"words": ["a", "b"], "glue": "-"})

    assert job.result(SECONDS) == "a-b"


def test_an_error_is_reported_as_celery_raised_it(room: Room) -> None:
    job = room.submit_named("tasks", "drop", {"what": "the vase"})

    with pytest.raises(JobFailed, match="dropped the vase"):
        job.result(SECONDS)
    assert job.document["error"]["type"] == "RuntimeError"
    assert "celery_app.py" in job.document["error"]["stack_trace"]


def test_progress_is_passed_on_and_a_job_can_be_cancelled(room: Room, tmp_path: Path) -> None:
    job = room.submit_named("tasks", "carry", {"steps": 4, "gate": str(tmp_path / "gate")})
    eventually(lambda: (job.refresh()["progress"] or {}).get("current") == 4, what="the last step")

    job.cancel()

    with pytest.raises(JobCancelled):
        job.result(SECONDS)
    again = room.submit_named("tasks", "wrap", {"words": ["next"]})
    assert again.result(SECONDS) == "next"


def test_an_app_without_results_is_refused_in_words() -> None:
    with pytest.raises(TypeError, match="has no result_backend"):
        expose_celery(Celery("mute", broker="memory://"))


def test_only_existing_tasks_with_results_can_be_exposed() -> None:
    assert [
        each.extension_name for each in expose_celery(celery_app.app, "support.runners.celery_app.wrap")
    ] == ["wrap"]
    with pytest.raises(LookupError, match="no task"):
        expose_celery(celery_app.app, "support.runners.celery_app.weigh")
    with pytest.raises(TypeError, match="has ignore_result set"):
        expose_celery(celery_app.app, "support.runners.celery_app.whisper")
