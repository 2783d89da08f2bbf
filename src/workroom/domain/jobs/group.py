"""A group: jobs that were submitted as one thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from workroom.domain.job import JobState


class GroupChange(StrEnum):
    """What is done to a whole group. All but the first are carried out in the background."""

    CLOSE = "close"  # no more jobs are added
    CANCEL = "cancel"
    PAUSE = "pause"
    RESUME = "resume"


@dataclass(frozen=True, slots=True)
class NewGroup:
    """`parameters` are the names of the fields in which its jobs differ."""

    id: str
    room: str
    user: str
    title: str = ""
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """A group as the store has it. A failed job that was retried in the group no longer counts.

    `change` is what is being carried out. `counts` has the number of jobs in each state.
    """

    sequence: int
    id: str
    room: str
    user: str
    title: str
    parameters: tuple[str, ...]
    created_at_us: int
    is_open: bool
    is_paused: bool
    is_cancelled: bool
    change: GroupChange | None
    version: int
    ended_at_us: int | None
    counts: Mapping[JobState, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def ended(self) -> int:
        return sum(count for state, count in self.counts.items() if state.is_terminal)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What a job waited or waits for, jobs and groups, and the jobs that wait or waited for it."""

    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(slots=True)
class ChangedGroup:
    """A group whose counts or state changed in a step."""

    id: str
    room: str
    version: int
