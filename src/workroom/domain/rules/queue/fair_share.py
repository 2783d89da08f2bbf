"""Who runs next: priority, then start-time fair queuing between users, then first come."""

from __future__ import annotations

PRIORITIES = range(11)
AGE_US = 300_000_000  # this much waiting raises the priority by one
AGE_BATCH = 500


def rank(priority: int) -> int:
    """Position of a priority in ascending order: the most urgent is 0."""
    return PRIORITIES[-1] - priority


def start_tag(virtual_time: float, last_finish: float) -> float:
    """A user's next job queues behind that user's own backlog, not behind everybody's."""
    return max(virtual_time, last_finish)


def finish_tag(start: float) -> float:
    return start + 1.0


def begins(first: float, tag: float) -> float:
    """Of jobs that are started together, the first one begins now: the others may be given back."""
    return min(first, tag)


def virtual_time(reached: float, tag: float) -> float:
    """How far service has come once the job with this tag begins: what is only handed out may be recalled."""
    return max(reached, tag)


def aged_before(now_us: int) -> int:
    """Jobs that have waited at their rank since then, or longer, rise."""
    return now_us - AGE_US


def raised(job_rank: int) -> int:
    """The rank of a job that has waited long enough; the most urgent rank is the highest there is."""
    return max(0, job_rank - 1)
