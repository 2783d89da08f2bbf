"""Which losses of jobs that had not begun are documented, and which are not."""

from __future__ import annotations

import math

import pytest

from support.chaos.losses import Loss, Losses, Records
from support.extensions.pace import Note

PID, OTHER = 7, 8
KILLED = {PID: 100.0}
LAST = Note("last", PID, 99.996)  # the last job that began before the kill


def _records(expected_ms: dict[str, float | None], *, last_ended: bool = True, pid: int = PID) -> Records:
    ends = [LAST._replace(at=99.997)] if last_ended else []
    return Records({"w": pid}, {(pid, job): ms for job, ms in expected_ms.items()}, [LAST], ends)


def _unexplained(records: Records, *jobs: str, started: float | None = 99.997) -> list[str]:
    losses = Losses(records, KILLED, (Loss(job, "w", started) for job in jobs))
    return losses.unexplained(lambda since, until: until - since > 0.01)


@pytest.mark.parametrize(
    ("records", "jobs"),
    [
        (_records({}, last_ended=False), ["last"]),
        (_records({"a": None}), ["a"]),
        (_records({"a": 2.5, "b": 2.5}), ["a", "b"]),
        (_records({"last": 1.0, "a": 2.0, "b": 2.0}, last_ended=False), ["last", "a", "b"]),
    ],
    ids=["had begun", "its start was on its way", "a group", "a group of which one runs"],
)
def test_a_documented_loss_is_explained(records: Records, jobs: list[str]) -> None:
    assert _unexplained(records, *jobs) == []


@pytest.mark.parametrize(
    ("records", "jobs", "started", "complaint"),
    [
        (_records({"a": 3.0, "b": 2.5}), ["a", "b"], 99.997, "5.500 ms were started together"),
        (_records({"a": 1.0, "b": None}), ["a", "b"], 99.997, "of which 1 may be long"),
        (_records({"last": None, "a": 1.0}, last_ended=False), ["a"], 99.997, "of which 1 may be long"),
        (_records({"a": None}, pid=OTHER), ["a"], 99.997, "which was not killed"),
        (_records({"a": None}), ["a"], None, "which was not killed"),
        (Records({"w": PID}, {}, [], []), ["a"], 99.9, "nothing had begun for 0.100 s"),
    ],
)
def test_any_other_is_reported(
    records: Records, jobs: list[str], started: float | None, complaint: str
) -> None:
    reported = _unexplained(records, *jobs, started=started)

    assert len(reported) == len(jobs)
    assert all(complaint in each for each in reported)


def test_code_that_began_twice_is_reported() -> None:
    records = Records({}, {}, [LAST, LAST._replace(pid=OTHER), LAST._replace(job="once")], [])

    assert records.begun_twice() == ["last"]


@pytest.mark.parametrize(
    ("expected_ms", "shortest"), [({"a": 2.5, "b": None, "c": 0.5}, 0.5), ({"a": None}, math.inf)]
)
def test_the_shortest_expectation_is_found(expected_ms: dict[str, float | None], shortest: float) -> None:
    assert _records(expected_ms).shortest_expected_ms() == shortest
