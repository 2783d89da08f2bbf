"""Checks a recorded history against the contract. Each function yields the violations of one promise."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import combinations

from support.chaos.history import Document, Execution, History

TERMINAL = ("completed", "failed", "cancelled")
LEASE_ENDED = "lease expired"  # the server's reason in the history
SCRIPTED = "Scripted"


def check(history: History, faults: Mapping[str, int]) -> None:
    """Raise with all violations, and with each fault that occurred less often than required."""
    broken = [
        *promises_broken(history),
        *ends_that_are_not_one(history),
        *too_many_executions(history),
        *double_executions(history),
        *limits_exceeded(history),
        *completed_without_running(history),
        *faults_that_did_not_happen(history, faults),
    ]
    assert not broken, "\n".join(broken[:20])


def promises_broken(history: History) -> Iterable[str]:
    for job in history.promised:
        if job not in history.jobs:
            yield f"{job} was promised with a 202 and is not there"
        elif history.jobs[job]["status"] not in TERMINAL:
            yield f"{job} was promised with a 202 and is still {history.jobs[job]['status']}"


def ends_that_are_not_one(history: History) -> Iterable[str]:
    for job, steps in history.steps.items():
        ends = [step["status"] for step in steps if step["status"] in TERMINAL]
        status = history.jobs[job]["status"]
        if len(ends) != 1 or steps[-1]["status"] != ends[0] or status != ends[0]:
            yield f"{job} is {status} with the ends {ends}; its last step is {steps[-1]['status']}"
        versions = [step["version"] for step in steps]
        if versions != sorted(set(versions)):
            yield f"{job} has versions that do not grow: {versions}"


def too_many_executions(history: History) -> Iterable[str]:
    for job, runs in _by_job(history).items():
        if len(runs) > 1 + runs[0].retries:
            yield f"{job} ran {len(runs)} times, and {1 + runs[0].retries} are allowed"


def double_executions(history: History) -> Iterable[str]:
    for job, runs in _by_job(history).items():
        for attempt, times in Counter(run.attempt for run in runs).items():
            if times > 1:
                yield f"attempt {attempt} of {job} was executed {times} times"
        for earlier, later in combinations(sorted(runs, key=lambda run: run.attempt), 2):
            overlap = later.began < earlier.until and earlier.began < later.until
            if overlap and not _was_fenced(history.steps[job], earlier.attempt, later.attempt):
                yield f"attempts {earlier.attempt} and {later.attempt} of {job} overlap without a fence"


def limits_exceeded(history: History) -> Iterable[str]:
    """Counted at each instant, over attempts whose lease has not ended."""
    edges: dict[str, list[tuple[float, int]]] = defaultdict(list)
    limits: dict[str, int] = {}
    for run in history.executions:
        if run.key is not None and run.limit is not None:
            limits[run.key] = run.limit
            until = min(run.until, _lease_end(history, run))
            if until > run.began:
                edges[run.key] += [(run.began, 1), (until, -1)]
    for key, moments in edges.items():
        running = 0
        for at, change in sorted(moments):
            running += change
            if running > limits[key]:
                yield f"{running} jobs of key '{key}' ran at {at:.3f}, and {limits[key]} may"


def completed_without_running(history: History) -> Iterable[str]:
    """Scripted workers run nothing; all other extensions keep a journal."""
    ended = {(run.job, run.attempt) for run in history.executions if run.has_ended}
    for job, document in history.jobs.items():
        if document["status"] != "completed" or document["name"] == SCRIPTED:
            continue
        if (job, document["attempt"]) not in ended:
            yield f"{job} is completed, but attempt {document['attempt']} was never executed to its end"


def faults_that_did_not_happen(history: History, faults: Mapping[str, int]) -> Iterable[str]:
    if not faults:
        yield "no fault was asked for"
    seen = history.faults()
    for fault, times in faults.items():
        if seen[fault] < max(times, 1):
            yield f"seen {seen[fault]} times instead of {times}: {fault}"


def _by_job(history: History) -> dict[str, list[Execution]]:
    runs: dict[str, list[Execution]] = defaultdict(list)
    for run in history.executions:
        runs[run.job].append(run)
    return runs


def _was_fenced(steps: list[Document], earlier: int, later: int) -> bool:
    """Did the server requeue the job between the starts of the two attempts?"""
    words = [(step["status"], step["attempt"]) for step in steps]
    if ("running", later) not in words or ("running", earlier) not in words:
        return False
    between = words[words.index(("running", earlier)) + 1 : words.index(("running", later))]
    return any(status == "pending" for status, _ in between)


def _lease_end(history: History, run: Execution) -> float:
    """When the server declared the attempt's worker lost, on the worker's monotonic clock."""
    for step in history.steps.get(run.job, ()):
        reason = step["reason"] or ""
        if step["attempt"] == run.attempt and LEASE_ENDED in reason:
            return _seconds(step["at"]) - run.wall_minus_mono
    return float("inf")


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
