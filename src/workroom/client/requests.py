"""Every REST call the client makes, as a value: built here, sent elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from uuid_utils import uuid7

from workroom.runtime.extension import Extension


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    body: Any = None
    params: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    is_idempotent: bool = False
    spoken: tuple[str, dict[str, Any]] | None = None  # the same as an event, for an open socket

    @property
    def is_repeatable(self) -> bool:
        """May it be sent again when no answer came?"""
        return self.is_idempotent or self.is_waited_for or self.method == "GET"

    @property
    def is_waited_for(self) -> bool:
        """Is it sent again and again while the server is away? Questions are left to who asked."""
        return "Idempotency-Key" in self.headers or self.method == "PUT"


def _path(*parts: str) -> str:
    return "/api/" + "/".join(quote(part, safe="") for part in parts)


def _given(**params: object) -> dict[str, str]:
    return {name: str(value) for name, value in params.items() if value is not None}


def login(name: str, password: str | None) -> Request:
    return Request("POST", _path("login"), {"name": name, "password": password})


def renew() -> Request:
    return Request("POST", _path("token", "renew"))


def me() -> Request:
    return Request("GET", _path("users", "me"))


def submit(room: str, category: str, name: str, data: dict[str, Any], priority: int | None) -> Request:
    path = _submit_path(room, category, name)
    body, key = {"data": data, "priority": priority}, str(uuid7())
    event = {"room": room, "category": category, "name": name, "key": key, **body}
    return Request("POST", path, body, headers={"Idempotency-Key": key}, spoken=("job:submit", event))


@lru_cache(maxsize=256)
def _submit_path(room: str, category: str, name: str) -> str:
    return _path("rooms", room, "extensions", category, name, "submit")


def submit_batch(room: str, extensions: Sequence[Extension], priority: int | None) -> Request:
    jobs = [
        {
            "category": each.category,
            "name": each.extension_name,
            "data": each.model_dump(mode="json"),
            "priority": priority,
        }
        for each in extensions
    ]
    brief = {"Prefer": "return=minimal"}
    return Request("POST", _path("rooms", room, "jobs", "batch"), {"jobs": jobs}, headers=brief)


def job(job_id: str) -> Request:
    return Request("GET", _path("jobs", job_id))


def job_stream(job_id: str, last_id: str) -> Request:
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last_id} if last_id else {})}
    return Request("GET", _path("jobs", job_id, "stream"), headers=headers)


def chat(room: str, limit: int, before: int | None) -> Request:
    return Request("GET", _path("rooms", room, "chat"), params=_given(limit=limit, cursor=before))


def say(room: str, text: str) -> Request:
    return Request("POST", _path("rooms", room, "chat"), {"text": text})


def job_history(job_id: str) -> Request:
    return Request("GET", _path("jobs", job_id, "history"))


def job_logs(job_id: str, after: int) -> Request:
    return Request("GET", _path("jobs", job_id, "logs"), params=_given(after=after))


def cancel(job_id: str) -> Request:
    return Request("DELETE", _path("jobs", job_id), is_idempotent=True)


def room_jobs(
    room: str, status: str | None = None, extension: str | None = None, limit: int | None = None
) -> Request:
    params = _given(status=status, extension=extension, limit=limit)
    return Request("GET", _path("rooms", room, "jobs"), params=params)


def extensions(room: str) -> Request:
    return Request("GET", _path("rooms", room, "extensions"))


def workers(room: str) -> Request:
    return Request("GET", _path("rooms", room, "workers"))


def last_values(room: str, category: str, name: str) -> Request:
    return Request("GET", _path("rooms", room, "extensions", category, name, "data"))


@dataclass(frozen=True, slots=True)
class Offered:
    """An extension that this process serves; without a room it is public."""

    extension: type[Extension]
    room: str | None


def register(
    worker_id: str, name: str, slots: int, machine: dict[str, Any], offered: Sequence[Offered]
) -> Request:
    body = {
        "worker_id": worker_id,
        "name": name,
        "slots": slots,
        "machine": machine,
        "extensions": [_extension(each) for each in offered],
    }
    return Request("POST", _path("workers", "register"), body, is_idempotent=True)


def _extension(offered: Offered) -> dict[str, Any]:
    return {
        "category": offered.extension.category,
        "name": offered.extension.extension_name,
        "schema": offered.extension.model_json_schema(),
        "room": offered.room,
        "public": offered.room is None,
        "policy": asdict(offered.extension.policy),
    }


def artifacts(job_id: str) -> Request:
    return Request("GET", _path("jobs", job_id, "artifacts"))


def artifact(job_id: str, name: str) -> Request:
    return Request("GET", _path("jobs", job_id, "artifacts", name))


def save_artifact(job_id: str, name: str) -> Request:
    return Request("PUT", _path("jobs", job_id, "artifacts", name))


def show_preview(job_id: str, kind: str) -> Request:
    return Request("PUT", _path("jobs", job_id, "preview"), params={"kind": kind})


def upload_file(room: str, name: str) -> Request:
    return Request("POST", _path("rooms", room, "files"), params={"name": name})


def room_files(room: str, limit: int | None = None) -> Request:
    return Request("GET", _path("rooms", room, "files"), params=_given(limit=limit))


def room_file(room: str, file_id: str) -> Request:
    return Request("GET", _path("rooms", room, "files", file_id))


def shutdown(worker_id: str) -> Request:
    return Request("POST", _path("workers", worker_id, "shutdown"), is_idempotent=True)
