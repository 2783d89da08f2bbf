"""Links and names in the documentation resolve."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARCHITECTURE = ROOT / "docs" / "architecture.md"
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
FAULTS = ROOT / "docs" / "faults.md"
TEST = re.compile(r"`((?:src|tests)/[\w/]+\.py):([\w.]+)`")
BEHAVIOUR = re.compile(r"^\| .+ \| `(src/[\w/]+\.py):([\w.]+)` \|$", re.MULTILINE)
NAME = re.compile(r"^`([\w.]+)`$")


@cache
def names_in(path: Path) -> frozenset[str]:
    """The functions, classes and constants of a module, and `Class.method`."""
    names: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {
                f"{node.name}.{each.name}"
                for each in node.body
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
            }
    return frozenset(names)


def anchors_in(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_at_least_25_behaviours_are_listed() -> None:
    assert len(BEHAVIOUR.findall(ARCHITECTURE.read_text())) >= 25


@pytest.mark.parametrize(("path", "name"), BEHAVIOUR.findall(ARCHITECTURE.read_text()))
def test_a_behaviour_is_decided_by_a_function_that_exists(path: str, name: str) -> None:
    assert name in names_in(ROOT / path)


@pytest.mark.parametrize(("path", "name"), TEST.findall(FAULTS.read_text()))
def test_a_fault_is_caused_by_a_test_that_exists(path: str, name: str) -> None:
    assert name in names_in(ROOT / path)


def test_each_row_of_a_fault_names_a_test() -> None:
    rows = [line for line in FAULTS.read_text().splitlines() if line.startswith("| ")]

    assert [row for row in rows if row != "| fault | what happens | test |" and not TEST.search(row)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_resolve(page: Path) -> None:
    broken = []
    for _, target in LINK.findall(page.read_text()):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        if not linked.exists() or (anchor and anchor not in anchors_in(linked)):
            broken.append(target)
    assert not broken


def test_a_linked_name_is_in_the_module_that_it_links_to() -> None:
    missing = []
    for text, target in LINK.findall(ARCHITECTURE.read_text()):
        named = NAME.match(text)
        if target.endswith(".py") and named and not named[1].endswith(".py"):
            module = (ARCHITECTURE.parent / target).resolve()
            name = named[1].removeprefix(f"{module.stem}.")
            if name not in names_in(module):
                missing.append(f"{target}: {named[1]}")
    assert not missing


def test_decisions_have_one_number_each_with_date_and_status() -> None:
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    numbers = [int(page.name[:4]) for page in decisions]

    assert len(set(numbers)) == len(numbers)
    for number, page in zip(numbers, decisions, strict=True):
        title, _, status = page.read_text().partition("\n\n")
        assert title.startswith(f"# {number}. "), page.name
        assert re.match(r"Date: \d{4}-\d\d-\d\d.*\. Status: \w+", status), page.name


def test_the_keys_of_redis_are_those_of_the_store() -> None:
    table = (ROOT / "docs" / "redis.md").read_text().partition("## Keys")[2].partition("\n## ")[0]
    first_cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    names = {name for cell in first_cells for name in re.findall(r"[}`]:([a-z_]+)", cell)}
    code = "".join(
        path.read_text()
        for path in (ROOT / "src/workroom/stores/redis").rglob("*")
        if path.suffix in (".py", ".lua")
    )

    assert not {name for name in names if not re.search(rf"""["']{name}[:"']""", code)}
