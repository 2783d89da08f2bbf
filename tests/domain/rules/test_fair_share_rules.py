"""Who runs next, in numbers."""

from __future__ import annotations

from itertools import pairwise

from workroom.domain.rules.queue.fair_share import PRIORITIES, finish_tag, rank, start_tag


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
