"""Which of a job's values are files of the room, as its schema says."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import orjson

from workroom.domain.queries import FindFile
from workroom.ports import Store
from workroom.runtime.files import FORMAT
from workroom.services.schemas import refuse_faults

_MAX_VISITS = 10_000  # a schema is somebody's: whoever makes more of it learns of a missing file in run()
_Place = tuple[Any, Any, str]  # a part of the schema, the value there, and where that is


@lru_cache(maxsize=1024)
def may_have_files(schema: bytes) -> bool:
    return FORMAT.encode() in schema


async def check_files(store: Store, room: str, schema: bytes, data: Any) -> None:
    """Refuse files that the room does not have, and say where they are named."""
    found = file_fields(schema, data)
    missing = [path for path, file_id in found if await store.read(FindFile(room, file_id)) is None]
    refuse_faults([{"path": path, "message": "there is no such file in this room"} for path in missing])


def file_fields(schema: bytes, data: Any) -> list[tuple[str, str]]:
    """Where a value is the id of a file, and the id."""
    if not may_have_files(schema):
        return []
    root = orjson.loads(schema)
    found: dict[str, str] = {}
    waiting: list[_Place] = [(root, data, "")]
    seen: set[tuple[int, str]] = set()
    while waiting and len(seen) < _MAX_VISITS:
        part, value, path = waiting.pop()
        if not isinstance(part, dict) or (id(part), path) in seen:
            continue
        seen.add((id(part), path))
        if part.get("format") == FORMAT and isinstance(value, str):
            found[path] = value
        waiting.extend(_beneath(root, part, value, path))
    return list(found.items())


def _beneath(root: dict[str, Any], part: dict[str, Any], value: Any, path: str) -> Iterator[_Place]:
    if isinstance(part.get("$ref"), str):
        yield _named(root, part["$ref"]), value, path
    for keyword in ("anyOf", "oneOf", "allOf"):
        for choice in part.get(keyword, ()):
            yield choice, value, path
    if isinstance(value, dict):
        fields = part.get("properties", {})
        for name, each in value.items():
            yield fields.get(name, part.get("additionalProperties")), each, f"{path}/{name}"
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield part.get("items"), each, f"{path}/{number}"


def _named(root: dict[str, Any], reference: str) -> Any:
    part: Any = root
    for name in reference.removeprefix("#").split("/")[1:]:
        part = part.get(name) if isinstance(part, dict) else None
    return part
