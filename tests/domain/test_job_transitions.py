"""Which state may follow which."""

from __future__ import annotations

from itertools import product

import pytest

from workroom.domain.job import TERMINAL, TRANSITIONS, JobState, may_follow, parse_state

ALLOWED = {
    ("pending", "assigned"),
    ("pending", "cancelled"),
    ("assigned", "pending"),
    ("assigned", "running"),
    ("assigned", "failed"),
    ("assigned", "cancelled"),
    ("running", "pending"),
    ("running", "completed"),
    ("running", "failed"),
    ("running", "cancelled"),
}


@pytest.mark.parametrize(("current", "following"), list(product(JobState, JobState)))
def test_a_state_follows_another_only_as_drawn(current: JobState, following: JobState) -> None:
    assert may_follow(current, following) is ((current, following) in ALLOWED)


def test_every_state_is_in_the_table() -> None:
    assert set(TRANSITIONS) == set(JobState)


def test_a_state_is_terminal_when_nothing_follows_it() -> None:
    assert {state for state in JobState if state.is_terminal} == TERMINAL
    assert {state for state, following in TRANSITIONS.items() if not following} == TERMINAL


@pytest.mark.parametrize(
    ("word", "state"),
    [*((state.value, state) for state in JobState), ("processing", "running"), ("finished", "completed")],
)
def test_a_state_is_understood_by_each_of_its_words(word: str, state: str) -> None:
    assert parse_state(word) is JobState(state)


@pytest.mark.parametrize("word", ["", "done", "Pending", "RUNNING", " running"])
def test_an_unknown_word_is_no_state(word: str) -> None:
    with pytest.raises(ValueError, match="not a valid JobState"):
        parse_state(word)
