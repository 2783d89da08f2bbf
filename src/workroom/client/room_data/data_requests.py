"""The REST calls on room data, as values: built here without I/O."""

from __future__ import annotations

from typing import Any

import orjson
from uuid_utils import uuid7

from workroom.client.requests import Request, api_path

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


def locks(room: str) -> Request:
    return Request("GET", api_path("rooms", room, "locks"))


def acquire_lock(room: str, target: str, token: str, message: str, ttl: float, wait: float) -> Request:
    """Repeatable: the same token gets the same lock."""
    body = {"token": token, "message": message, "ttl": ttl, "wait": wait}
    return Request("POST", api_path("rooms", room, "locks", target), body, is_idempotent=True)


def refresh_lock(room: str, target: str, token: str, message: str | None = None) -> Request:
    body = {"token": token, "message": message}
    return Request("PATCH", api_path("rooms", room, "locks", target), body, is_idempotent=True)


def release_lock(room: str, target: str, token: str) -> Request:
    headers = {"Lock-Token": token}
    return Request("DELETE", api_path("rooms", room, "locks", target), headers=headers, is_idempotent=True)


def break_lock(room: str, target: str) -> Request:
    return Request("POST", api_path("rooms", room, "locks", target, "break"), is_idempotent=True)


def documents(room: str) -> Request:
    return Request("GET", api_path("rooms", room, "state"))


def document(room: str, key: str, version: int | None = None) -> Request:
    params = {} if version is None else {"version": str(version)}
    return Request("GET", api_path("rooms", room, "state", key), params=params, with_etag=True)


def put_document(
    room: str, key: str, value: Any, headers: dict[str, str], summary: str, version: int | None = None
) -> Request:
    """`version` is what it must be now; 0 for a document that must not exist."""
    if version is not None:
        headers = {**headers, **({"If-Match": f'"{version}"'} if version else {"If-None-Match": "*"})}
    return Request(
        "PUT", api_path("rooms", room, "state", key), encoded(value), _summary(summary), _keyed(headers)
    )


def patch_document(room: str, key: str, patch: Any, headers: dict[str, str], summary: str) -> Request:
    return Request(
        "PATCH", api_path("rooms", room, "state", key), encoded(patch), _summary(summary), _keyed(headers)
    )


def delete_document(room: str, key: str, headers: dict[str, str], summary: str) -> Request:
    return Request("DELETE", api_path("rooms", room, "state", key), params=_summary(summary), headers=headers)


def versions(room: str, limit: int, before: int | None) -> Request:
    params = {"limit": str(limit), **({} if before is None else {"cursor": str(before)})}
    return Request("GET", api_path("rooms", room, "versions"), params=params)


def compare_versions(room: str, before: int, after: int) -> Request:
    params = {"before": str(before), "after": str(after)}
    return Request("GET", api_path("rooms", room, "versions", "diff"), params=params)


def undo(room: str, headers: dict[str, str], target: str | None) -> Request:
    return Request("POST", api_path("rooms", room, "undo"), params=_target(target), headers=_keyed(headers))


def redo(room: str, headers: dict[str, str], target: str | None) -> Request:
    return Request("POST", api_path("rooms", room, "redo"), params=_target(target), headers=_keyed(headers))


def _target(target: str | None) -> dict[str, str]:
    return {} if target is None else {"target": target}


def restore(room: str, number: int, headers: dict[str, str]) -> Request:
    return Request(
        "POST", api_path("rooms", room, "versions", str(number), "restore"), headers=_keyed(headers)
    )


def record(room: str, kind: str, id: str) -> Request:
    return Request("GET", api_path("rooms", room, "records", kind, id))


def records(room: str, kind: str, where: dict[str, Any], limit: int, cursor: int | None) -> Request:
    params = {"limit": str(limit)}
    if where:
        params["where"] = orjson.dumps(where).decode()
    if cursor is not None:
        params["cursor"] = str(cursor)
    return Request("GET", api_path("rooms", room, "records", kind), params=params)


def put_record(room: str, kind: str, id: str, body: Any, fields: dict[str, Any]) -> Request:
    """Repeatable: the same record again changes nothing."""
    document = encoded({"body": body, "fields": fields})
    return Request("PUT", api_path("rooms", room, "records", kind, id), document, is_idempotent=True)


def delete_record(room: str, kind: str, id: str) -> Request:
    return Request("DELETE", api_path("rooms", room, "records", kind, id))


def encoded(value: Any) -> orjson.Fragment:
    """JSON of a value that may contain NumPy arrays, Plotly figures and Pydantic models."""
    return orjson.Fragment(orjson.dumps(value, default=_plain, option=_OPTIONS))


def _plain(value: Any) -> Any:
    for name in ("to_plotly_json", "tolist", "model_dump"):
        convert = getattr(value, name, None)
        if convert is not None:
            return convert()
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"a document cannot hold a {type(value).__name__}")


def _keyed(headers: dict[str, str]) -> dict[str, str]:
    """With a key, a request is sent again while the server is down, and has its effect once."""
    return {**headers, "Idempotency-Key": str(uuid7())}


def _summary(summary: str) -> dict[str, str]:
    return {"summary": summary} if summary else {}
