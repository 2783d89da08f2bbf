"""The circuit breaker, step by step."""

from __future__ import annotations

from random import Random

import pytest

from workroom.domain.rules.breaker import BREAK_US, HEALTHY, MIN_FAILURES, Breaker, Sign

NOW = 1_700_000_000_000_000
TRIAL, OTHER = "token of the trial", "token of another"
OPEN = Breaker("1" * MIN_FAILURES, NOW)


def _failing(times: int, breaker: Breaker = Breaker()) -> Breaker:  # noqa: B008
    for _ in range(times):
        breaker = breaker.after_failure(TRIAL, NOW)
    return breaker


def test_it_opens_after_five_failures() -> None:
    assert [_failing(times).is_open for times in range(6)] == [False] * 5 + [True]
    assert _failing(MIN_FAILURES) == OPEN


def test_fewer_failures_than_successes_do_not_open_it() -> None:
    assert [_failing(times, Breaker("0" * 6)).is_open for times in (5, 6)] == [False, True]
    assert [_failing(times, Breaker(HEALTHY)).is_open for times in (9, 10)] == [False, True]


def test_tries_of_one_job_count_once() -> None:
    breaker = Breaker().after_failure(TRIAL, NOW)
    for _ in range(100):
        breaker = breaker.after_repeat(OTHER, NOW)

    assert breaker == Breaker("1")


@pytest.mark.parametrize("seed", range(20))
def test_two_percent_of_poison_with_retries_never_opens_it(seed: int) -> None:
    random, breaker = Random(seed), Breaker()
    jobs = ["poison"] * 20 + ["healthy"] * 980
    random.shuffle(jobs)
    for job in jobs:
        sign = Sign.FAILURE if job == "poison" else Sign.SUCCESS
        for each in (sign, *[Sign.AGAIN] * random.randrange(10)):
            breaker = breaker.after(each, OTHER, NOW)
            assert not breaker.is_open


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
    assert OPEN.trying(TRIAL).after_success(TRIAL) == Breaker("0")


def test_a_trial_that_fails_opens_it_anew() -> None:
    later = NOW + BREAK_US
    for again in (
        OPEN.trying(TRIAL).after_failure(TRIAL, later),
        OPEN.trying(TRIAL).after_repeat(TRIAL, later),
    ):
        assert (again.opened_us, again.trial) == (later, None)
        assert not again.admits(later + BREAK_US - 1)


def test_ends_of_others_are_only_remembered_while_it_is_open() -> None:
    for breaker in (OPEN, OPEN.trying(TRIAL)):
        ended = breaker.after_success(OTHER).after_failure(OTHER, NOW + 5)
        assert ended == Breaker(f"{breaker.ends}01", breaker.opened_us, breaker.trial)


def test_successes_during_the_break_make_the_next_opening_harder() -> None:
    breaker = OPEN.trying(TRIAL)
    for _ in range(20):
        breaker = breaker.after_success(OTHER)

    assert breaker.after_success(TRIAL) == Breaker(HEALTHY)


def test_a_trial_without_a_verdict_lets_another_try() -> None:
    trying = OPEN.trying(TRIAL)

    assert trying.after_no_verdict(TRIAL) == OPEN
    assert trying.after_no_verdict(OTHER) == trying
    assert Breaker("111").after_no_verdict(TRIAL) == Breaker("111")
