"""Records what each process observes: JSON lines, in one file per process."""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

Document = dict[str, Any]


class Journal:
    """A file of JSON lines. Each line is one system call, so that a killed process leaves whole lines."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def write(self, event: str, **fields: Any) -> None:
        line = {"event": event, "pid": os.getpid(), "mono": time.monotonic(), "wall": time.time(), **fields}
        os.write(self._file, orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))

    def witness(self, fault: str, **fields: Any) -> None:
        """Record a fault that was observed, not one that was only requested."""
        self.write("fault", fault=fault, **fields)

    def close(self) -> None:
        os.close(self._file)


def lines(folder: Path) -> Iterator[Document]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            yield orjson.loads(line)


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of user code. Without an end, its process was killed at `until` or still runs."""

    job: str
    attempt: int
    pid: int
    key: str | None
    limit: int | None
    retries: int
    began: float
    until: float
    has_ended: bool
    wall_minus_mono: float


@dataclass(frozen=True, slots=True)
class History:
    """The journals, and the server's final state of all jobs."""

    promised: dict[str, Document]
    executions: list[Execution]
    jobs: dict[str, Document]
    steps: dict[str, list[Document]]
    journal: list[Document] = field(repr=False)

    def runs_of(self, job: str) -> list[Execution]:
        return [each for each in self.executions if each.job == job]

    def count(self, event: str) -> int:
        return sum(line["event"] == event for line in self.journal)

    def faults(self) -> Counter[str]:
        """The observed faults, with their counts."""
        return Counter(line["fault"] for line in self.journal if line["event"] == "fault")


def assemble(folder: Path, jobs: dict[str, Document], steps: dict[str, list[Document]]) -> History:
    seen = list(lines(folder))
    promised = {line["job"]: line for line in seen if line["event"] == "promised"}
    return History(promised, _executions(seen), jobs, steps, seen)


def _executions(seen: list[Document]) -> list[Execution]:
    deaths = {line["dead"]: line["mono"] for line in seen if line["event"] == "died"}
    ends: dict[tuple[int, str, int], list[float]] = defaultdict(list)
    for line in seen:
        if line["event"] == "end":
            ends[line["pid"], line["job"], line["attempt"]].append(line["mono"])
    return [_execution(line, deaths, ends) for line in seen if line["event"] == "begin"]


def _execution(
    line: Document, deaths: dict[int, float], ends: dict[tuple[int, str, int], list[float]]
) -> Execution:
    ended = ends[line["pid"], line["job"], line["attempt"]]
    has_ended = bool(ended)
    until = ended.pop(0) if has_ended else deaths.get(line["pid"])
    return Execution(
        job=line["job"],
        attempt=line["attempt"],
        pid=line["pid"],
        key=line["key"],
        limit=line["limit"],
        retries=line["retries"],
        began=line["mono"],
        until=until if until is not None else float("inf"),
        has_ended=has_ended,
        wall_minus_mono=line["wall"] - line["mono"],
    )
