"""How the last jobs of an extension ended: what stores keep, and what is made of it."""

from __future__ import annotations

from workroom.domain.job import JobState
from workroom.domain.storage.recent_ends import Percentiles, RecentEnd, decode_ends, encode_end, statistics_of

SECOND = 1_000_000


def end(status: JobState = JobState.COMPLETED, ms: float | None = 1.0, at_us: int = SECOND) -> RecentEnd:
    return RecentEnd(at_us, status, ms, ms)


def test_an_end_is_decoded_to_what_was_encoded() -> None:
    packed = encode_end(JobState.FAILED, 10 * SECOND, 12 * SECOND, 12 * SECOND + 1_500)

    assert decode_ends(packed) == [RecentEnd(12 * SECOND, JobState.FAILED, 2000.0, 1.5)]


def test_a_job_that_never_started_has_no_durations() -> None:
    packed = encode_end(JobState.CANCELLED, 10 * SECOND, None, 12 * SECOND)

    assert decode_ends(packed) == [RecentEnd(12 * SECOND, JobState.CANCELLED, None, None)]


def test_a_clock_that_was_set_back_makes_no_negative_durations() -> None:
    packed = encode_end(JobState.COMPLETED, 10 * SECOND, 9 * SECOND, 8 * SECOND)

    assert decode_ends(packed) == [RecentEnd(8 * SECOND, JobState.COMPLETED, 0.0, 0.0)]


def test_percentiles_are_durations_that_occurred() -> None:
    found = statistics_of([end(ms=float(ms)) for ms in range(200, 0, -1)])

    assert found.wait_ms == found.execution_ms == Percentiles(100.0, 180.0, 198.0)
    assert statistics_of([end(ms=7.0)]).wait_ms == Percentiles(7.0, 7.0, 7.0)


def test_cancelled_jobs_do_not_count_for_the_failure_rate() -> None:
    ends = [end(JobState.FAILED), end(), end(), end(), *[end(JobState.CANCELLED, None)] * 5]

    assert statistics_of(ends).failure_rate == 0.25
    assert statistics_of([end(JobState.CANCELLED, None)]).failure_rate is None


def test_without_ends_there_are_no_figures() -> None:
    found = statistics_of([])

    assert (found.ends, found.since_us, found.wait_ms, found.failure_rate) == (0, None, None, None)


def test_the_window_begins_with_the_first_end() -> None:
    assert statistics_of([end(at_us=9 * SECOND), end(at_us=3 * SECOND)]).since_us == 3 * SECOND
