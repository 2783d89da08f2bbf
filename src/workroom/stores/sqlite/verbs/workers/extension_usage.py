"""Adds the ends of one step to the usage of their extensions, with one write for each extension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from workroom.domain.job import JobState
from workroom.domain.storage.recent_ends import RECENT_BYTES, encode_end


class End(NamedTuple):
    job: int
    status: JobState
    created_us: int
    started_us: int | None


def usage_row(extension: int, ends: Sequence[End], at_us: int) -> dict[str, object]:
    """The parameters of `count_ends`."""
    states = [end.status for end in ends]
    recent = [encode_end(end.status, end.created_us, end.started_us, at_us) for end in reversed(ends)]
    return {
        "extension": extension,
        "completed": states.count(JobState.COMPLETED),
        "failed": states.count(JobState.FAILED),
        "cancelled": states.count(JobState.CANCELLED),
        "last_job_at": max(end.created_us for end in ends),
        "last_failed": next((end.job for end in reversed(ends) if end.status is JobState.FAILED), None),
        "recent": b"".join(recent)[:RECENT_BYTES],
        "recent_bytes": RECENT_BYTES,
    }
