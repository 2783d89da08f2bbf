"""How long jobs are expected to take, and what follows from it."""

from __future__ import annotations

import pytest

from workroom.domain.rules.estimates import (
    AHEAD_JOBS,
    MOST_AHEAD,
    SHORTEST_MS,
    Sample,
    adapted_limit,
    eta_ms,
    expected_ms,
    fastest_ms,
    read_ahead,
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


@pytest.mark.parametrize(("mean_ms", "sent"), [(None, None), (1.0, None), (0.9994, 0.999), (0.05, 0.05)])
def test_only_what_takes_less_than_a_millisecond_may_be_started_together(
    mean_ms: float | None, sent: float | None
) -> None:
    assert expected_ms(mean_ms) == sent


def test_a_stall_does_not_make_short_jobs_long() -> None:
    samples = [Sample(1.0, 0.5, 1)] * 90 + [Sample(80.0, 79.0, 1)] * 10

    assert fastest_ms(samples) == 0.5


def test_long_jobs_are_never_taken_for_short_ones() -> None:
    assert fastest_ms([Sample(4.2, 4.0, 1)] * 100) == 4.0


def test_samples_count_by_their_ends() -> None:
    assert fastest_ms([Sample(1.0, 1.0, 10), Sample(90.0, 90.0, 90)]) == pytest.approx(0.91)


def test_no_job_counts_as_shorter_than_a_twentieth_of_a_millisecond() -> None:
    assert fastest_ms([Sample(0.0, 0.0, 100)]) == SHORTEST_MS


def test_less_is_handed_out_ahead_when_it_waits_for_long() -> None:
    assert adapted_limit(100.0, waited_ms=25.0) == 80.0
    assert adapted_limit(100.0, waited_ms=500.0) == 50.0
    assert adapted_limit(1.0, waited_ms=500.0) == 1.0


def test_more_is_handed_out_ahead_when_it_begins_at_once() -> None:
    assert adapted_limit(100.0, waited_ms=5.0) == 126.0
    assert adapted_limit(500.0, waited_ms=5.0) == MOST_AHEAD


def test_the_wait_grows_with_the_queue_and_shrinks_with_the_slots() -> None:
    assert eta_ms(position=9, slots=2, mean_ms=100.0) == 500.0
