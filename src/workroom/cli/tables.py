"""Prints lists: as tables for people, as JSON for programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table

_WIDTH = 250  # columns, where the output is not a terminal
_UNITS = ("B", "kB", "MB", "GB", "TB")
_STEP = 1000


def print_json(document: Any) -> None:
    print(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]], empty: str) -> None:
    """The first column is never wrapped: it is what one copies."""
    listed = list(rows)
    Console(width=None if sys.stdout.isatty() else _WIDTH).print(table(titles, listed) if listed else empty)


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    found = Table(box=None)
    for number, title in enumerate(titles):
        found.add_column(title, no_wrap=number == 0)
    for row in rows:
        found.add_row(*row)
    return found


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
