"""Prints lists: as tables for people, as JSON for programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table

Document = dict[str, Any]
_WIDTH = 250  # columns, where the output is not a terminal
_UNITS = ("B", "kB", "MB", "GB", "TB")
_STEP = 1000


def print_json(document: Any) -> None:
    print(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())


def print_list(
    found: Sequence[Document],
    titles: Sequence[str],
    row: Callable[[Document], Sequence[str]],
    empty: str,
    *,
    as_json: bool,
) -> None:
    """Print what was found as JSON, or as a table with one row for each."""
    if as_json:
        print_json(found)
    else:
        screen().print(table(titles, map(row, found)) if found else empty)


def screen() -> Console:
    """Text in brackets is printed as it is: others may have written it."""
    return Console(width=None if sys.stdout.isatty() else _WIDTH, markup=False, highlight=False)


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """The first column is never wrapped: it is what one copies."""
    found = Table(box=None)
    for number, title in enumerate(titles):
        found.add_column(title, no_wrap=number == 0)
    for row in rows:
        found.add_row(*map(printable, row))
    return found


def printable(text: str) -> str:
    """Others may have written it: it must not move the cursor of this terminal."""
    return "".join(each if each.isprintable() else "?" for each in text)


def in_date(at: str) -> str:
    """`2026-01-31 12:00:00`"""
    return at.replace("T", " ")[:19]


def in_bytes(size: float | None) -> str:
    if size is None:
        return "?"
    number = float(size)
    for unit in _UNITS:
        if number < _STEP or unit == _UNITS[-1]:
            break
        number /= _STEP
    return f"{number:.0f} {unit}" if number >= 100 or unit == "B" else f"{number:.1f} {unit}"


def in_time(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "-"
    if milliseconds < _STEP:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / _STEP
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def in_percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"
