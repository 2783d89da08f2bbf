"""Markdown tables and toctrees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Nothing if there are no rows."""
    lines = [_row(row) for row in rows]
    return "\n".join([_row(head), "|" + "---|" * len(head), *lines, ""]) + "\n" if lines else ""


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def toctree(pages: Iterable[str]) -> str:
    return "\n".join(["```{toctree}", ":maxdepth: 1", "", *pages, "```", ""])
