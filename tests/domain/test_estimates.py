"""How long jobs are expected to take, and what follows from it."""

from __future__ import annotations

import math

import pytest

from workroom.domain.rules.estimates import (
    AHEAD_JOBS,
    FIRST_AHEAD,
    LONGEST_START_SECONDS,
    MOST_AHEAD,
    SHORTEST_MS,
    TOGETHER_MS,
    Sample,
    eta_ms,
    expected_ms,
    fastest_ms,
    next_evidence_ms,
    next_start_s,
    paced_limit,
    read_ahead,
    start_limit_s,
    without_trips,
)


@pytest.mark.parametrize(
    ("mean_ms", "jobs"),
    [
        (None, 0),
        (1000.0, 0),
        (20.1, 0),
        (20.0, 1),
        (10.0, 2),
        (3.0, 6),
        (0.1, 200),
        (0.05, AHEAD_JOBS),
        (0.0, AHEAD_JOBS),
    ],
)
def test_a_worker_holds_no_more_than_it_should_finish_in_20_ms(mean_ms: float | None, jobs: int) -> None:
    assert read_ahead(mean_ms) == jobs


@pytest.mark.parametrize(
    ("measured_ms", "reported_ms", "sent"),
    [
        (None, 0.0, None),
        (0.05, 0.0, 0.05),
        (0.05, 0.9994, 0.999),
        (0.05, 1.0, None),
        (2.4, 0.1, 2.4),
        (2.5, 0.1, None),
        (2.4, 1.0, None),
    ],
)
def test_what_is_started_together_is_reported_as_short_and_fits_twice_into_5_ms_as_measured(
    measured_ms: float | None, reported_ms: float, sent: float | None
) -> None:
    assert expected_ms(measured_ms, reported_ms) == sent


def test_evidence_shrinks_at_once_and_grows_in_steps() -> None:
    assert next_evidence_ms(None, 4.0) == 4.0
    assert next_evidence_ms(4.0, 0.1) == 0.1
    assert next_evidence_ms(0.1, 4.0) == 0.2


def test_evidence_is_gone_at_once_when_all_jobs_take_more_than_is_started_together() -> None:
    assert next_evidence_ms(0.1, TOGETHER_MS) == TOGETHER_MS


def test_a_slow_ack_does_not_make_a_long_job_short() -> None:
    assert without_trips(4.0, trips_ms=1.0) == 3.0
    assert without_trips(4.0, trips_ms=100.0) == 2.0


def test_a_stall_does_not_make_short_jobs_long() -> None:
    samples = [Sample(1.0, 0.5, 1)] * 90 + [Sample(80.0, 79.0, 1)] * 10

    assert fastest_ms(samples) == 0.5


def test_long_jobs_are_never_taken_for_short_ones() -> None:
    assert fastest_ms([Sample(4.2, 4.0, 1)] * 100) == 4.0


def test_samples_count_by_their_ends() -> None:
    assert fastest_ms([Sample(0.5, 0.5, 5), Sample(95.0, 95.0, 95)]) == pytest.approx(0.955)


def test_no_job_counts_as_shorter_than_a_twentieth_of_a_millisecond() -> None:
    assert fastest_ms([Sample(0.0, 0.0, 100)]) == SHORTEST_MS


def test_a_worker_holds_ahead_no_more_than_it_starts_in_20_ms() -> None:
    assert paced_limit(elapsed_ms=50.0, starts=100) == 40
    assert paced_limit(elapsed_ms=5000.0, starts=100) == 1
    assert paced_limit(elapsed_ms=0.0, starts=100) == MOST_AHEAD


def test_a_worker_of_unknown_pace_holds_little_ahead() -> None:
    assert paced_limit(elapsed_ms=0.0, starts=0) == FIRST_AHEAD


def test_the_wait_grows_with_the_queue_and_shrinks_with_the_slots() -> None:
    assert eta_ms(position=9, slots=2, mean_ms=100.0) == 500.0


@pytest.mark.parametrize(("start_s", "limit_s"), [(0.0, 0.06), (0.03, 0.06), (0.2, 0.4)])
def test_a_start_may_take_twice_as_long_as_before(start_s: float, limit_s: float) -> None:
    assert start_limit_s(start_s) == limit_s


@pytest.mark.parametrize(
    ("start_s", "took_s", "next_s"),
    [
        (0.0, 0.002, 0.002),
        (0.0, 60.0, 0.06),
        (0.1, 0.15, 0.15),
        (0.1, 0.001, 0.09),
        (0.1, math.inf, 0.2),
        (9.0, math.inf, LONGEST_START_SECONDS),
        (LONGEST_START_SECONDS, math.inf, LONGEST_START_SECONDS),
    ],
)
def test_the_time_of_a_start_follows_the_longest_recent_one_and_doubles_at_most(
    start_s: float, took_s: float, next_s: float
) -> None:
    assert next_start_s(start_s, took_s) == pytest.approx(next_s)
