"""The measured systems and their metrics."""

from __future__ import annotations

from dataclasses import dataclass

WITHOUT_RESULTS = ("one_by_one", "bulk", "starts")
WITH_RESULTS = ("results", "answers")
MANY, FEWER, FEW = 4000, 2000, 800


@dataclass(frozen=True, slots=True)
class Entry:
    """One configuration of a system, such as a queue with or without results."""

    system: str
    module: str
    metrics: tuple[str, ...]
    keeps_results: bool = False
    behind: str = ""
    appendfsync: str = ""
    jobs: int = MANY

    @property
    def is_workroom(self) -> bool:
        return self.module == "workroom"

    @property
    def label(self) -> str:
        return f"{self.system} with results" if self.keeps_results else self.system


def _queue(system: str, module: str, jobs: int = MANY) -> list[Entry]:
    return [
        Entry(system, module, WITHOUT_RESULTS, jobs=jobs),
        Entry(system, module, WITH_RESULTS, keeps_results=True, jobs=jobs),
    ]


def _workroom(system: str, appendfsync: str = "") -> Entry:
    return Entry(system, "workroom", (*WITHOUT_RESULTS, *WITH_RESULTS), appendfsync=appendfsync)


def _front(system: str, module: str = "fastapi", behind: str = "", appendfsync: str = "") -> Entry:
    return Entry(system, module, ("http",), behind=behind, appendfsync=appendfsync)


CELERY, DRAMATIQ, HUEY, TASKIQ, SAQ, RQ = "Celery", "Dramatiq", "Huey", "Taskiq", "SAQ", "RQ"
EMPTY, FASTAPI_CELERY, FASTAPI_TASKIQ = "FastAPI, empty", "FastAPI + Celery", "FastAPI + Taskiq"
SQLITE, EVERYSEC, ALWAYS = "Workroom, SQLite", "Workroom, Valkey everysec", "Workroom, Valkey always"

PEERS = (CELERY, DRAMATIQ, HUEY, TASKIQ, SAQ, RQ)
WORKROOMS = (SQLITE, EVERYSEC, ALWAYS)

# Systems that are compared run next to each other: within minutes the machine's speed may change by half.
LINEUP = (
    *_queue(DRAMATIQ, "dramatiq"),
    *_queue(TASKIQ, "taskiq"),
    Entry(SAQ, "saq", (*WITHOUT_RESULTS, *WITH_RESULTS)),
    Entry(RQ, "rq", (*WITHOUT_RESULTS, *WITH_RESULTS), jobs=FEW),
    *_queue(CELERY, "celery", FEWER),
    _workroom(SQLITE),
    *_queue(HUEY, "huey"),
    _workroom(EVERYSEC, "everysec"),
    _workroom(ALWAYS, "always"),
    _front(FASTAPI_CELERY, behind="celery"),
    _front(FASTAPI_TASKIQ, behind="taskiq"),
    _front(EMPTY),
    _front(SQLITE, "workroom"),
    _front(EVERYSEC, "workroom", appendfsync="everysec"),
    _front(ALWAYS, "workroom", appendfsync="always"),
)
