"""Who runs next, in numbers."""

from __future__ import annotations

from itertools import pairwise

import pytest

from workroom.domain.rules.estimates import PREFETCH_JOBS, prefetch, smoothed_ms
from workroom.domain.rules.fair_share import PRIORITIES, finish_tag, rank, start_tag


def test_the_most_urgent_priority_ranks_first() -> None:
    assert [rank(priority) for priority in PRIORITIES] == list(range(10, -1, -1))


def test_a_user_s_next_job_stands_behind_their_own_backlog() -> None:
    assert start_tag(virtual_time=3.0, last_finish=7.0) == 7.0


def test_who_was_away_starts_where_service_has_come_to() -> None:
    assert start_tag(virtual_time=7.0, last_finish=3.0) == 7.0


def test_a_job_takes_one_unit_of_service() -> None:
    assert finish_tag(2.5) == 3.5


def test_a_backlog_stands_in_a_row() -> None:
    finish, tags = 0.0, []
    for _ in range(5):
        tags.append(start_tag(0.0, finish))
        finish = finish_tag(tags[-1])

    assert {later - earlier for earlier, later in pairwise(tags)} == {1.0}


def test_the_first_duration_is_taken_as_it_is() -> None:
    assert smoothed_ms(None, 40.0) == 40.0


def test_later_durations_move_the_mean_by_an_eighth() -> None:
    assert smoothed_ms(40.0, 120.0) == 50.0
    assert smoothed_ms(40.0, 40.0) == 40.0


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
        (0.05, PREFETCH_JOBS),
        (0.0, PREFETCH_JOBS),
    ],
)
def test_a_worker_holds_no_more_than_it_should_finish_in_20_ms(mean_ms: float | None, jobs: int) -> None:
    assert prefetch(mean_ms) == jobs
