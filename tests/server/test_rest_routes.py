"""Every route there is, once, on its happy path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import httpx
import pytest
from people import Document, HandWorker, Person, extension
from starlette import routing

from workroom.server.app import rest
from workroom.settings import Settings


@dataclass
class Scene:
    """A room of ada's with a worker of hers that was just given a job."""

    room: str
    ada: Person
    root: Person
    worker: HandWorker
    item: Document

    @property
    def job(self) -> str:
        return f"/api/jobs/{self.item['job_id']}"


Route = Callable[[Scene], httpx.Response]

FILES = {  # these answer with bytes
    ("GET", "/api/jobs/{job_id}/artifacts/{name}"),
    ("GET", "/api/jobs/{job_id}/preview"),
    ("GET", "/api/rooms/{room}/files/{file_id}"),
}


def saved(at: Scene) -> bool:
    """The job runs, and has saved and shown something."""
    at.worker.start(at.item)
    at.worker.show(at.item, "png", b"pixels")
    return at.worker.save(at.item, "plot.png", b"pixels").is_success


def uploaded(at: Scene) -> httpx.Response:
    return at.ada.post(f"/api/rooms/{at.room}/files", params={"name": "notes.txt"}, content=b"pixels")


ROUTES: dict[tuple[str, str], tuple[Route, int]] = {
    ("POST", "/api/login"): (lambda at: at.ada.post("/api/login", json={"name": "eve"}), 200),
    ("GET", "/api/users/me"): (lambda at: at.ada.get("/api/users/me"), 200),
    ("GET", "/api/users/{user}/jobs"): (lambda at: at.ada.get(f"/api/users/{at.ada.user}/jobs"), 200),
    ("GET", "/api/rooms"): (lambda at: at.ada.get("/api/rooms"), 200),
    ("POST", "/api/rooms"): (lambda at: at.ada.post("/api/rooms", json={"name": f"{at.room}-b"}), 201),
    ("GET", "/api/rooms/{room}"): (lambda at: at.ada.get(f"/api/rooms/{at.room}"), 200),
    ("GET", "/api/rooms/{room}/workers"): (lambda at: at.ada.get(f"/api/rooms/{at.room}/workers"), 200),
    ("GET", "/api/rooms/{room}/extensions"): (
        lambda at: at.ada.get(f"/api/rooms/{at.room}/extensions"),
        200,
    ),
    ("GET", "/api/rooms/{room}/extensions/{scope}/{category}/{name}/stats"): (
        lambda at: at.ada.get(f"/api/rooms/{at.room}/extensions/room/analysis/Echo/stats"),
        200,
    ),
    ("GET", "/api/rooms/{room}/extensions/{category}/{name}/data"): (
        lambda at: at.ada.get(f"/api/rooms/{at.room}/extensions/analysis/Echo/data"),
        200,
    ),
    ("POST", "/api/rooms/{room}/extensions/{category}/{name}/submit"): (
        lambda at: at.ada.submit(at.room),
        202,
    ),
    ("POST", "/api/rooms/{room}/jobs/batch"): (
        lambda at: at.ada.post(
            f"/api/rooms/{at.room}/jobs/batch", json={"jobs": [{"category": "analysis", "name": "Echo"}]}
        ),
        202,
    ),
    ("GET", "/api/rooms/{room}/jobs"): (lambda at: at.ada.get(f"/api/rooms/{at.room}/jobs"), 200),
    ("GET", "/api/extensions/overview"): (lambda at: at.root.get("/api/extensions/overview"), 200),
    ("GET", "/api/jobs"): (lambda at: at.root.get("/api/jobs", params={"room": at.room}), 200),
    ("GET", "/api/jobs/{job_id}"): (lambda at: at.ada.get(at.job), 200),
    ("DELETE", "/api/jobs/{job_id}"): (lambda at: at.ada.delete(at.job), 200),
    ("GET", "/api/jobs/{job_id}/history"): (lambda at: at.ada.get(f"{at.job}/history"), 200),
    ("PUT", "/api/jobs/{job_id}/status"): (lambda at: at.worker.put_status(at.item, "running"), 200),
    ("PUT", "/api/jobs/{job_id}/progress"): (
        lambda at: at.worker.start(at.item) or at.worker.put_progress(at.item, fraction=0.5),
        200,
    ),
    ("GET", "/api/jobs/{job_id}/logs"): (lambda at: at.ada.get(f"{at.job}/logs"), 200),
    ("POST", "/api/jobs/{job_id}/logs"): (
        lambda at: at.worker.start(at.item) or at.worker.post_logs(at.item, "hello"),
        200,
    ),
    ("POST", "/api/task"): (lambda at: at.root.task(at.room), 202),
    ("GET", "/api/task"): (lambda at: at.ada.get("/api/task", params={"workflow_run_id": at.room}), 200),
    ("GET", "/api/task/{task_id}"): (
        lambda at: at.root.get(f"/api/task/{at.root.task(at.room).json()['task_id']}"),
        200,
    ),
    ("PUT", "/api/jobs/{job_id}/artifacts/{name}"): (
        lambda at: at.worker.start(at.item) or at.worker.save(at.item, "plot.png", b"pixels"),
        200,
    ),
    ("GET", "/api/jobs/{job_id}/artifacts"): (lambda at: at.ada.get(f"{at.job}/artifacts"), 200),
    ("GET", "/api/jobs/{job_id}/artifacts/{name}"): (
        lambda at: saved(at) and at.ada.get(f"{at.job}/artifacts/plot.png"),
        200,
    ),
    ("PUT", "/api/jobs/{job_id}/preview"): (
        lambda at: at.worker.start(at.item) or at.worker.show(at.item, "png", b"pixels"),
        200,
    ),
    ("GET", "/api/jobs/{job_id}/preview"): (
        lambda at: saved(at) and at.ada.get(f"{at.job}/preview"),
        200,
    ),
    ("POST", "/api/rooms/{room}/files"): (uploaded, 201),
    ("GET", "/api/rooms/{room}/files"): (
        lambda at: uploaded(at) and at.ada.get(f"/api/rooms/{at.room}/files"),
        200,
    ),
    ("GET", "/api/rooms/{room}/files/{file_id}"): (
        lambda at: at.ada.get(f"/api/rooms/{at.room}/files/{uploaded(at).json()['id']}"),
        200,
    ),
    ("DELETE", "/api/rooms/{room}/files/{file_id}"): (
        lambda at: at.ada.delete(f"/api/rooms/{at.room}/files/{uploaded(at).json()['id']}"),
        200,
    ),
    ("POST", "/api/workers/register"): (lambda at: at.ada.register(extension(at.room, "Other")), 201),
    ("GET", "/api/workers"): (lambda at: at.root.get("/api/workers"), 200),
    ("GET", "/api/workers/{worker_id}"): (lambda at: at.ada.get(f"/api/workers/{at.worker.id}"), 200),
    ("DELETE", "/api/workers/{worker_id}"): (lambda at: at.ada.delete(f"/api/workers/{at.worker.id}"), 200),
    ("GET", "/api/workers/{worker_id}/jobs"): (
        lambda at: at.ada.get(f"/api/workers/{at.worker.id}/jobs"),
        200,
    ),
    ("PUT", "/api/workers/{worker_id}/heartbeat"): (
        lambda at: at.ada.put(
            f"/api/workers/{at.worker.id}/heartbeat", json={"session": at.worker.session, "seen": 1}
        ),
        200,
    ),
    ("POST", "/api/workers/{worker_id}/shutdown"): (
        lambda at: at.ada.post(f"/api/workers/{at.worker.id}/shutdown"),
        200,
    ),
    ("POST", "/api/workers/{worker_id}/drain"): (
        lambda at: at.ada.post(f"/api/workers/{at.worker.id}/drain"),
        200,
    ),
    ("POST", "/api/rooms/{room}/extensions/{scope}/{category}/{name}/pause"): (
        lambda at: at.ada.post(f"/api/rooms/{at.room}/extensions/room/analysis/Echo/pause"),
        200,
    ),
    ("POST", "/api/rooms/{room}/extensions/{scope}/{category}/{name}/resume"): (
        lambda at: at.ada.post(f"/api/rooms/{at.room}/extensions/room/analysis/Echo/resume"),
        200,
    ),
    ("POST", "/api/jobs/{job_id}/retry"): (
        lambda at: at.ada.delete(at.job) and at.ada.post(f"{at.job}/retry"),
        202,
    ),
    ("POST", "/api/rooms/{room}/jobs/retry"): (
        lambda at: at.ada.post(f"/api/rooms/{at.room}/jobs/retry", params={"status": "cancelled"}),
        202,
    ),
    ("POST", "/api/token/renew"): (lambda at: at.ada.post("/api/token/renew"), 200),
    ("POST", "/api/token/revoke"): (lambda at: at.ada.post("/api/token/revoke", json={}), 200),
    ("POST", "/api/stream-ticket"): (lambda at: at.ada.post("/api/stream-ticket"), 200),
    ("GET", "/api/users"): (lambda at: at.root.get("/api/users"), 200),
    ("POST", "/api/users"): (
        lambda at: at.root.post("/api/users", json={"name": f"u-{at.room}", "password": "long enough"}),
        201,
    ),
    ("PATCH", "/api/users/{user}"): (
        lambda at: at.root.request("PATCH", f"/api/users/{at.ada.user}", json={"disabled": True}),
        200,
    ),
    ("POST", "/api/tokens"): (lambda at: at.root.post("/api/tokens", json={"name": f"gpu-{at.room}"}), 201),
    ("PATCH", "/api/rooms/{room}"): (
        lambda at: at.ada.request("PATCH", f"/api/rooms/{at.room}", json={"title": "Lab"}),
        200,
    ),
    ("DELETE", "/api/rooms/{room}"): (lambda at: at.ada.delete(f"/api/rooms/{at.room}"), 200),
    ("GET", "/api/rooms/{room}/members"): (lambda at: at.ada.get(f"/api/rooms/{at.room}/members"), 200),
    ("POST", "/api/rooms/{room}/members"): (
        lambda at: at.ada.post(f"/api/rooms/{at.room}/members", json={"user": "admin"}),
        201,
    ),
    ("DELETE", "/api/rooms/{room}/members/{user}"): (
        lambda at: at.ada.delete(f"/api/rooms/{at.room}/members/admin"),
        200,
    ),
    ("POST", "/api/rooms/{room}/invite"): (
        lambda at: at.ada.post(f"/api/rooms/{at.room}/invite", json={}),
        201,
    ),
    ("DELETE", "/api/rooms/{room}/invite"): (
        lambda at: at.ada.delete(f"/api/rooms/{at.room}/invite"),
        200,
    ),
    ("POST", "/api/rooms/{room}/pair"): (lambda at: at.ada.post(f"/api/rooms/{at.room}/pair", json={}), 201),
    ("GET", "/api/rooms/{room}/chat"): (lambda at: at.ada.get(f"/api/rooms/{at.room}/chat"), 200),
    ("POST", "/api/rooms/{room}/chat"): (
        lambda at: at.ada.post(f"/api/rooms/{at.room}/chat", json={"text": "hello"}),
        201,
    ),
    ("GET", "/healthz"): (lambda at: at.ada.get("/healthz"), 200),
    ("GET", "/readyz"): (lambda at: at.ada.get("/readyz"), 200),
}

STREAMS: dict[tuple[str, str], Callable[[Scene], str]] = {
    ("GET", "/api/jobs/{job_id}/stream"): lambda at: f"{at.job}/stream",
    ("GET", "/api/task/{task_id}/stream"): (
        lambda at: f"/api/task/{at.root.task(at.room).json()['task_id']}/stream"
    ),
    ("GET", "/api/rooms/{room}/stream"): lambda at: f"/api/rooms/{at.room}/stream",
}


@pytest.mark.parametrize("route", STREAMS, ids=" ".join)
def test_the_stream_opens(route: tuple[str, str], room: str, ada: Person, root: Person) -> None:
    worker = ada.work(extension(room))
    ada.order(room)
    path = STREAMS[route](Scene(room, ada, root, worker, worker.take()))

    with ada.stream("GET", path) as response:
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert next(response.iter_lines()) == ": ping"


@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_the_route_answers_on_its_happy_path(
    route: tuple[str, str], room: str, ada: Person, root: Person
) -> None:
    worker = ada.work(extension(room))
    ada.order(room)
    call, status = ROUTES[route]

    response = call(Scene(room, ada, root, worker, worker.take()))

    assert response.status_code == status, response.text
    if route in FILES:
        assert response.content == b"pixels"
        return
    assert response.headers["content-type"] == "application/json"
    assert isinstance(response.json(), dict)


def test_the_table_above_names_every_route_of_the_server(ada: Person) -> None:
    paths = ada.get("/openapi.json").json()["paths"]
    served = {(method.upper(), path) for path, methods in paths.items() for method in methods}

    assert served == set(ROUTES) | set(STREAMS)


def test_no_route_hands_out_the_next_job(ada: Person) -> None:
    paths = ada.get("/openapi.json").json()["paths"]

    assert not [path for path in paths if "next" in path or "poll" in path or "claim" in path]


def test_health_needs_no_token_and_says_which_version_runs(anyone: httpx.Client) -> None:
    health = anyone.get("/healthz").json()

    assert health["status"] == "ok"
    assert health["version"]


@pytest.mark.parametrize(
    ("path", "kind"), [("/docs", "text/html; charset=utf-8"), ("/openapi.json", "application/json")]
)
def test_the_documentation_is_served_without_a_token(anyone: httpx.Client, path: str, kind: str) -> None:
    response = anyone.get(path)

    assert response.status_code == 200
    assert response.headers["content-type"] == kind


def test_no_route_is_left_to_be_worked_out_by_the_first_request() -> None:
    assert [each for each in rest(Settings()).routes if not isinstance(each, routing.Route)] == []
