"""The results as text: a table for the terminal and RESULTS.md."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from string import Template

from peers.lineup import EMPTY, FASTAPI_CELERY, FASTAPI_TASKIQ, PEERS, WORKROOMS
from peers.record import Record
from peers.targets import Rounds, Verdict, middle

COLUMNS = {
    "bulk": "bulk /s",
    "one_by_one": "one by one /s",
    "results": "bulk, results kept /s",
    "start_p50": "→ runs p50 ms",
    "start_p99": "p99 ms",
    "result_p50": "→ result p50 ms",
    "http": "HTTP submits /s",
}
SYSTEMS = (*PEERS, *WORKROOMS, EMPTY, FASTAPI_CELERY, FASTAPI_TASKIQ)

PAGE = Template(Path(__file__).with_name("results.template.md").read_text())


def table(rounds: Rounds) -> str:
    head = ["", *COLUMNS.values()]
    rows = [[system, *(_cell(rounds, system, metric) for metric in COLUMNS)] for system in SYSTEMS]
    return _markdown(head, [row for row in rows if any(cell != "" for cell in row[1:])])


def verdict_table(verdicts: list[Verdict]) -> str:
    rows = [[each.what, each.bound, each.figure, each.said] for each in verdicts]
    return "" if not rows else _markdown(["", "target", "reached", ""], rows)


def page(record: Record) -> str:
    return PAGE.substitute(
        date=record.date,
        commit=record.commit,
        machine=record.machine,
        rounds=len(record.rounds),
        table=table(record.rounds),
        verdicts=verdict_table(list(record.verdicts)),
        verified=f"{sum(_verified(each) for each in record.rounds):,.0f}",
        busy=f"{median(record.journal.busy):.1f}",
        busiest=f"{max(record.journal.busy):.1f}",
        repeated=", ".join(record.journal.repeated) or "none",
        versions=", ".join(f"{name} {version}" for name, version in record.versions.items()) + ".",
    )


def _verified(found: dict[str, dict[str, float]]) -> float:
    return sum(figures.get("verified", 0) for figures in found.values())


def _cell(rounds: Rounds, system: str, metric: str) -> str:
    figure = middle(rounds, system, metric)
    if figure is None:
        return ""
    return f"{figure:.1f}" if "_p" in metric else f"{figure:,.0f}"


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    """Padded, so that the Markdown source is readable."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [[head[0].ljust(widths[0]), *_right(head, widths)], rule]
    lines += [[row[0].ljust(widths[0]), *_right(row, widths)] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _right(row: list[str], widths: list[int]) -> list[str]:
    return [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
