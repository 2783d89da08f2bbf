"""Ended jobs on their way from the store to the archive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workroom.domain.files import Artifact, Preview
from workroom.domain.job import Job, JobState, Transition
from workroom.domain.jobs.logs import LogLine
from workroom.domain.queries import Query
from workroom.domain.room import ChatMessage


@dataclass(frozen=True, slots=True)
class Ended:
    """An ended job with its records.

    `chat` is the message about its failure; `reports` are digests of the reports that were accepted.
    """

    job: Job
    transitions: Sequence[Transition]
    lines: Sequence[LogLine]
    artifacts: Sequence[Artifact]
    preview: Preview | None
    chat: ChatMessage | None
    reports: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a job ended: enough to reply to late reports about it."""

    status: JobState
    reports: frozenset[str]


@dataclass(frozen=True, slots=True)
class FindEnding(Query[Ending | None]):
    job_id: str


@dataclass(frozen=True, slots=True)
class Expired:
    """A job whose retention is over, and the blobs to delete with it."""

    id: str
    extension_id: int
    status: JobState
    retry_of: str | None
    blobs: tuple[str, ...]
    group: str | None = None


@dataclass(frozen=True, slots=True)
class FindExpired(Query[list[Expired]]):
    """A batch of jobs that ended before a time."""

    before_us: int
    limit: int
