"""References to results among the values of a job: `{"$result": {"job": ID, "path": "a.b"}}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from workroom.domain.schema.list_index import index_of

KEY = "$result"
MAX_REFERENCES = 100  # of one job


class Reference(NamedTuple):
    """A part of the result of a job; the path of a whole result is empty."""

    job: str
    path: str


class MissingPart(Exception):
    """The result has no such part."""


def references(value: Any) -> Iterator[Reference]:
    """Every reference among the values, in their order."""
    found = _reference(value)
    if found is not None:
        yield found
    elif isinstance(value, dict):
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def filled(value: Any, parts: Mapping[Reference, Any]) -> Any:
    """The values with every reference replaced by what it names."""
    found = _reference(value)
    if found is not None:
        return parts[found]
    if isinstance(value, dict):
        return {name: filled(each, parts) for name, each in value.items()}
    return [filled(each, parts) for each in value] if isinstance(value, list) else value


def _reference(value: Any) -> Reference | None:
    inner = value.get(KEY) if isinstance(value, dict) and len(value) == 1 else None
    if not isinstance(inner, dict) or not inner.keys() <= {"job", "path"}:
        return None
    job, path = inner.get("job"), inner.get("path", "")
    return Reference(job, path) if isinstance(job, str) and isinstance(path, str) else None


def part(result: Any, reference: Reference) -> Any:
    """What the reference names. Raises MissingPart."""
    for name in reference.path.split(".") if reference.path else ():
        if isinstance(result, dict) and name in result:
            result = result[name]
        elif isinstance(result, list) and (index := index_of(name, result)) is not None:
            result = result[index]
        else:
            raise MissingPart(f"the result of job {reference.job} has no '{reference.path[:100]}'")
    return result
