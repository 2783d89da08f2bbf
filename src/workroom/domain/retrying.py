"""What becomes of a job whose attempt went wrong: another try, later, or the end."""

from __future__ import annotations

from dataclasses import dataclass

from workroom.domain.extension import Policy, RetryOn
from workroom.domain.job import JobError

FIRST_DELAY_S = 1.0
MAX_DELAY_S = 60.0
JITTER = 0.2
MAX_RETRIES = "MaxRetriesExceeded"


@dataclass(frozen=True, slots=True)
class TryAgain:
    delay_s: float


def backoff_s(tries: int, jitter: float) -> float:
    """1 s, doubled with each try, at most 60 s; `jitter` from -1 to 1 moves it by up to a fifth."""
    doubled: float = FIRST_DELAY_S * 2 ** min(tries - 1, 16)
    return min(MAX_DELAY_S, doubled) * (1 + JITTER * jitter)


def after_loss(policy: Policy, tries: int, worker: str, jitter: float) -> TryAgain | JobError:
    """The worker was lost while it ran the job; this was try number `tries`."""
    lost = JobError("WorkerLost", f"worker {worker} was lost while it ran this job", {"worker": worker}, "")
    return _after(policy, tries, lost, jitter)


def after_error(policy: Policy, tries: int, error: JobError, jitter: float) -> TryAgain | JobError:
    """The code failed, or took too long."""
    if policy.retry_on is not RetryOn.ERROR:
        return error
    return _after(policy, tries, error, jitter)


def _after(policy: Policy, tries: int, error: JobError, jitter: float) -> TryAgain | JobError:
    if tries <= policy.retries:
        return TryAgain(backoff_s(tries, jitter))
    if policy.retries == 0:
        return error
    return JobError(
        MAX_RETRIES,
        f"gave up after {policy.retries} retries; the last try ended with {error.type}: {error.message}",
        {"last_error": {"type": error.type, "message": error.message}, **error.details},
        error.stack_trace,
    )
