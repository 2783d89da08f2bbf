"""What becomes of a job whose attempt went wrong."""

from __future__ import annotations

import pytest

from workroom.domain.extension import Policy, RetryOn
from workroom.domain.job import JobError
from workroom.domain.retrying import TryAgain, after_error, after_loss, backoff_s

BROKEN = JobError("ValueError", "it broke", {"line": 3}, "Traceback")


@pytest.mark.parametrize(
    ("tries", "seconds"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 60), (8, 60), (5000, 60)]
)
def test_the_backoff_doubles_up_to_a_minute(tries: int, seconds: float) -> None:
    assert backoff_s(tries, 0) == seconds


@pytest.mark.parametrize(("jitter", "factor"), [(-1, 0.8), (1, 1.2)])
def test_jitter_moves_the_backoff_by_a_fifth(jitter: float, factor: float) -> None:
    assert backoff_s(3, jitter) == pytest.approx(4 * factor)


def test_without_retries_a_lost_worker_is_the_end() -> None:
    verdict = after_loss(Policy(), 1, "w1", 0)

    assert isinstance(verdict, JobError)
    assert (verdict.type, verdict.details) == ("WorkerLost", {"worker": "w1"})


def test_there_are_as_many_retries_as_the_policy_says() -> None:
    policy = Policy(retries=3)

    assert [after_loss(policy, tries, "w1", 0) for tries in (1, 2, 3)] == [
        TryAgain(1),
        TryAgain(2),
        TryAgain(4),
    ]
    verdict = after_loss(policy, 4, "w1", 0)
    assert isinstance(verdict, JobError)
    assert verdict.type == "MaxRetriesExceeded"


def test_an_error_is_final_unless_errors_are_retried() -> None:
    assert after_error(Policy(retries=3), 1, BROKEN, 0) is BROKEN
    assert after_error(Policy(retry_on=RetryOn.ERROR), 1, BROKEN, 0) is BROKEN
    assert after_error(Policy(retries=3, retry_on=RetryOn.ERROR), 1, BROKEN, 0) == TryAgain(1)


def test_who_gives_up_says_what_went_wrong_last() -> None:
    verdict = after_error(Policy(retries=1, retry_on=RetryOn.ERROR), 2, BROKEN, 0)

    assert isinstance(verdict, JobError)
    assert verdict.type == "MaxRetriesExceeded"
    assert "ValueError: it broke" in verdict.message
    assert verdict.details == {"last_error": {"type": "ValueError", "message": "it broke"}, "line": 3}
    assert verdict.stack_trace == "Traceback"
