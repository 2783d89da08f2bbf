"""When a postponed job is enqueued: after a time, after other jobs, when its group is resumed."""

from __future__ import annotations

NEVER_US = 2**53 - 1  # postponed jobs do not age
ENQUEUE_BATCH = 500
FILL_US = 30_000_000  # a job whose values were not filled in by then is offered again


def enqueues_us(now_us: int, run_us: int | None, blockers: int, *, is_paused: bool) -> int | None:
    """The time at which the job is enqueued; None while it waits for other jobs or for its group."""
    if blockers > 0 or is_paused:
        return None
    return now_us if run_us is None else max(now_us, run_us)
