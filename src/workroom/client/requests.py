"""The REST calls of the client, as values: built here without I/O, sent by `transport`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from uuid_utils import uuid7

from workroom import tracing
from workroom.client.conditions import When, condition_fields, values_and_refs
from workroom.domain.files import UNKNOWN_TYPE
from workroom.runtime.extension import Extension


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    body: Any = None
    params: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    is_idempotent: bool = False
    event: tuple[str, dict[str, Any]] | None = None  # the equivalent event, for an open socket
    with_etag: bool = False  # respond with the document and its ETag
    parts: tuple[bytes | memoryview, ...] = ()  # the body, where it is not JSON
    media_type: str = ""  # of these
    is_binary: bool = False  # respond with the bytes and the headers

    @property
    def is_repeatable(self) -> bool:
        """Whether it may be sent again after no response came."""
        return self.is_idempotent or self.is_retried or self.method == "GET"

    @property
    def is_retried(self) -> bool:
        """Whether it is sent again while the server is down. Whether to repeat a read is up to the caller."""
        is_piece = self.is_idempotent and bool(self.parts)
        return is_piece or "Idempotency-Key" in self.headers or self.method == "PUT"


def api_path(*parts: str) -> str:
    return "/api/" + "/".join(quote(part, safe="") for part in parts)


def _present(**params: object) -> dict[str, str]:
    return {name: str(value) for name, value in params.items() if value is not None}


def login(name: str, password: str) -> Request:
    return Request("POST", api_path("login"), {"name": name, "password": password})


def log_in_guest(name: str, secret: str) -> Request:
    """Repeatable: the same name and secret are the same guest."""
    return Request("POST", api_path("login"), {"name": name, "secret": secret}, is_idempotent=True)


def renew() -> Request:
    return Request("POST", api_path("token", "renew"))


def me() -> Request:
    return Request("GET", api_path("users", "me"))


def submit(
    room: str,
    category: str,
    name: str,
    data: dict[str, Any],
    priority: int | None,
    conditions: dict[str, Any] | None = None,
) -> Request:
    path = _submit_path(room, category, name)
    body, key = {"data": data, "priority": priority, **(conditions or {})}, str(uuid7())
    event = {"room": room, "category": category, "name": name, "key": key, **body}
    headers = {"Idempotency-Key": key}
    if (trace := tracing.current()) is not None:
        event["traceparent"] = headers[tracing.HEADER] = trace
    return Request("POST", path, body, headers=headers, event=("job:submit", event))


@lru_cache(maxsize=256)
def _submit_path(room: str, category: str, name: str) -> str:
    return api_path("rooms", room, "extensions", category, name, "submit")


def batch_items(
    extensions: Sequence[Extension], priority: int | None, when: When | None = None
) -> list[dict[str, Any]]:
    return [_batch_item(each, priority, when or {}) for each in extensions]


def _batch_item(extension: Extension, priority: int | None, when: When) -> dict[str, Any]:
    data, refs = values_and_refs(extension)
    return {
        "category": extension.category,
        "name": extension.extension_name,
        "data": data,
        "priority": priority,
        **condition_fields(when, refs),
    }


def submit_batch(room: str, jobs: Sequence[dict[str, Any]]) -> Request:
    path = api_path("rooms", room, "jobs", "batch")
    return Request("POST", path, {"jobs": list(jobs)}, headers=_batch_headers())


def create_group(
    room: str, title: str, parameters: Sequence[str], jobs: Sequence[dict[str, Any]], *, stays_open: bool
) -> Request:
    body = {"title": title, "parameters": list(parameters), "jobs": list(jobs), "open": stays_open}
    return Request("POST", api_path("rooms", room, "groups"), body, headers=_batch_headers())


def add_to_group(group: str, jobs: Sequence[dict[str, Any]], *, stays_open: bool) -> Request:
    body = {"jobs": list(jobs), "open": stays_open}
    return Request("POST", api_path("groups", group, "jobs"), body, headers=_batch_headers())


def _batch_headers() -> dict[str, str]:
    headers = {"Prefer": "return=minimal", "Idempotency-Key": str(uuid7())}
    trace = tracing.current()
    return headers if trace is None else {**headers, tracing.HEADER: trace}


def group(group_id: str) -> Request:
    return Request("GET", api_path("groups", group_id))


def groups(room: str, limit: int) -> Request:
    return Request("GET", api_path("rooms", room, "groups"), params=_present(limit=limit))


def group_jobs(group_id: str, status: str | None, cursor: int | None, limit: int) -> Request:
    params = _present(status=status, cursor=cursor, limit=limit)
    return Request("GET", api_path("groups", group_id, "jobs"), params=params)


def ended_jobs(group_id: str, after: int, limit: int, wait: float) -> Request:
    params = _present(after=after, limit=limit, wait=wait)
    return Request("GET", api_path("groups", group_id, "ended"), params=params)


def change_group(group_id: str, change: str) -> Request:
    """`cancel`, `pause`, `resume` or `retry`: repeating one changes nothing more."""
    return Request("POST", api_path("groups", group_id, change), is_idempotent=True)


def job(job_id: str) -> Request:
    return Request("GET", api_path("jobs", job_id))


def job_stream(job_id: str, last_id: str) -> Request:
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last_id} if last_id else {})}
    return Request("GET", api_path("jobs", job_id, "stream"), headers=headers)


def chat(room: str, limit: int, before: int | None) -> Request:
    return Request("GET", api_path("rooms", room, "chat"), params=_present(limit=limit, cursor=before))


def post_chat(room: str, text: str) -> Request:
    return Request("POST", api_path("rooms", room, "chat"), {"text": text})


def job_questions(job_id: str) -> Request:
    return Request("GET", api_path("jobs", job_id, "questions"))


def room_questions(room: str, cursor: int | None) -> Request:
    return Request("GET", api_path("rooms", room, "questions"), params=_present(cursor=cursor))


def answer(job_id: str, question_id: int, answer: dict[str, Any]) -> Request:
    """Repeatable: the same answer again changes nothing."""
    path = api_path("jobs", job_id, "questions", str(question_id), "answer")
    return Request("POST", path, {"answer": answer}, is_idempotent=True)


def job_history(job_id: str) -> Request:
    return Request("GET", api_path("jobs", job_id, "history"))


def job_logs(job_id: str, after: int) -> Request:
    return Request("GET", api_path("jobs", job_id, "logs"), params=_present(after=after))


def cancel(job_id: str) -> Request:
    return Request("DELETE", api_path("jobs", job_id), is_idempotent=True)


def rooms(limit: int) -> Request:
    return Request("GET", api_path("rooms"), params=_present(limit=limit))


def room(name: str) -> Request:
    return Request("GET", api_path("rooms", name))


def create_room(name: str) -> Request:
    return Request("POST", api_path("rooms"), {"name": name}, is_idempotent=True)


def annotate(job_id: str, change: dict[str, Any]) -> Request:
    return Request("PATCH", api_path("jobs", job_id), change, is_idempotent=True)


def room_jobs(
    room: str,
    status: str | None = None,
    extension: str | None = None,
    limit: int | None = None,
    search: str | None = None,
    cursor: int | None = None,
) -> Request:
    params = _present(status=status, extension=extension, limit=limit, q=search, cursor=cursor)
    return Request("GET", api_path("rooms", room, "jobs"), params=params)


def extensions(room: str) -> Request:
    return Request("GET", api_path("rooms", room, "extensions"))


def workers(room: str) -> Request:
    return Request("GET", api_path("rooms", room, "workers"))


def accept_worker(room: str | None, worker: str) -> Request:
    return Request("POST", api_path("workers", worker, "accept"), _present(room=room))


def refuse_worker(room: str | None, worker: str, reason: str | None) -> Request:
    return Request("POST", api_path("workers", worker, "refuse"), _present(room=room, reason=reason))


def dismiss_worker(room: str | None, worker: str, reason: str | None) -> Request:
    return Request("DELETE", api_path("workers", worker), params=_present(room=room, reason=reason))


def last_values(room: str, category: str, name: str) -> Request:
    return Request("GET", api_path("rooms", room, "extensions", category, name, "data"))


def presets(room: str, category: str, name: str) -> Request:
    return Request("GET", api_path("rooms", room, "presets", category, name))


def preset(room: str, category: str, name: str, preset: str, *, shared: bool) -> Request:
    return Request("GET", _preset_path(room, category, name, preset, shared))


def save_preset(
    room: str, category: str, name: str, preset: str, data: dict[str, Any], *, shared: bool, replace: bool
) -> Request:
    body = {"data": data, "replace": replace}
    return Request("PUT", _preset_path(room, category, name, preset, shared), body)


def delete_preset(room: str, category: str, name: str, preset: str, *, shared: bool) -> Request:
    return Request("DELETE", _preset_path(room, category, name, preset, shared))


def _preset_path(room: str, category: str, name: str, preset: str, shared: bool) -> str:
    return api_path("rooms", room, "presets", category, name, "room" if shared else "mine", preset)


def view_link(room: str) -> Request:
    return Request("POST", api_path("rooms", room, "view-link"))


def invite(room: str, seconds: float | None, uses: int, role: str) -> Request:
    body = {"seconds": seconds, "uses": uses, "role": role}
    return Request("POST", api_path("rooms", room, "invite"), body)


@dataclass(frozen=True, slots=True)
class Offer:
    """An extension that this process serves, in one room or, without a room, in all."""

    extension: type[Extension]
    room: str | None


def register(
    worker_id: str, name: str, slots: int, machine: dict[str, Any], offers: Sequence[Offer]
) -> Request:
    body = {
        "worker_id": worker_id,
        "name": name,
        "slots": slots,
        "machine": machine,
        "extensions": [_extension(each) for each in offers],
    }
    return Request("POST", api_path("workers", "register"), body, is_idempotent=True)


def _extension(offer: Offer) -> dict[str, Any]:
    return {
        "category": offer.extension.category,
        "name": offer.extension.extension_name,
        "schema": offer.extension.model_json_schema(),
        "room": offer.room,
        "public": offer.room is None,
        "policy": asdict(offer.extension.policy),
    }


def artifacts(job_id: str) -> Request:
    return Request("GET", api_path("jobs", job_id, "artifacts"))


def artifact(job_id: str, name: str) -> Request:
    return Request("GET", api_path("jobs", job_id, "artifacts", name))


def save_artifact(job_id: str, name: str) -> Request:
    return Request("PUT", api_path("jobs", job_id, "artifacts", name))


def show_preview(job_id: str, kind: str) -> Request:
    return Request("PUT", api_path("jobs", job_id, "preview"), params={"kind": kind})


def show_positions(job_id: str, frame: int, positions: bytes) -> Request:
    path = api_path("jobs", job_id, "positions")
    return Request("POST", path, params={"frame": str(frame)}, parts=(positions,), media_type=UNKNOWN_TYPE)


def upload_file(room: str, name: str) -> Request:
    return Request("POST", api_path("rooms", room, "files"), params={"name": name})


def room_files(room: str, limit: int | None = None) -> Request:
    return Request("GET", api_path("rooms", room, "files"), params=_present(limit=limit))


def room_file(room: str, file_id: str) -> Request:
    return Request("GET", api_path("rooms", room, "files", file_id))


def shutdown(worker_id: str) -> Request:
    return Request("POST", api_path("workers", worker_id, "shutdown"), is_idempotent=True)
