"""The errors that the server reports itself, and the chat line about a failed job.

The Redis scripts fill in the same templates, so every text is written here once.
"""

from __future__ import annotations

from workroom.domain.job import JobError

REFUSED_INPUT = "InvalidInput"
WORKER_LOST = "WorkerLost"
JOB_TIMEOUT = "JobTimeout"
MAX_RETRIES = "MaxRetriesExceeded"
NO_REASON = JobError("Error", "the worker gave no reason", {}, "")

WORKER_LOST_TEXT = "worker {worker} was lost while it ran this job"
JOB_TIMEOUT_TEXT = "the job ran longer than its {seconds} s"
MAX_RETRIES_TEXT = "gave up after {retries} retries; the last try ended with {type}: {message}"
FAILURE_TEXT = "job {job} failed: {type}: {message}"
RETRY_TEXT = "{reason}; again in {delay} s"
MAX_LINE = 500
MAX_REASON = 200


def worker_lost(worker: str) -> JobError:
    return JobError(WORKER_LOST, WORKER_LOST_TEXT.format(worker=worker), {"worker": worker}, "")


def job_timeout(seconds: float) -> JobError:
    text = JOB_TIMEOUT_TEXT.format(seconds=f"{seconds:.14g}")
    return JobError(JOB_TIMEOUT, text, {"timeout_s": seconds}, "")


def retries_exhausted(error: JobError, retries: int) -> JobError:
    """The last try ended with `error`, which stays readable in the details."""
    return JobError(
        MAX_RETRIES,
        MAX_RETRIES_TEXT.format(retries=retries, type=error.type, message=error.message),
        {"last_error": {"type": error.type, "message": error.message}, **error.details},
        error.stack_trace,
    )


def failure_line(job_id: str, error: JobError) -> str:
    """One chat line about a failed job, whatever line breaks the error contains."""
    text = FAILURE_TEXT.format(job=job_id, type=error.type, message=error.message)
    return " ".join(text.split())[:MAX_LINE]


def failure_reason(error: JobError) -> str:
    """The reason in the job's history."""
    return f"{error.type}: {error.message[:MAX_REASON]}"


def retry_reason(reason: str, delay_s: float) -> str:
    return RETRY_TEXT.format(reason=reason, delay=f"{delay_s:.1f}")


def is_retry(reason: str | None) -> bool:
    """Whether this is the reason of a job that is pending again because it is retried."""
    return reason is not None and RETRY_TEXT.rpartition("{reason}")[2].partition("{")[0] in reason


def was_caused_by(recorded: dict[str, object], error: JobError) -> bool:
    """Whether the recorded error is this one, or gives up because of it."""
    reported = {
        "type": error.type,
        "message": error.message,
        "details": error.details,
        "stack_trace": error.stack_trace,
    }
    if recorded == reported:
        return True
    details = recorded["details"]
    if recorded["type"] != MAX_RETRIES or not isinstance(details, dict):
        return False
    return bool(details.get("last_error") == {"type": error.type, "message": error.message})
