"""The REST calls on frames, as values: built here without I/O."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from uuid_utils import uuid7

from workroom.client.requests import Request, api_path
from workroom.runtime.frames.encoder import Message
from workroom.runtime.frames.message import MEDIA_TYPE

Slice = dict[str, int | None]  # start, stop and step
Source = dict[str, Any]  # {"piece": sha256} or {"frames": [start, stop, step]}


def info(room: str) -> Request:
    return Request("GET", api_path("rooms", room, "frames"))


def data(
    room: str,
    where: dict[str, str],
    *,
    keys: Sequence[str] | None,
    dtype: str | None,
    after: int,
    version: int | None = None,
    etag: int | None = None,
) -> Request:
    """`where` is an index or a slice."""
    params = {**where, **_keys(keys), **_number("version", version), **_number("etag", etag)}
    params |= {} if dtype is None else {"dtype": dtype}
    params |= {"after": str(after)} if after else {}
    return Request("GET", api_path("rooms", room, "frames", "data"), params=params, is_binary=True)


def columns(room: str, keys: Sequence[str], where: Slice, etag: int) -> Request:
    params = {**_keys(keys), **slice_params(where), **_number("etag", etag)}
    return Request("GET", api_path("rooms", room, "frames", "columns"), params=params, is_binary=True)


def post_piece(room: str, message: Message) -> Request:
    """Repeatable: a piece is named by its content."""
    path = api_path("rooms", room, "frames", "pieces")
    return Request("POST", path, parts=message.parts, media_type=MEDIA_TYPE, is_idempotent=True)


def edit(
    room: str,
    body: dict[str, Any],
    headers: dict[str, str],
    summary: str,
    *,
    group: str = "",
    version: int | None = None,
) -> Request:
    """`version` is what it must be now."""
    conditions = {} if version is None else {"If-Match": f'"{version}"'}
    grouped = {"Edit-Group": group} if group else {}
    keyed = {"Idempotency-Key": str(uuid7()), **headers, **conditions, **grouped}
    path = api_path("rooms", room, "frames", "edit")
    return Request("POST", path, body, _summary(summary), headers=keyed)


def put_frames(
    room: str, op: str, at: int | None, message: Message, key: str, headers: dict[str, str], summary: str
) -> Request:
    """Upload and edit in one request. `op` is append, insert or set."""
    params = {"op": op, **({} if at is None else {"at": str(at)}), **_summary(summary)}
    return Request(
        "POST",
        api_path("rooms", room, "frames"),
        params=params,
        headers={"Idempotency-Key": key, **headers},
        parts=message.parts,
        media_type=MEDIA_TYPE,
    )


def slice_params(where: Slice) -> dict[str, str]:
    return {name: str(value) for name, value in where.items() if value is not None}


def _summary(summary: str) -> dict[str, str]:
    return {"summary": summary} if summary else {}


def _keys(keys: Sequence[str] | None) -> dict[str, str]:
    for key in keys or ():
        if "," in key:
            raise ValueError(f"a key with a comma cannot be selected: {key!r}")
    return {} if keys is None else {"keys": ",".join(keys)}


def _number(name: str, value: int | None) -> dict[str, str]:
    return {} if value is None else {name: str(value)}
