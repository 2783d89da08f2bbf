"""Finds the secret values of a job by its schema: `SecretStr` or anything `writeOnly`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from workroom.domain.schema.list_index import index_of
from workroom.domain.schema.masking import MASK

Path = tuple[str | int, ...]
Secret = tuple[Path, Any]  # its path and its value
MAX_PARTS = 5_000
_HERE = ("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else")
_Place = tuple[Any, Any, Path]  # a subschema, the value it applies to, and the path of the value


class TooManyPlaces(ValueError):
    """The data has too many values that may be secret to check them all."""


class SecretFields:
    """The secret fields of a schema. Subschemas that cannot lead to one are skipped.

    In doubt a value is secret: all branches of a choice and all patterns of names are followed.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._root = schema
        self._leading = _leading_to_secrets(schema)

    def __bool__(self) -> bool:
        return id(self._root) in self._leading

    def find(self, values: Any, max_parts: int = MAX_PARTS) -> list[Path]:
        """The paths of secrets, outermost only. Raises TooManyPlaces."""
        found: set[Path] = set()
        waiting: list[_Place] = [(self._root, values, ())]
        seen: set[tuple[int, Path]] = set()
        while waiting:
            part, value, path = waiting.pop()
            if value is None or id(part) not in self._leading or (id(part), path) in seen:
                continue
            seen.add((id(part), path))
            if len(seen) > max_parts:
                raise TooManyPlaces
            if not is_secret(part):
                waiting.extend(self._beneath(part, value, path))
            elif path:
                found.add(path)
            else:
                found.update((name,) for name in value)
        return [path for path in sorted(found, key=len) if not _is_inside(path, found)]

    def lead_to(self, names: Sequence[str]) -> bool:
        """Whether the field of this name is secret, lies in a secret one, or contains secrets."""
        values: Any = ""
        for name in reversed(names):
            values = {name: values}
        waiting: list[_Place] = [(self._root, values, ())]
        seen: set[tuple[int, Path]] = set()
        while waiting:
            part, value, path = waiting.pop()
            if id(part) in self._leading and (id(part), path) not in seen:
                if value == "" or is_secret(part):
                    return True
                seen.add((id(part), path))
                waiting.extend(self._beneath(part, value, path))
        return False

    def _beneath(self, part: Mapping[str, Any], value: Any, path: Path) -> Iterator[_Place]:
        for keyword in _HERE:
            for choice in _as_list(part.get(keyword)):
                yield (_named(self._root, choice) if keyword == "$ref" else choice), value, path
        for choice in _as_map(part.get("dependentSchemas")).values():
            yield choice, value, path
        if isinstance(value, dict):
            for name, each in value.items():
                for child in _of_property(part, name):
                    yield child, each, (*path, name)
        if isinstance(value, list):
            first = _as_list(part.get("prefixItems"))
            others = [part.get(keyword) for keyword in ("items", "contains", "unevaluatedItems")]
            for number, each in enumerate(value):
                for child in (*first[number : number + 1], *others):
                    yield child, each, (*path, number)


def is_secret(part: Mapping[str, Any]) -> bool:
    return part.get("format") == "password" or part.get("writeOnly") is True


def take_out(values: Any, paths: Sequence[Path]) -> list[Secret]:
    """Replace secrets with masks, and return the secrets."""
    return [(path, _replace(values, path, MASK)) for path in paths]


def put_back(values: Any, secrets: Sequence[Secret]) -> Any:
    for path, value in secrets:
        _replace(values, path, value)
    return values


def masks_in(values: Any, paths: Sequence[Path]) -> list[Path]:
    """The paths at which a client sent back the mask instead of a secret."""
    return [path for path in paths if _at(values, path) == MASK]


def without_masks(values: Any) -> Any:
    """The values without secrets, to fill in a form again."""
    if isinstance(values, dict):
        return {name: without_masks(each) for name, each in values.items() if each != MASK}
    if isinstance(values, list):
        return [without_masks(each) for each in values if each != MASK]
    return values


def pointer(path: Path) -> str:
    return "".join(f"/{part}" for part in path)


def _replace(values: Any, path: Path, new: Any) -> Any:
    holder = _at(values, path[:-1])
    old, holder[path[-1]] = holder[path[-1]], new
    return old


def _at(values: Any, path: Path) -> Any:
    for part in path:
        values = values[part]
    return values


def _is_inside(path: Path, others: set[Path]) -> bool:
    return any(path[:length] in others for length in range(1, len(path)))


def _of_property(part: Mapping[str, Any], name: str) -> Iterator[Any]:
    fields = _as_map(part.get("properties"))
    yield fields.get(name)
    yield from _as_map(part.get("patternProperties")).values()
    if name not in fields:
        yield part.get("additionalProperties")
        yield part.get("unevaluatedProperties")


def _leading_to_secrets(schema: Mapping[str, Any]) -> set[int]:
    """The ids of all subschemas from which a secret field can be reached."""
    before: dict[int, list[int]] = {}
    secret: list[int] = []
    waiting: list[Mapping[str, Any]] = [schema]
    seen: set[int] = set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if is_secret(part):
            secret.append(id(part))
        for child in _parts_of(schema, part):
            before.setdefault(id(child), []).append(id(part))
            waiting.append(child)
    leading: set[int] = set()
    while secret:
        part_id = secret.pop()
        if part_id not in leading:
            leading.add(part_id)
            secret += before.get(part_id, [])
    return leading


def _parts_of(root: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for keyword, value in part.items():
        found = _named(root, value) if keyword == "$ref" else value
        for each in found if isinstance(found, list) else [found]:
            if isinstance(each, dict):
                yield each


def _named(root: Mapping[str, Any], reference: Any) -> Any:
    if not isinstance(reference, str):
        return reference
    part: Any = root
    for name in unquote(reference.removeprefix("#")).split("/")[1:]:
        key = name.replace("~1", "/").replace("~0", "~")
        if isinstance(part, list):
            index = index_of(key, part)
            part = None if index is None else part[index]
        else:
            part = part.get(key) if isinstance(part, dict) else None
    return part


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _as_map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
