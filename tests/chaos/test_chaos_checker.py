"""The checker notices what it is there for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.chaos.checker import check
from support.chaos.history import Document, Execution, History

RUN = Execution("j", 1, 7, None, None, 0, began=1.0, until=2.0, has_ended=True, wall_minus_mono=0.0)
KEYED = replace(RUN, key="midjourney", limit=1)
FAULT = {"event": "fault", "fault": "server killed"}
KILLED = {"server killed": 1}


def _job(status: str = "completed") -> Document:
    return {"status": status, "attempt": 1, "name": "Plain"}


def _steps(*statuses: str, attempt: int = 1) -> list[Document]:
    return [
        {
            "status": status,
            "version": version,
            "attempt": attempt,
            "reason": None,
            "at": "2026-01-01T00:00:00Z",
        }
        for version, status in enumerate(statuses, 1)
    ]


GOOD = History(
    promised={"j": {}},
    executions=[RUN],
    jobs={"j": _job()},
    steps={"j": _steps("pending", "assigned", "running", "completed")},
    journal=[FAULT],
)


def test_a_good_history_passes() -> None:
    check(GOOD, KILLED)


@pytest.mark.parametrize(
    ("history", "complaint"),
    [
        (replace(GOOD, promised={"j": {}, "gone": {}}), "gone was promised"),
        (replace(GOOD, jobs={"j": _job("running")}), "still running"),
        (replace(GOOD, steps={"j": _steps("running", "failed", "completed")}), "with the ends"),
        (replace(GOOD, steps={"j": _steps("completed", "running")}), "its last step is running"),
        (replace(GOOD, steps={"j": _steps("running", "completed")[::-1]}), "versions that do not grow"),
        (replace(GOOD, executions=[RUN, replace(RUN, attempt=2)]), "ran 2 times, and 1 are allowed"),
        (replace(GOOD, executions=[RUN, RUN]), "attempt 1 of j was executed 2 times"),
        (replace(GOOD, executions=[RUN, replace(RUN, attempt=2)]), "overlap without a fence"),
        (replace(GOOD, executions=[KEYED, replace(KEYED, job="k")]), "2 jobs of key 'midjourney'"),
        (replace(GOOD, executions=[]), "was never executed to its end"),
        (replace(GOOD, executions=[replace(RUN, has_ended=False)]), "was never executed to its end"),
        (replace(GOOD, journal=[]), "seen 0 times instead of 1: server killed"),
    ],
)
def test_each_violation_is_reported(history: History, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check(history, KILLED)


def test_a_scenario_without_a_fault_shows_nothing() -> None:
    with pytest.raises(AssertionError, match="no fault was asked for"):
        check(GOOD, {})
