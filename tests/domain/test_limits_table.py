"""docs/security.md lists every limit with the default it has."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from support.request_bounds import BOUNDS, EXACT_INTEGERS, places
from workroom.domain.quotas import Kind
from workroom.settings import Settings

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "security.md"
SOURCE = ROOT / "src" / "workroom"
NAME_LENGTH = 200
DEFAULT_OF_A_SETTING = "domain/schema/secret_fields.py:MAX_PARTS"
LIMIT = re.compile(r"max_.+|.+_rate|.+_limit|.+_quota|.+_timeout|stall")
UNITS = {"GB": 10**9, "MB": 10**6, "kB": 10**3}
LIMITS = sorted(name for name in Settings.model_fields if LIMIT.fullmatch(name))


def rows() -> dict[str, list[str]]:
    section = PAGE.read_text().partition("## Limits")[2].partition("\n### ")[0]
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


def fixed_rows() -> list[list[str]]:
    section = PAGE.read_text().partition("### Fixed limits")[2].partition("\n### ")[0]
    lines = [line for line in section.splitlines() if line[:2] == "| "]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def numbers_in(cell: str) -> set[float]:
    return {float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", cell.replace(", ", " "))}


def test_every_bound_of_a_request_is_in_the_table_of_fixed_limits() -> None:
    bounds = {
        (place.field, place.schema[bound])
        for place in places()
        for bound in BOUNDS
        if bound in place.schema and place.schema[bound] != EXACT_INTEGERS
    }
    listed = {
        (name, number)
        for row in fixed_rows()
        for name in re.findall(r"`([\w-]+)`", row[0])
        for number in numbers_in(row[1])
    }

    assert {(name, limit) for name, limit in bounds if limit != NAME_LENGTH} - listed == set()
    assert {(name, limit) for name, limit in listed if limit != NAME_LENGTH} - bounds == set()


@pytest.mark.parametrize("row", [row for row in fixed_rows() if len(row) == 4][1:], ids=lambda row: row[0])
def test_a_fixed_limit_has_the_value_that_the_table_states(row: list[str]) -> None:
    path, _, name = row[3].strip("`").partition(":")
    module = import_module(f"workroom.{path.removesuffix('.py').replace('/', '.')}")

    assert numbers_in(row[1]) == {getattr(module, name)}


def test_every_named_maximum_is_in_the_table_of_fixed_limits() -> None:
    """Those that routes use are in OpenAPI, and those of rules decide about jobs."""
    routes = "".join(path.read_text() for path in (SOURCE / "server/http").rglob("*.py"))
    listed = {row[3].strip("`") for row in fixed_rows() if len(row) == 4}
    found = {
        (f"{path.relative_to(SOURCE)}:{name}", name)
        for layer in ("domain", "services")
        for path in (SOURCE / layer).rglob("*.py")
        for name in re.findall(r"^(MAX_[A-Z_]+) = [\d_]+\b", path.read_text(), re.MULTILINE)
    }

    missing = {where for where, name in found if where not in listed and name not in routes}
    assert {where for where in missing if not where.startswith("domain/rules/")} == {DEFAULT_OF_A_SETTING}
