"""Finds the line of an XYZ frame that cannot be read."""

from __future__ import annotations

import re

from workroom.packs.atoms.formats.splitting import Section

_PROPERTIES = re.compile(r'Properties="?([^\s"]+)"?')
_DEFAULT = "species:S:1:pos:R:3"


def find_fault(section: Section) -> tuple[int, str] | None:
    """The number of the line and what is wrong with it; None if nothing is found."""
    lines = section.text.splitlines()
    given = _PROPERTIES.search(lines[1])
    kinds = _kinds(given.group(1) if given else _DEFAULT)
    if kinds is None:
        return section.line + 1, f"Properties={given and given.group(1)} is not understood"
    for number, line in enumerate(lines[2:], start=section.line + 2):
        fault = _fault(line.split(), kinds)
        if fault:
            return number, fault
    return None


def _kinds(properties: str) -> str | None:
    """The kind of each column: S, R, I or L."""
    parts = properties.split(":")
    if len(parts) % 3 or not all(count.isdigit() for count in parts[2::3]):
        return None
    return "".join(kind * int(count) for kind, count in zip(parts[1::3], parts[2::3], strict=True))


def _fault(values: list[str], kinds: str) -> str | None:
    if len(values) < len(kinds):
        return f"{len(kinds)} columns are expected, there are {len(values)}"
    for value, kind in zip(values, kinds, strict=False):
        if kind in "RI" and not _is_number(value, kind):
            return f"'{value[:40]}' is not {'a number' if kind == 'R' else 'an integer'}"
    return None


def _is_number(value: str, kind: str) -> bool:
    try:
        float(value.replace("D", "E")) if kind == "R" else int(value)
    except ValueError:
        return False
    return True
