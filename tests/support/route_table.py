"""Every route of the server, with a request that succeeds and its status."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from support.users import Document, Person, SocketWorker, extension, fence
from workroom.runtime.frames import message
from workroom.runtime.frames.message import Block, Column, ColumnKind


@dataclass
class Scene:
    """Ada's room, with a worker of hers that was just assigned a job."""

    room: str
    ada: Person
    root: Person
    worker: SocketWorker
    item: Document

    @property
    def job(self) -> str:
        return f"/api/jobs/{self.item['job_id']}"


Route = Callable[[Scene], httpx.Response]

FILES = {  # these respond with bytes
    ("GET", "/api/jobs/{job_id}/artifacts/{name}"),
    ("GET", "/api/jobs/{job_id}/preview"),
    ("GET", "/api/rooms/{room}/files/{file_id}"),
}
MESSAGES = {  # these respond with frames
    ("GET", "/api/rooms/{room}/frames/data"),
    ("GET", "/api/rooms/{room}/frames/columns"),
}
TEXTS = {("GET", "/metrics")}  # these respond with plain text
FRAME = b"".join(message.encode([Block(1, (Column("energy", ColumnKind.VALUE, values=1.5),))], []))
TABLES = {  # these respond with CSV
    ("GET", "/api/rooms/{room}/jobs.csv"),
    ("GET", "/api/groups/{group}/jobs.csv"),
}


def saved(at: Scene) -> Scene:
    """The job runs, and has saved and shown a file."""
    at.worker.start(at.item)
    at.worker.show(at.item, "png", b"pixels")
    assert at.worker.save(at.item, "plot.png", b"pixels").is_success
    return at


def asked(at: Scene) -> Scene:
    """The job runs, and has a question and an id at a provider."""
    at.worker.start(at.item)
    at.worker.ask(at.item, timeout_ms=60_000)
    at.worker.call("job:external", [{**fence(at.item), "provider": "leonardo", "id": "g-1"}])
    return at


def uploaded(at: Scene) -> httpx.Response:
    return at.ada.post(f"/api/rooms/{at.room}/files", params={"name": "notes.txt"}, content=b"pixels")


def created_group(at: Scene) -> httpx.Response:
    body = {"jobs": [{"category": "analysis", "name": "Echo"}], "open": True}
    return at.ada.post(f"/api/rooms/{at.room}/groups", json=body)


def group(at: Scene) -> str:
    """The path of an open group."""
    return f"/api/groups/{created_group(at).json()['group']['id']}"


def preset(at: Scene) -> str:
    """The path of a preset of the room."""
    path = f"/api/rooms/{at.room}/presets/analysis/Echo/room/wide"
    assert at.ada.put(path, json={"data": {"window": 9}}).is_success
    return path


LOCK_TOKEN = "a-token-that-nobody-knows"


def locked(at: Scene) -> httpx.Response:
    return at.ada.post(f"/api/rooms/{at.room}/locks/frames", json={"token": LOCK_TOKEN, "message": "mine"})


def written(at: Scene) -> httpx.Response:
    return at.ada.put(f"/api/rooms/{at.room}/state/metadata", json={"a": [1, None]})


def restored(at: Scene) -> httpx.Response:
    first = written(at).json()["version"]
    written(at)
    return at.ada.post(f"/api/rooms/{at.room}/versions/{first}/restore")


def recorded(at: Scene) -> httpx.Response:
    record = {"body": {"prompt": "a cat"}, "fields": {"state": "done", "tries": 2}}
    return at.ada.put(f"/api/rooms/{at.room}/records/shots/s1", json=record)


def framed(at: Scene) -> httpx.Response:
    """A frame in the room."""
    return at.ada.post(f"/api/rooms/{at.room}/frames", params={"op": "append"}, content=FRAME)


def uploaded_piece(at: Scene) -> httpx.Response:
    digest = hashlib.sha256(FRAME).hexdigest()
    return at.ada.put(f"/api/rooms/{at.room}/frames/pieces/{digest}", content=FRAME)


def posted_piece(at: Scene) -> httpx.Response:
    return at.ada.post(f"/api/rooms/{at.room}/frames/pieces", content=FRAME)


def with_password(at: Scene) -> httpx.Response:
    """A new user changes their password."""
    name, password = f"{at.room}-user", "correct horse"
    at.root.post("/api/users", json={"name": name, "password": password})
    token = at.root.post("/api/login", json={"name": name, "password": password}).json()["token"]
    return at.ada.post(
        "/api/users/me/password",
        json={"current_password": password, "password": "battery staple"},
        headers={"Authorization": f"Bearer {token}"},
    )


def waiting(at: Scene) -> str:
    """Another user's worker that offers an extension of ada's."""
    token = at.root.post("/api/tokens", json={"name": f"box-of-{at.room}"}).json()["token"]
    body = {"extensions": [extension(at.room)]}
    headers = {"Authorization": f"Bearer {token}"}
    return str(at.ada.post("/api/workers/register", json=body, headers=headers).json()["worker_id"])


ROUTES: dict[tuple[str, str], tuple[Route, int]] = {
    ("POST", "/api/login"): (lambda at: at.ada.post("/api/login", json={"name": "eve"}), 200),
    ("GET", "/api/users/me"): (lambda at: at.ada.get("/api/users/me"), 200),
    ("PATCH", "/api/users/me"): (
        lambda at: at.ada.request("PATCH", "/api/users/me", json={"display_name": f"Ada of {at.room}"}),
        200,
    ),
    ("GET", "/api/people"): (lambda at: at.ada.get("/api/people", params={"id": at.ada.user}), 200),
    ("POST", "/api/users/me/password"): (with_password, 200),
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
    ("DELETE", "/api/task/{task_id}"): (
        lambda at: at.root.delete(f"/api/task/{at.root.task(at.room).json()['task_id']}"),
        200,
    ),
    ("PUT", "/api/jobs/{job_id}/artifacts/{name}"): (
        lambda at: at.worker.start(at.item) or at.worker.save(at.item, "plot.png", b"pixels"),
        200,
    ),
    ("GET", "/api/jobs/{job_id}/artifacts"): (lambda at: at.ada.get(f"{at.job}/artifacts"), 200),
    ("GET", "/api/jobs/{job_id}/artifacts/{name}"): (
        lambda at: saved(at).ada.get(f"{at.job}/artifacts/plot.png"),
        200,
    ),
    ("POST", "/api/jobs/{job_id}/positions"): (
        lambda at: at.worker.start(at.item) or at.worker.move(at.item, 0, bytes(12)),
        200,
    ),
    ("PUT", "/api/jobs/{job_id}/preview"): (
        lambda at: at.worker.start(at.item) or at.worker.show(at.item, "png", b"pixels"),
        200,
    ),
    ("GET", "/api/jobs/{job_id}/preview"): (
        lambda at: saved(at).ada.get(f"{at.job}/preview"),
        200,
    ),
    ("GET", "/api/rooms/{room}/presets/{category}/{name}"): (
        lambda at: at.ada.get(preset(at).removesuffix("/room/wide")),
        200,
    ),
    ("GET", "/api/rooms/{room}/presets/{category}/{name}/{whose}/{preset}"): (
        lambda at: at.ada.get(preset(at)),
        200,
    ),
    ("PUT", "/api/rooms/{room}/presets/{category}/{name}/{whose}/{preset}"): (
        lambda at: at.ada.put(preset(at), json={"data": {}, "replace": True}),
        200,
    ),
    ("DELETE", "/api/rooms/{room}/presets/{category}/{name}/{whose}/{preset}"): (
        lambda at: at.ada.delete(preset(at)),
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
    ("POST", "/api/workers/{worker_id}/accept"): (
        lambda at: at.ada.post(f"/api/workers/{waiting(at)}/accept", json={}),
        200,
    ),
    ("POST", "/api/workers/{worker_id}/refuse"): (
        lambda at: at.ada.post(f"/api/workers/{waiting(at)}/refuse", json={"reason": "no"}),
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
    ("PATCH", "/api/jobs/{job_id}"): (
        lambda at: at.ada.request("PATCH", at.job, json={"name": "relax", "tags": ["paper"]}),
        200,
    ),
    ("POST", "/api/rooms/{room}/jobs/actions"): (
        lambda at: at.ada.post(
            f"/api/rooms/{at.room}/jobs/actions", json={"action": "star", "jobs": [at.item["job_id"]]}
        ),
        200,
    ),
    ("GET", "/api/rooms/{room}/jobs.csv"): (lambda at: at.ada.get(f"/api/rooms/{at.room}/jobs.csv"), 200),
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
    ("POST", "/api/rooms/{room}/view-link"): (
        lambda at: at.ada.post(f"/api/rooms/{at.room}/view-link"),
        201,
    ),
    ("GET", "/api/rooms/{room}/presence"): (
        lambda at: at.ada.get(f"/api/rooms/{at.room}/presence"),
        200,
    ),
    ("GET", "/api/rooms/{room}/locks"): (
        lambda at: locked(at) and at.ada.get(f"/api/rooms/{at.room}/locks"),
        200,
    ),
    ("POST", "/api/rooms/{room}/locks/{target}"): (locked, 200),
    ("PATCH", "/api/rooms/{room}/locks/{target}"): (
        lambda at: (
            locked(at)
            and at.ada.request("PATCH", f"/api/rooms/{at.room}/locks/frames", json={"token": LOCK_TOKEN})
        ),
        200,
    ),
    ("DELETE", "/api/rooms/{room}/locks/{target}"): (
        lambda at: (
            locked(at)
            and at.ada.delete(f"/api/rooms/{at.room}/locks/frames", headers={"Lock-Token": LOCK_TOKEN})
        ),
        200,
    ),
    ("POST", "/api/rooms/{room}/locks/{target}/break"): (
        lambda at: locked(at) and at.ada.post(f"/api/rooms/{at.room}/locks/frames/break"),
        200,
    ),
    ("GET", "/api/rooms/{room}/state"): (
        lambda at: written(at) and at.ada.get(f"/api/rooms/{at.room}/state"),
        200,
    ),
    ("GET", "/api/rooms/{room}/state/{key}"): (
        lambda at: written(at) and at.ada.get(f"/api/rooms/{at.room}/state/metadata"),
        200,
    ),
    ("PUT", "/api/rooms/{room}/state/{key}"): (written, 200),
    ("PATCH", "/api/rooms/{room}/state/{key}"): (
        lambda at: at.ada.request("PATCH", f"/api/rooms/{at.room}/state/metadata", json={"b": 2}),
        200,
    ),
    ("DELETE", "/api/rooms/{room}/state/{key}"): (
        lambda at: written(at) and at.ada.delete(f"/api/rooms/{at.room}/state/metadata"),
        200,
    ),
    ("GET", "/api/rooms/{room}/frames"): (
        lambda at: framed(at) and at.ada.get(f"/api/rooms/{at.room}/frames"),
        200,
    ),
    ("GET", "/api/rooms/{room}/frames/data"): (
        lambda at: framed(at) and at.ada.get(f"/api/rooms/{at.room}/frames/data"),
        200,
    ),
    ("GET", "/api/rooms/{room}/frames/columns"): (
        lambda at: (
            framed(at) and at.ada.get(f"/api/rooms/{at.room}/frames/columns", params={"keys": "energy"})
        ),
        200,
    ),
    ("PUT", "/api/rooms/{room}/frames/pieces/{sha256}"): (uploaded_piece, 201),
    ("POST", "/api/rooms/{room}/frames/pieces"): (posted_piece, 201),
    ("POST", "/api/rooms/{room}/frames/edit"): (
        lambda at: (
            framed(at) and at.ada.post(f"/api/rooms/{at.room}/frames/edit", json={"op": "delete", "at": 0})
        ),
        200,
    ),
    ("POST", "/api/rooms/{room}/frames"): (framed, 200),
    ("GET", "/api/rooms/{room}/versions"): (
        lambda at: written(at) and at.ada.get(f"/api/rooms/{at.room}/versions"),
        200,
    ),
    ("GET", "/api/rooms/{room}/versions/diff"): (
        lambda at: at.ada.get(
            f"/api/rooms/{at.room}/versions/diff",
            params={"before": written(at).json()["version"], "after": written(at).json()["version"]},
        ),
        200,
    ),
    ("POST", "/api/rooms/{room}/versions/{number}/restore"): (restored, 200),
    ("POST", "/api/rooms/{room}/undo"): (
        lambda at: written(at) and at.ada.post(f"/api/rooms/{at.room}/undo"),
        200,
    ),
    ("POST", "/api/rooms/{room}/redo"): (
        lambda at: (
            written(at)
            and at.ada.post(f"/api/rooms/{at.room}/undo")
            and at.ada.post(f"/api/rooms/{at.room}/redo")
        ),
        200,
    ),
    ("GET", "/api/rooms/{room}/records/{kind}"): (
        lambda at: recorded(at) and at.ada.get(f"/api/rooms/{at.room}/records/shots"),
        200,
    ),
    ("GET", "/api/rooms/{room}/records/{kind}/{id}"): (
        lambda at: recorded(at) and at.ada.get(f"/api/rooms/{at.room}/records/shots/s1"),
        200,
    ),
    ("PUT", "/api/rooms/{room}/records/{kind}/{id}"): (recorded, 200),
    ("DELETE", "/api/rooms/{room}/records/{kind}/{id}"): (
        lambda at: recorded(at) and at.ada.delete(f"/api/rooms/{at.room}/records/shots/s1"),
        200,
    ),
    ("POST", "/api/rooms/{room}/groups"): (created_group, 202),
    ("GET", "/api/rooms/{room}/groups"): (lambda at: at.ada.get(f"/api/rooms/{at.room}/groups"), 200),
    ("GET", "/api/groups/{group}"): (lambda at: at.ada.get(group(at)), 200),
    ("GET", "/api/groups/{group}/jobs"): (lambda at: at.ada.get(f"{group(at)}/jobs"), 200),
    ("POST", "/api/groups/{group}/jobs"): (
        lambda at: at.ada.post(f"{group(at)}/jobs", json={"jobs": []}),
        202,
    ),
    ("GET", "/api/groups/{group}/ended"): (lambda at: at.ada.get(f"{group(at)}/ended"), 200),
    ("GET", "/api/groups/{group}/jobs.csv"): (lambda at: at.ada.get(f"{group(at)}/jobs.csv"), 200),
    ("POST", "/api/groups/{group}/cancel"): (lambda at: at.ada.post(f"{group(at)}/cancel"), 202),
    ("POST", "/api/groups/{group}/pause"): (lambda at: at.ada.post(f"{group(at)}/pause"), 202),
    ("POST", "/api/groups/{group}/resume"): (lambda at: at.ada.post(f"{group(at)}/resume"), 202),
    ("POST", "/api/groups/{group}/retry"): (lambda at: at.ada.post(f"{group(at)}/retry"), 202),
    ("GET", "/api/jobs/{job_id}/arrows"): (lambda at: at.ada.get(f"{at.job}/arrows"), 200),
    ("GET", "/api/jobs/{job_id}/children"): (lambda at: at.ada.get(f"{at.job}/children"), 200),
    ("GET", "/api/jobs/{job_id}/questions"): (lambda at: asked(at).ada.get(f"{at.job}/questions"), 200),
    ("GET", "/api/rooms/{room}/questions"): (
        lambda at: asked(at).ada.get(f"/api/rooms/{at.room}/questions"),
        200,
    ),
    ("POST", "/api/jobs/{job_id}/questions/{question_id}/answer"): (
        lambda at: asked(at).ada.post(f"{at.job}/questions/1/answer", json={"answer": {"keep": True}}),
        200,
    ),
    ("GET", "/api/packs"): (lambda at: at.ada.get("/api/packs"), 200),
    ("GET", "/healthz"): (lambda at: at.ada.get("/healthz"), 200),
    ("GET", "/readyz"): (lambda at: at.ada.get("/readyz"), 200),
    ("GET", "/api/admin/overview"): (lambda at: at.root.get("/api/admin/overview"), 200),
    ("GET", "/api/admin/rooms"): (lambda at: at.root.get("/api/admin/rooms"), 200),
    ("GET", "/api/admin/settings"): (lambda at: at.root.get("/api/admin/settings"), 200),
    ("GET", "/api/admin/audit"): (lambda at: at.root.get("/api/admin/audit"), 200),
    ("POST", "/api/admin/jobs/actions"): (
        lambda at: at.root.post(
            "/api/admin/jobs/actions", json={"action": "star", "jobs": [at.item["job_id"]]}
        ),
        200,
    ),
    ("GET", "/metrics"): (lambda at: at.root.get("/metrics"), 200),
}

STREAMS: dict[tuple[str, str], Callable[[Scene], str]] = {
    ("GET", "/api/jobs/{job_id}/stream"): lambda at: f"{at.job}/stream",
    ("GET", "/api/task/{task_id}/stream"): (
        lambda at: f"/api/task/{at.root.task(at.room).json()['task_id']}/stream"
    ),
    ("GET", "/api/rooms/{room}/stream"): lambda at: f"/api/rooms/{at.room}/stream",
}

REPLACED = {  # these go another way with WORKROOM_FAST=0
    ("POST", "/api/rooms/{room}/extensions/{category}/{name}/submit"),
    ("GET", "/api/rooms/{room}/frames/data"),
    ("PUT", "/api/rooms/{room}/frames/pieces/{digest}"),
    ("POST", "/api/rooms/{room}/frames/pieces"),
    ("POST", "/api/rooms/{room}/frames"),
}


def in_each_mode(routes: Iterable[tuple[str, str]]) -> list[Any]:
    """As parameters of a test: those that are not replaced are the same code in either mode."""
    return [
        pytest.param(each, marks=() if each in REPLACED else pytest.mark.either_mode, id=" ".join(each))
        for each in routes
    ]
