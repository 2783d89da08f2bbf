"""Finds the values of a job that are files of its room, according to its schema."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson

from workroom.domain.queries import FindFile
from workroom.ports import ReadableStore
from workroom.runtime.files import FORMAT
from workroom.services.bounded_cache import bounded_cache
from workroom.services.validation.schemas import MAX_FAULTS, MAX_PARSED, MAX_PATH, refuse_faults

_MAX_VISITS = 10_000  # beyond this a missing file is noticed only in run()
_Place = tuple[Any, Any, str]  # a part of the schema, its value and the path of the value


@bounded_cache(MAX_PARSED, lambda _, schema: len(schema))
def may_have_files(schema: bytes) -> bool:
    return FORMAT.encode() in schema


async def check_files(store: ReadableStore, room: str, schema: bytes, data: Any) -> None:
    """Refuse values that name files which the room does not have."""
    found = file_fields(schema, data)
    missing = {each for each in {*dict(found).values()} if await store.read(FindFile(room, each)) is None}
    paths = [path for path, file_id in found if file_id in missing][:MAX_FAULTS]
    refuse_faults(
        [{"path": path[:MAX_PATH], "message": "there is no such file in this room"} for path in paths]
    )


def file_fields(schema: bytes, data: Any) -> list[tuple[str, str]]:
    """The path and the file id of every value that is a file."""
    if not may_have_files(schema):
        return []
    root = orjson.loads(schema)
    found: dict[str, str] = {}
    waiting: list[_Place] = [(root, data, "")]
    seen: set[tuple[int, str]] = set()
    left = _MAX_VISITS
    while waiting and left > 0:
        part, value, path = waiting.pop()
        if not isinstance(part, dict) or (id(part), path) in seen:
            continue
        seen.add((id(part), path))
        if part.get("format") == FORMAT and isinstance(value, str):
            found[path] = value
        beneath = list(islice(_beneath(root, part, value, path), left))
        left -= len(beneath) + 1
        waiting.extend(beneath)
    return list(found.items())


def _beneath(root: dict[str, Any], part: dict[str, Any], value: Any, path: str) -> Iterator[_Place]:
    if isinstance(part.get("$ref"), str):
        yield _named(root, part["$ref"]), value, path
    for keyword in ("anyOf", "oneOf", "allOf"):
        choices = part.get(keyword)
        for choice in choices if isinstance(choices, list) else ():
            yield choice, value, path
    if isinstance(value, dict):
        yield from _fields(part, value, path)
    if isinstance(value, list) and isinstance(part.get("items"), dict):
        for number, each in enumerate(value):
            yield part["items"], each, f"{path}/{number}"


def _fields(part: dict[str, Any], value: dict[str, Any], path: str) -> Iterator[_Place]:
    """The fields that the schema describes: there may be many others."""
    others = part.get("additionalProperties")
    named = part.get("properties")
    fields = named if isinstance(named, dict) else {}
    for name in value if isinstance(others, dict) else fields.keys() & value.keys():
        yield fields.get(name, others), value[name], f"{path}/{name}"


def _named(root: dict[str, Any], reference: str) -> Any:
    part: Any = root
    for name in reference.removeprefix("#").split("/")[1:]:
        part = part.get(name) if isinstance(part, dict) else None
    return part
