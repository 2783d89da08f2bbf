"""Finds the line of an XYZ frame that cannot be read."""

from __future__ import annotations

import re

from workroom.packs.atoms.formats.splitting import Section

_PROPERTIES = re.compile(r'Properties="?([^\s"]+)"?')
_ELEMENT = "E"
_DEFAULT = "species:S:1:pos:R:3"


def find_fault(section: Section) -> tuple[int, str] | None:
    """The number of the line and what is wrong with it; None if nothing is found."""
    lines = section.text.splitlines()
    given = _PROPERTIES.search(lines[1])
    columns = _columns(given.group(1) if given else _DEFAULT)
    if columns is None:
        return section.line + 1, f"Properties={given and given.group(1)} is not understood"
    for number, line in enumerate(lines[2:], start=section.line + 2):
        fault = _fault(line.split(), columns)
        if fault:
            return number, fault
    return None


def _columns(properties: str) -> list[str] | None:
    """The kind of each column: S, R, I or L, and E for the symbol of an element."""
    parts = properties.split(":")
    if len(parts) % 3 or not all(count.isdigit() for count in parts[2::3]):
        return None
    kinds = [
        _ELEMENT if name == "species" else kind for name, kind in zip(parts[::3], parts[1::3], strict=True)
    ]
    return [kind for kind, count in zip(kinds, parts[2::3], strict=True) for _ in range(int(count))]


def _fault(values: list[str], kinds: list[str]) -> str | None:
    if len(values) < len(kinds):
        return f"{len(kinds)} columns are expected, there are {len(values)}"
    for value, kind in zip(values, kinds, strict=False):
        if kind == _ELEMENT and not _is_element(value):
            return f"'{value[:40]}' is not the symbol of an element"
        if kind in ("R", "I") and not _is_number(value, kind):
            return f"'{value[:40]}' is not {'a number' if kind == 'R' else 'an integer'}"
    return None


def _is_element(value: str) -> bool:
    from ase.data import atomic_numbers

    return value.capitalize() in atomic_numbers


def _is_number(value: str, kind: str) -> bool:
    try:
        float(value.replace("D", "E")) if kind == "R" else int(value)
    except ValueError:
        return False
    return True
