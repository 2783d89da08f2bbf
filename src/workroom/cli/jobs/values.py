"""Turns `key=value` arguments into the data of a job."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from workroom.cli.errors import CommandError, UsageError, suggestion

Document = dict[str, Any]


def parse_pairs(texts: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        key, separator, value = text.partition("=")
        if not separator or not key:
            raise UsageError(f"'{text}' is not of the form key=value")
        if key in found:
            raise UsageError(f"'{key}' is given twice")
        found[key] = value
    return found


def find_extension(extensions: Sequence[Document], room: str, category: str, name: str) -> Document:
    """The extension with this name: the room's own first, then a public one."""
    same = [each for each in extensions if (each["category"], each["name"]) == (category, name)]
    if same:
        return min(same, key=lambda each: each["scope"] != "room")
    known = [f"{each['category']}/{each['name']}" for each in extensions]
    label = f"{category}/{name}"
    hint = suggestion(label, known) or (
        f" Available: {', '.join(known)}." if known else " The room has none yet."
    )
    raise CommandError(f"There is no extension {label} in room {room}.{hint}")


def to_data(pairs: dict[str, str], extension: Document) -> Document:
    """Decode values that are JSON; refuse keys that the extension does not have."""
    schema = extension["schema"]
    fields: dict[str, Any] = schema.get("properties", {})
    if not schema.get("additionalProperties"):
        for key in (each for each in pairs if each not in fields):
            label = f"{extension['category']}/{extension['name']}"
            hint = suggestion(key, fields) or (f" Fields: {', '.join(fields)}." if fields else "")
            raise UsageError(f"{label} has no field '{key}'.{hint}")
    return {key: _value(text, fields.get(key, {})) for key, text in pairs.items()}


def _value(text: str, field: Any) -> Any:
    with contextlib.suppress(orjson.JSONDecodeError):
        value = orjson.loads(text)
        wants_text = isinstance(field, dict) and field.get("type") == "string"
        return text if wants_text and not isinstance(value, str) else value
    return text
