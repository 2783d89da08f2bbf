"""A result that is too large for a report is saved as a file of the job, and the report says so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson

from workroom.domain.job import JobError, JobState
from workroom.errors import JobCancelled
from workroom.runtime.context import JobContext
from workroom.runtime.outcome import Outcome, text_of

NAME = "result.json"
_FIELDS = {"artifact", "media_type", "size", "sha256"}


def with_fitting_result(outcome: Outcome, job: JobContext, max_bytes: int) -> Outcome:
    size = len(outcome.result or b"")
    if outcome.result is None or size <= max_bytes:
        return outcome
    try:
        saved = job.save(NAME, outcome.result, media_type="application/json")
    except JobCancelled:
        return Outcome(JobState.CANCELLED)
    except Exception as error:  # no failure of ours may end the worker
        message = f"run() returned {size:,} bytes of JSON, which could not be kept: {text_of(error)}"
        return Outcome(JobState.FAILED, error=JobError("ResultTooLarge", message, {}, ""))
    finally:
        job.close()
    document = {"artifact": NAME, **{name: saved[name] for name in ("media_type", "size", "sha256")}}
    return replace(outcome, result=orjson.dumps(document))


def is_elsewhere(result: Any) -> bool:
    """Does the result say that it is in a file?"""
    return isinstance(result, dict) and set(result) == _FIELDS and result["artifact"] == NAME
