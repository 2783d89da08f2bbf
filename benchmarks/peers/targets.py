"""The targets, as ratios to the figures of other systems in the same rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from peers.lineup import (
    ALWAYS,
    CELERY,
    EMPTY,
    EVERYSEC,
    FASTAPI_CELERY,
    FASTAPI_TASKIQ,
    HUEY,
    PEERS,
    SQLITE,
)
from peers.rounds import Round

Rounds = Sequence[Round]


@dataclass(frozen=True, slots=True)
class Target:
    """The ratio of `ours` to `theirs` in one metric. Without a bound it is only shown."""

    what: str
    metric: str
    ours: str
    theirs: str | None
    least: float | None = None
    most: float | None = None

    @property
    def bound(self) -> str:
        if self.least is not None:
            return f"≥ {self.least:g}"
        return f"≤ {self.most:g}" if self.most is not None else ""


@dataclass(frozen=True, slots=True)
class Verdict:
    what: str
    bound: str
    figure: str
    is_met: bool | None

    @property
    def said(self) -> str:
        return {True: "met", False: "not met", None: ""}[self.is_met]


THROUGHPUT, HTTP = "end to end, bulk", "HTTP submits, 32 connections"
START, RESULT = "idle, submit → code runs", "idle, submit → result"

TARGETS = (
    Target(f"{THROUGHPUT}: SQLite / fastest peer", "bulk", SQLITE, None, least=1.5),
    Target(f"{THROUGHPUT}: SQLite / fastest peer, then", "bulk", SQLITE, None, least=2),
    Target(f"{THROUGHPUT}: SQLite / Celery", "bulk", SQLITE, CELERY, least=6),
    Target(f"{THROUGHPUT}: Valkey everysec / fastest peer", "bulk", EVERYSEC, None, least=1),
    Target(f"{THROUGHPUT}: Valkey always / fastest peer", "bulk", ALWAYS, None),
    Target(f"{THROUGHPUT}, results kept: SQLite / fastest peer", "results", SQLITE, None),
    Target("end to end, one by one: SQLite / fastest peer", "one_by_one", SQLITE, None),
    Target(f"{HTTP}: SQLite / FastAPI + Celery", "http", SQLITE, FASTAPI_CELERY, least=3),
    Target(f"{HTTP}: SQLite / FastAPI + Taskiq", "http", SQLITE, FASTAPI_TASKIQ, least=1.3),
    Target(f"{HTTP}: SQLite / empty FastAPI POST", "http", SQLITE, EMPTY, least=0.5),
    Target(f"{START}, p50: SQLite / Celery", "start_p50", SQLITE, CELERY, most=0.6),
    Target(f"{START}, p99: SQLite / Celery", "start_p99", SQLITE, CELERY, most=1),
    Target(f"{START}, p50: SQLite / Huey", "start_p50", SQLITE, HUEY),
    Target(f"{RESULT}, p50: SQLite / Celery", "result_p50", SQLITE, CELERY, most=0.6),
)


def judge(rounds: Rounds) -> list[Verdict]:
    return [_verdict(target, rounds) for target in TARGETS if _is_measured(target, rounds)]


def of_bound(what: str, unit: str, figure: float, most: float) -> Verdict:
    """A bound on one figure."""
    return Verdict(what, f"≤ {most:g}{unit}", f"{figure:.2f}{unit}", figure <= most)


def middle(rounds: Rounds, system: str, metric: str) -> float | None:
    found = [each[system][metric] for each in rounds if metric in each.get(system, {})]
    return median(found) if found else None


def fastest(rounds: Rounds, metric: str) -> str:
    return max(PEERS, key=lambda peer: middle(rounds, peer, metric) or 0.0)


def _verdict(target: Target, rounds: Rounds) -> Verdict:
    theirs = target.theirs or fastest(rounds, target.metric)
    ratio = median(each[target.ours][target.metric] / each[theirs][target.metric] for each in rounds)
    named = target.what if target.theirs else f"{target.what} ({theirs})"
    return Verdict(named, target.bound, f"{ratio:.2f}", _is_met(target, ratio))


def _is_met(target: Target, ratio: float) -> bool | None:
    if target.least is not None:
        return ratio >= target.least
    return ratio <= target.most if target.most is not None else None


def _is_measured(target: Target, rounds: Rounds) -> bool:
    theirs = target.theirs or fastest(rounds, target.metric)
    return None not in (middle(rounds, target.ours, target.metric), middle(rounds, theirs, target.metric))
