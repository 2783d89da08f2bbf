"""docs/security.md lists every limit with the default it has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from workroom.domain.quotas import Kind
from workroom.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / "security.md"
LIMIT = re.compile(r"max_.+|.+_rate|.+_limit|.+_quota|.+_timeout|stall")
UNITS = {"GB": 10**9, "MB": 10**6, "kB": 10**3}
LIMITS = sorted(name for name in Settings.model_fields if LIMIT.fullmatch(name))


def rows() -> dict[str, list[str]]:
    section = PAGE.read_text().partition("## Limits")[2].partition("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line[:3] == "| `"
    ]
    return {row[0].strip("`"): row for row in cells}


def value_of(cell: str) -> Any:
    number, _, unit = cell.replace(",", "").partition(" ")
    try:
        return float(number) * UNITS.get(unit, 1)
    except ValueError:
        return cell.strip("`")


@pytest.mark.parametrize("name", LIMITS)
def test_every_limit_is_in_the_table_with_its_default(name: str) -> None:
    row = rows().get(name)

    assert row is not None, f"docs/security.md#limits has no row for {name}"
    assert [bool(cell) for cell in row] == [True] * 4
    assert value_of(row[1]) == Settings.model_fields[name].default


def test_every_row_of_the_table_is_a_setting() -> None:
    assert rows().keys() <= Settings.model_fields.keys()


def quota_rows() -> dict[str, Any]:
    """Every cell of the table of quotas that has a number, by the name of its setting."""
    section = PAGE.read_text().partition("### Quotas")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if re.match(r"\| \w", line)]
    cells = [[cell.strip() for cell in line.split("|")[1:-2]] for line in lines]
    return {
        f"quota_{kind}{suffix}": value_of(size)
        for kind, *sizes in cells
        for suffix, size in zip(("", "_guest", "_room", "_total"), sizes, strict=True)
        if size != "-"
    }


def test_every_quota_is_in_its_table_with_its_default() -> None:
    quotas = {name: field.default for name, field in Settings.model_fields.items() if name[:6] == "quota_"}

    assert quota_rows() == quotas
    assert {name.split("_")[1] for name in quotas} == set(Kind)
