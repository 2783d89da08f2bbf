"""`key=value` from a shell becomes the data of a job."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from workroom.cli.mistakes import Failure, UsageMistake, closest

Document = dict[str, Any]


def pairs(texts: Iterable[str]) -> dict[str, str]:
    """What was typed, by key."""
    found: dict[str, str] = {}
    for text in texts:
        key, separator, value = text.partition("=")
        if not separator or not key:
            raise UsageMistake(f"'{text}' is not key=value")
        if key in found:
            raise UsageMistake(f"'{key}' is given twice")
        found[key] = value
    return found


def named(extensions: Sequence[Document], room: str, category: str, name: str) -> Document:
    """The extension that a room means by this name: its own first, then a public one."""
    same = [each for each in extensions if (each["category"], each["name"]) == (category, name)]
    if same:
        return min(same, key=lambda each: each["scope"] != "room")
    known = [f"{each['category']}/{each['name']}" for each in extensions]
    label = f"{category}/{name}"
    hint = closest(label, known) or (f" There are: {', '.join(known)}." if known else " There is none yet.")
    raise Failure(f"There is no extension {label} in room {room}.{hint}")


def fitted(given: dict[str, str], extension: Document) -> Document:
    """Values as JSON where they are JSON; a key that the extension does not have is refused."""
    schema = extension["schema"]
    fields: dict[str, Any] = schema.get("properties", {})
    if not schema.get("additionalProperties"):
        for key in (each for each in given if each not in fields):
            label = f"{extension['category']}/{extension['name']}"
            hint = closest(key, fields) or (f" It has: {', '.join(fields)}." if fields else "")
            raise UsageMistake(f"{label} has no field '{key}'.{hint}")
    return {key: _value(text, fields.get(key, {})) for key, text in given.items()}


def _value(text: str, field: Any) -> Any:
    with contextlib.suppress(orjson.JSONDecodeError):
        value = orjson.loads(text)
        wants_text = isinstance(field, dict) and field.get("type") == "string"
        return text if wants_text and not isinstance(value, str) else value
    return text
