"""Actors written for another task queue are served as they are."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.command_line import Start
from workroom.actors import Actor, ActorRegistry, ProgressCallback
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually

ACTOR = '''
import threading
import time
from abc import ABC, abstractmethod
from typing import Any, Callable, Dict, Tuple

ProgressCallback = Callable[[int, str], None]


class ActorBase(ABC):
    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def get_concurrency_info(self, payload: Dict[str, Any]) -> Tuple[str, int]: ...

    @abstractmethod
    def execute(self, payload: Dict[str, Any], progress_callback: ProgressCallback) -> Dict[str, Any]: ...


class MediaActor(ActorBase):
    """Actor for media generation tasks."""

    name = "media"

    def __init__(self):
        self.at_once = {}
        self.most = {}
        self.lock = threading.Lock()

    def get_concurrency_info(self, payload: Dict[str, Any]) -> Tuple[str, int]:
        return (payload["provider"], {"midjourney": 1, "leonardo": 3}.get(payload["provider"], 1))

    def execute(self, payload: Dict[str, Any], progress_callback: ProgressCallback) -> Dict[str, Any]:
        provider = payload["provider"]
        with self.lock:
            self.at_once[provider] = self.at_once.get(provider, 0) + 1
            self.most[provider] = max(self.most.get(provider, 0), self.at_once[provider])
        progress_callback(1234, f"Generating with {provider}")
        time.sleep(0.2)
        if payload.get("fail"):
            raise ValueError("Provider returned error")
        with self.lock:
            self.at_once[provider] -= 1
        return {"urls": [payload["params"]["prompt"]], "most": self.most[provider]}
'''


@pytest.fixture
def actor(tmp_path: Path) -> Path:
    file = tmp_path / "media_actor.py"
    file.write_text(ACTOR)
    return file


def tasks(server: ServerProcess, *payloads: Mapping[str, object]) -> list[dict[str, Any]]:
    """Ask for these all at once, and wait for their ends."""
    with httpx.Client(base_url=server.url, timeout=20) as http:
        token = http.post("/api/login", json={"name": "ada"}).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        made = []
        for payload in payloads:
            body = {
                "actor": "media",
                "payload": {"workflow_run_id": "run-1", "params": {"prompt": "cat"}, **payload},
            }
            response = http.post("/api/task", json=body)
            assert response.status_code == 202, response.text
            made.append(response.json()["task_id"])

        def ended() -> list[dict[str, Any]] | None:
            found = [http.get(f"/api/task/{task}").json() for task in made]
            return found if all(each["status"] in ("completed", "failed") for each in found) else None

        found = eventually(ended, 60, "the ends of all tasks")
        assert found is not None
        return found


def check(found: list[dict[str, Any]]) -> None:
    *slow, failed = found
    assert [each["error"] for each in slow] == [None] * 3
    assert [(each["status"], each["result"]) for each in slow] == [
        ("completed", {"urls": ["cat"], "most": 1})
    ] * 3
    assert failed["status"] == "failed"
    error = failed["error"]
    assert isinstance(error, dict)
    assert (error["type"], error["message"]) == ("ValueError", "Provider returned error")
    assert "execute" in error["stack_trace"]


PAYLOADS = ({"provider": "midjourney"},) * 3 + ({"provider": "leonardo", "fail": True},)


def test_an_actor_of_the_server_sets_how_many_of_its_tasks_run_at_once(
    start_server: StartServer, actor: Path
) -> None:
    server = start_server(f"{actor}:MediaActor", workers=1, slots=4)

    found = tasks(server, *PAYLOADS)
    check(found)
    assert {each["concurrency_identifier"]: each["concurrency_limit"] for each in found} == {
        "midjourney": 1,
        "leonardo": 3,
    }
    assert {each["max_retries"] for each in found} == {3}


OVERLAPS = """

class Counted(MediaActor):
    name = "media"

    def execute(self, payload, progress_callback):
        started = time.time()
        super().execute(payload, progress_callback)
        return {"started": started, "ended": time.time()}


from workroom.actors import ActorRegistry

ActorRegistry.register(Counted())
"""


def serve(start: Start, server: ServerProcess, what: str, name: str) -> None:
    options = ("--public", "--slots=4", "--url", server.url, "--password", ADMIN_PASSWORD)
    start("worker", what, *options).wait_for(f"Serving actors/{name}")


def test_an_actor_of_a_remote_worker_keeps_its_limit_in_its_process(
    start_server: StartServer, start: Start, actor: Path
) -> None:
    server = start_server()
    serve(start, server, f"{actor}:MediaActor", "MediaActor")

    check(tasks(server, *PAYLOADS))


def test_an_actor_keeps_its_limit_over_the_processes_of_a_machine(
    start_server: StartServer, start: Start, tmp_path: Path
) -> None:
    file = tmp_path / "counted_actor.py"
    file.write_text(ACTOR + OVERLAPS)
    server = start_server()
    for _ in range(2):
        serve(start, server, f"{file}:ActorRegistry", "Counted")

    found = tasks(server, *({"provider": "midjourney"},) * 6)

    assert len({each["worker_id"] for each in found}) == 2
    spans = sorted((each["result"]["started"], each["result"]["ended"]) for each in found)
    assert all(ended <= started for (_, ended), (started, _) in pairwise(spans))


DECLARED = """

from workroom import Concurrency


class Declared(MediaActor):
    name = "media"
    concurrency = Concurrency("{provider}", {"midjourney": 2})

    def __init__(self):
        super().__init__()
        self.both = threading.Barrier(2, timeout=30)

    def execute(self, payload, progress_callback):
        self.both.wait()
        return {}
"""


def test_a_declared_limit_replaces_that_of_the_actor_s_code(
    start_server: StartServer, start: Start, tmp_path: Path
) -> None:
    file = tmp_path / "declared_actor.py"
    file.write_text(ACTOR + DECLARED)
    server = start_server()
    serve(start, server, f"{file}:Declared", "Declared")

    found = tasks(server, *({"provider": "midjourney"},) * 4)

    assert [each["status"] for each in found] == ["completed"] * 4
    assert {each["concurrency_limit"] for each in found} == {2}


class Painter(Actor):
    name = "painter"

    def get_concurrency_info(self, payload: dict[str, Any]) -> tuple[str, int]:
        return "painter", 1

    def execute(self, payload: dict[str, Any], progress_callback: ProgressCallback) -> dict[str, Any]:
        return payload


def test_a_registry_knows_its_actors_by_name() -> None:
    painter = Painter()
    ActorRegistry.register(painter)

    assert ActorRegistry.get("painter") is painter
    assert ActorRegistry.get("nobody") is None
    assert "painter" in ActorRegistry.names()
    assert [each.extension_name for each in ActorRegistry.extensions()] == ["Painter"]
    with pytest.raises(TypeError, match="is not an actor"):
        ActorRegistry.register(object())
