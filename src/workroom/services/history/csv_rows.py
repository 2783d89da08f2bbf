"""Jobs as rows of CSV, with a column for each parameter and for each plain value of the results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import orjson

from workroom.domain.job import Job
from workroom.domain.jobs.annotation import UNANNOTATED

MAX_COLUMNS = 200
MAX_CELL = 2000
_MAX_DEPTH = 4
_JOB_COLUMNS = (
    "id",
    "name",
    "extension",
    "user",
    "status",
    "created_at",
    "started_at",
    "completed_at",
    "wait_time_ms",
    "execution_time_ms",
    "starred",
    "tags",
    "note",
    "error",
)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # without it, Excel does not read UTF-8
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_QUOTED = re.compile(r'[,;\t\r\n"]')
_SPLITS = re.compile(r"([;\t\r\n])")
_SKIPPED = ' "'  # before a formula

Cell = str | int | float


@dataclass(slots=True)
class Columns:
    """The columns of an export, in the order in which they first occur. Beyond a limit they are left out."""

    data: dict[str, None] = field(default_factory=dict)
    result: dict[str, None] = field(default_factory=dict)

    def add(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            for columns, values in ((self.data, _data(job)), (self.result, _result(job))):
                for name in values:
                    if len(columns) < MAX_COLUMNS:
                        columns.setdefault(name)


def header(columns: Columns) -> bytes:
    return _BYTE_ORDER_MARK + _encode([[*_JOB_COLUMNS, *map(safe, columns.data), *map(safe, columns.result)]])


def rows(jobs: Sequence[Job], columns: Columns) -> bytes:
    return _encode([_row(job, columns) for job in jobs])


def _encode(table: Sequence[Sequence[Cell]]) -> bytes:
    lines = (",".join(map(_field, row)) + "\r\n" for row in table)
    return "".join(lines).encode("utf-8", "replace")


def _field(cell: Cell) -> str:
    """Quoted also for spreadsheets that expect another separator than a comma."""
    text = str(cell)
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def _row(job: Job, columns: Columns) -> list[Cell]:
    annotation = job.annotation or UNANNOTATED
    data, result = _data(job), _result(job)
    return [
        job.id,
        safe(annotation.name),
        f"{job.category}/{job.name}",
        safe(job.user),
        job.status.value,
        _time(job.created_at_us),
        _time(job.started_at_us),
        _time(job.completed_at_us),
        _number(job.wait_time_ms),
        _number(job.execution_time_ms),
        "true" if annotation.starred else "",
        safe(", ".join(annotation.tags)),
        safe(annotation.note[:MAX_CELL]),
        safe(_error(job)),
        *(data.get(name, "") for name in columns.data),
        *(result.get(name, "") for name in columns.result),
    ]


def safe(text: str) -> str:
    """A spreadsheet takes some texts for formulas, and runs them: an apostrophe makes them text.

    In many countries Excel separates cells by semicolons and knows no quotes within a line, so each part of a
    text that could become a cell there is made text.
    """
    if not _SPLITS.search(text):
        return _as_text(text)
    return _as_text("".join(map(_as_part, _SPLITS.split(text))))


def _as_part(text: str) -> str:
    return text if _SPLITS.fullmatch(text) else _as_text(text)


def _as_text(text: str) -> str:
    is_formula = text.lstrip(_SKIPPED).startswith(_FORMULA) and not _NUMBER.fullmatch(text.strip())
    return f"'{text}" if is_formula else text


def _data(job: Job) -> dict[str, Cell]:
    return _by_name(_flat(orjson.loads(job.data), "data", lists=True))


def _result(job: Job) -> dict[str, Cell]:
    return {} if job.result is None else _by_name(_flat(orjson.loads(job.result), "result", lists=False))


def _by_name(cells: Iterable[tuple[str, Cell]]) -> dict[str, Cell]:
    """Paths may have one name, like those of `{"a": {"b": 1}, "a.b": 2}`: later ones get a number."""
    found: dict[str, Cell] = {}
    numbers: dict[str, int] = {}
    for name, cell in cells:
        unique = name
        while unique in found:
            numbers[name] = numbers.get(name, 1) + 1
            unique = f"{name} ({numbers[name]})"
        found[unique] = cell
    return found


def _flat(value: object, name: str, *, lists: bool, depth: int = 0) -> Iterator[tuple[str, Cell]]:
    """The plain values of a document by their paths. A list of parameters is one cell of JSON."""
    if isinstance(value, dict):
        if value.get("$type") in ("float", "int") and not isinstance(value.get("value"), list):
            yield name, safe(str(value.get("value"))[:MAX_CELL])
        elif "$type" not in value and depth < _MAX_DEPTH:
            for key, each in value.items():
                yield from _flat(each, f"{name}.{key}"[:MAX_CELL], lists=lists, depth=depth + 1)
    elif isinstance(value, list):
        if lists:
            yield name, safe(orjson.dumps(value).decode()[:MAX_CELL])
    elif isinstance(value, bool):
        yield name, "true" if value else "false"
    elif isinstance(value, int | float):
        yield name, value
    elif isinstance(value, str):
        yield name, safe(value[:MAX_CELL])


def _error(job: Job) -> str:
    if job.error is None:
        return ""
    error = orjson.loads(job.error)
    return f"{error['type']}: {error['message']}"[:MAX_CELL]


def _time(at_us: int | None) -> str:
    if at_us is None:
        return ""
    return datetime.fromtimestamp(at_us / 1_000_000, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def _number(value: float | None) -> Cell:
    return "" if value is None else value
