"""Results that are too large for a report: saved as an artifact of the job, which the report names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson

from workroom.domain.job import JobError, JobState
from workroom.errors import JobCancelled
from workroom.runtime.context import JobContext
from workroom.runtime.outcome import Outcome, to_text

ARTIFACT = "result.json"
_FIELDS = {"artifact", "media_type", "size", "sha256"}


def shrink_result(outcome: Outcome, job: JobContext, max_bytes: int) -> Outcome:
    """Replace a result that is too large by a reference to an artifact."""
    size = len(outcome.result or b"")
    if outcome.result is None or size <= max_bytes:
        return outcome
    try:
        saved = job.save(ARTIFACT, outcome.result, media_type="application/json")
    except JobCancelled:
        return Outcome(JobState.CANCELLED)
    except Exception as error:  # whatever fails here must not stop the worker
        message = f"run() returned {size:,} bytes of JSON, which could not be saved: {to_text(error)}"
        return Outcome(JobState.FAILED, error=JobError("ResultTooLarge", message, {}, ""))
    finally:
        job.close()
    document = {"artifact": ARTIFACT, **{name: saved[name] for name in ("media_type", "size", "sha256")}}
    return replace(outcome, result=orjson.dumps(document))


def is_reference(result: Any) -> bool:
    """Whether the result refers to an artifact."""
    return isinstance(result, dict) and set(result) == _FIELDS and result["artifact"] == ARTIFACT
