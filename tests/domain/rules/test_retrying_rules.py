"""What becomes of a job whose attempt went wrong, and what its error says."""

from __future__ import annotations

import pytest

from workroom.domain.job import JobError
from workroom.domain.rules.failure import (
    failure_line,
    job_timeout,
    retries_exhausted,
    was_caused_by,
    worker_lost,
)
from workroom.domain.rules.retry import Fate, after_error, after_loss, backoff_s

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
    assert after_loss(retries=0, tries=1) is Fate.FAIL


def test_there_are_as_many_retries_as_the_policy_allows() -> None:
    assert [after_loss(3, tries) for tries in (1, 2, 3, 4)] == [Fate.RETRY] * 3 + [Fate.GIVE_UP]


def test_an_error_is_final_unless_errors_are_retried() -> None:
    assert after_error("worker_lost", 3, 1) is Fate.FAIL
    assert after_error("error", 0, 1) is Fate.FAIL
    assert after_error("error", 3, 1) is Fate.RETRY


def test_an_error_after_all_tries_names_the_last_error() -> None:
    error = retries_exhausted(BROKEN, 2)

    assert error.type == "MaxRetriesExceeded"
    assert error.message == "gave up after 2 retries; the last try ended with ValueError: it broke"
    assert error.details == {"last_error": {"type": "ValueError", "message": "it broke"}, "line": 3}
    assert error.stack_trace == "Traceback"


def test_a_timeout_is_written_without_needless_digits() -> None:
    assert job_timeout(20.0).message == "the job ran longer than its 20 s"
    assert job_timeout(0.25).message == "the job ran longer than its 0.25 s"


def test_the_chat_line_is_one_line_of_bounded_length() -> None:
    error = JobError("ValueError", "first\nsecond\u2028third" + "x" * 1000, {}, "")

    line = failure_line("j1", error)

    assert line.startswith("job j1 failed: ValueError: first second third")
    assert len(line) == 500


def test_a_recorded_error_is_recognised_by_the_report_that_caused_it() -> None:
    def recorded(error: JobError) -> dict[str, object]:
        return {
            "type": error.type,
            "message": error.message,
            "details": error.details,
            "stack_trace": error.stack_trace,
        }

    assert was_caused_by(recorded(BROKEN), BROKEN)
    assert was_caused_by(recorded(retries_exhausted(BROKEN, 2)), BROKEN)
    assert not was_caused_by(recorded(worker_lost("w1")), BROKEN)
