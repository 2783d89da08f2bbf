"""`--preset NAME`: the values of a preset, as far as the extension still has their fields."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from workroom.cli.errors import CommandError, suggestion

if TYPE_CHECKING:
    from workroom import Room

Document = dict[str, Any]


def preset_values(place: Room, extension: Document, name: str) -> Document:
    label = f"{extension['category']}/{extension['name']}"
    presets = place.presets(label)
    found = [each for each in presets if each["name"] == name]
    if not found:
        known = [each["name"] for each in presets]
        hint = suggestion(name, known) or (f" Presets: {', '.join(known)}." if known else "")
        raise CommandError(f"There is no preset '{name}' of {label}.{hint}")
    is_shared = all(each["whose"] == "room" for each in found)
    return _known(place.preset(label, name, shared=is_shared), extension, label)


def _known(values: Document, extension: Document, label: str) -> Document:
    """The values of fields that the extension has; the others are named."""
    schema = extension["schema"]
    if schema.get("additionalProperties") or schema.get("patternProperties"):
        return values
    fields = schema.get("properties", {})
    for name in (each for each in values if each not in fields):
        print(f"'{name}' is no longer a field of {label}: left out", file=sys.stderr)
    return {name: value for name, value in values.items() if name in fields}
