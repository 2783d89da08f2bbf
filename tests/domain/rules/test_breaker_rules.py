"""The circuit breaker, step by step."""

from __future__ import annotations

from workroom.domain.rules.breaker import BREAK_US, THRESHOLD, Breaker

NOW = 1_700_000_000_000_000
TRIAL, OTHER = "token of the trial", "token of another"
OPEN = Breaker(THRESHOLD, NOW)


def _failing(times: int) -> Breaker:
    breaker = Breaker()
    for _ in range(times):
        breaker = breaker.after_failure(TRIAL, NOW)
    return breaker


def test_it_opens_after_five_failures() -> None:
    assert [_failing(times).is_open for times in range(6)] == [False] * 5 + [True]
    assert _failing(THRESHOLD) == OPEN


def test_a_success_forgets_all_failures() -> None:
    assert _failing(THRESHOLD - 1).after_success(OTHER) == Breaker()


def test_a_closed_one_admits_everybody() -> None:
    assert Breaker().admits(NOW)
    assert Breaker().lets_start(TRIAL)
    assert not Breaker().admits_trial(NOW)
    assert Breaker().trying(TRIAL) == Breaker()


def test_an_open_one_admits_nobody_until_the_break_is_over() -> None:
    assert not OPEN.admits(NOW + BREAK_US - 1)
    assert not OPEN.lets_start(TRIAL)
    assert OPEN.admits(NOW + BREAK_US)


def test_one_may_try_and_nobody_else() -> None:
    trying = OPEN.trying(TRIAL)

    assert not trying.admits(NOW + 2 * BREAK_US)
    assert (trying.lets_start(TRIAL), trying.lets_start(OTHER)) == (True, False)


def test_a_trial_that_succeeds_closes_it() -> None:
    assert OPEN.trying(TRIAL).after_success(TRIAL) == Breaker()


def test_a_trial_that_fails_opens_it_anew() -> None:
    later = NOW + BREAK_US
    again = OPEN.trying(TRIAL).after_failure(TRIAL, later)

    assert again == Breaker(THRESHOLD, later)
    assert not again.admits(later + BREAK_US - 1)


def test_successes_of_others_change_nothing_while_it_is_open() -> None:
    for breaker in (OPEN, OPEN.trying(TRIAL)):
        assert breaker.after_success(OTHER) == breaker


def test_failures_of_others_change_nothing_while_it_is_open() -> None:
    for breaker in (OPEN, OPEN.trying(TRIAL)):
        assert breaker.after_failure(OTHER, NOW + 5) == breaker


def test_a_trial_without_a_verdict_lets_another_try() -> None:
    trying = OPEN.trying(TRIAL)

    assert trying.after_no_verdict(TRIAL) == OPEN
    assert trying.after_no_verdict(OTHER) == trying
    assert Breaker(3).after_no_verdict(TRIAL) == Breaker(3)
