"""When measurements become evidence."""

from __future__ import annotations

import pytest

from workroom.domain.rules.estimates import EVIDENCE_ENDS, Sample
from workroom.services.workers.run_times import Ends, RunTimes

SHORT, LONG = 0.1, 0.2


def _learn(run_times: RunTimes, each_ms: float, messages: int, jobs: int) -> None:
    for _ in range(messages):
        took_ms = each_ms * jobs
        run_times.learn(1, Ends(count=jobs, longest_ms=took_ms), Sample(took_ms, took_ms, jobs))


def test_a_shorter_time_is_known_after_a_hundred_ends_in_however_few_messages() -> None:
    run_times = RunTimes()
    _learn(run_times, LONG, messages=EVIDENCE_ENDS, jobs=1)
    _learn(run_times, SHORT, messages=1, jobs=EVIDENCE_ENDS - 1)
    assert run_times.evidence_ms(1) == pytest.approx(LONG)

    _learn(run_times, SHORT, messages=1, jobs=1)
    assert run_times.evidence_ms(1) == pytest.approx(SHORT)


def test_a_longer_time_is_known_after_eight_messages() -> None:
    run_times = RunTimes()
    _learn(run_times, SHORT, messages=EVIDENCE_ENDS, jobs=1)
    _learn(run_times, LONG, messages=7, jobs=EVIDENCE_ENDS)
    assert run_times.evidence_ms(1) == pytest.approx(SHORT)

    _learn(run_times, LONG, messages=1, jobs=EVIDENCE_ENDS)
    assert run_times.evidence_ms(1) == pytest.approx(LONG)
