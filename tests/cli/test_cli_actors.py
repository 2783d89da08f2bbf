"""Actors written for another task queue are served as they are."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from shell import Start

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


def tasks(server: ServerProcess, *payloads: dict[str, object]) -> list[dict[str, object]]:
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

        def ended() -> list[dict[str, object]] | None:
            found = [http.get(f"/api/task/{task}").json() for task in made]
            return found if all(each["status"] in ("completed", "failed") for each in found) else None

        found = eventually(ended, 60, "the ends of all tasks")
        assert found is not None
        return found


def check(found: list[dict[str, object]]) -> None:
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


def test_an_actor_of_the_server_says_itself_how_many_run_at_once(
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


def test_an_actor_of_a_remote_worker_keeps_its_limit_in_its_process(
    start_server: StartServer, start: Start, actor: Path
) -> None:
    server = start_server()
    worker = start(
        "worker",
        f"{actor}:MediaActor",
        "--public",
        "--slots=4",
        "--url",
        server.url,
        "--password",
        ADMIN_PASSWORD,
    )
    worker.says("Serving actors/MediaActor")

    check(tasks(server, *PAYLOADS))
