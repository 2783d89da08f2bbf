"""A job in the words of a task queue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from workroom.domain.extension import Policy
from workroom.domain.job import Job, JobState

PREFIX = "tq_"
STATUSES = {
    JobState.PENDING: "queued",
    JobState.ASSIGNED: "queued",
    JobState.RUNNING: "processing",
    JobState.COMPLETED: "completed",
    JobState.FAILED: "failed",
    JobState.CANCELLED: "failed",
}

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a task document shows besides the job and its policy."""

    now_us: int
    concurrency_key: str | None = None
    concurrency_limit: int | None = None
    heartbeat_at_us: int | None = None  # of the worker that runs the job
    shows_stack: bool = False


def task_document(job: Job, policy: Policy, facts: Facts) -> Document:
    return {
        "task_id": f"{PREFIX}{job.id}",
        "actor": policy.actor,
        "concurrency_identifier": facts.concurrency_key,
        "concurrency_limit": facts.concurrency_limit,
        "status": STATUSES[job.status],
        "priority": job.priority,
        "payload": orjson.Fragment(job.data),
        "result": None if job.result is None else orjson.Fragment(job.result),
        "error": task_error(job, stack=facts.shows_stack),
        "progress": task_progress(job, facts.now_us),
        "created_at": format_time(job.created_at_us),
        "started_at": format_time(job.started_at_us),
        "completed_at": format_time(job.completed_at_us),
        "worker_id": job.worker,
        "heartbeat_at": _heartbeat_at(job, facts),
        "retry_count": retries(job),
        "max_retries": policy.retries,
    }


def _heartbeat_at(job: Job, facts: Facts) -> str | None:
    """The last heartbeat of the worker; if it is connected to another server, its last report."""
    if job.status is not JobState.RUNNING:
        return None
    if facts.heartbeat_at_us is not None:
        return format_time(facts.heartbeat_at_us)
    reported: str | None = None if job.progress is None else orjson.loads(job.progress).get("updated_at")
    return reported or format_time(job.started_at_us)


def retries(job: Job) -> int:
    """How often the job was started again, counting the try that it is queued for."""
    is_waiting = job.status in (JobState.PENDING, JobState.ASSIGNED)
    return job.tries if is_waiting else max(0, job.tries - 1)


def queued_message(tried: int) -> str:
    return f"Retrying (attempt {tried})" if tried else "Queued"


def task_progress(job: Job, now_us: int) -> Document:
    """The last report. While the task is processing, its elapsed time goes on."""
    reported: Document = {} if job.progress is None else orjson.loads(job.progress)
    shares: Document = {name: reported[name] for name in ("fraction", "current", "total") if name in reported}
    elapsed, message, at_us = _summary(job, reported, now_us)
    return {
        **shares,
        "elapsed_ms": elapsed,
        "message": message,
        "updated_at": reported.get("updated_at") or format_time(at_us),
    }


def _summary(job: Job, reported: Document, now_us: int) -> tuple[int, str, int]:
    """Elapsed milliseconds, a message, and when they were true."""
    started_us = job.started_at_us or job.created_at_us
    match STATUSES[job.status]:
        case "queued":
            return 0, queued_message(retries(job)), job.created_at_us
        case "processing":
            since_us = _parse_time(reported["updated_at"]) if reported else started_us
            elapsed = reported.get("elapsed_ms", 0) + max(0, now_us - since_us) / 1000
            return round(elapsed), reported.get("message") or "Processing", started_us
        case "completed":
            return round(job.execution_time_ms or 0), "Completed", job.completed_at_us or now_us
        case _:
            error = task_error(job, stack=False) or {}
            message = f"Failed: {error['message']}"
            return round(job.execution_time_ms or 0), message, job.completed_at_us or now_us


def task_error(job: Job, *, stack: bool) -> Document | None:
    if job.status is JobState.CANCELLED:
        return {"type": "Cancelled", "message": "the task was cancelled", "details": {}, "stack_trace": ""}
    if job.error is None:
        return None
    error: Document = orjson.loads(job.error)
    return error if stack else {**error, "stack_trace": None}


def task_event(document: Document) -> tuple[str, Document]:
    """The name and body of the stream event for a task; `complete` and `error` are the last of a stream."""
    match document["status"]:
        case "completed":
            return "complete", {"result": document["result"]}
        case "failed":
            return "error", {"error": document["error"]}
        case _:
            return "progress", {"status": document["status"], "progress": document["progress"]}


def format_time(at_us: int | None) -> str | None:
    if at_us is None:
        return None
    return datetime.fromtimestamp(at_us / 1_000_000, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def _parse_time(at: str) -> int:
    return int(datetime.fromisoformat(at).timestamp() * 1_000_000)
