"""What leaves the store for the archive: jobs that are over, with all that is on record of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workroom.domain.chat import ChatMessage
from workroom.domain.files import Artifact, Preview
from workroom.domain.job import Job, JobState, Transition
from workroom.domain.logs import LogLine
from workroom.domain.queries import Query


@dataclass(frozen=True, slots=True)
class Ended:
    """`said` is the line that its room was told; `reports` are the reports that were accepted of it."""

    job: Job
    transitions: Sequence[Transition]
    lines: Sequence[LogLine]
    artifacts: Sequence[Artifact]
    preview: Preview | None
    said: ChatMessage | None
    reports: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ending:
    """What is left to say to somebody who still acts on a job that is over."""

    status: JobState
    reports: frozenset[str]


@dataclass(frozen=True, slots=True)
class FindEnding(Query[Ending | None]):
    job_id: str


@dataclass(frozen=True, slots=True)
class Expired:
    """A job that is to be forgotten, and what else has to be let go with it."""

    id: str
    extension_id: int
    status: JobState
    retry_of: str | None
    blobs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FindExpired(Query[list[Expired]]):
    """Jobs that ended before a time, a few of them."""

    before_us: int
    limit: int
