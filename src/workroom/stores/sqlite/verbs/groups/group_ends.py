"""Counts the ends of jobs in their groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workroom.domain.job import JobState
from workroom.domain.jobs.group import ChangedGroup
from workroom.domain.rules.queue.following import group_end
from workroom.domain.rules.queue.grouping import is_over
from workroom.stores.sqlite.statements import SQL

if TYPE_CHECKING:
    from workroom.stores.sqlite.verbs.groups.following import LinkedEnd
    from workroom.stores.sqlite.verbs.step_builder import StepBuilder


def count(builder: StepBuilder, ends: Iterable[LinkedEnd]) -> list[tuple[str, str]]:
    """Return the groups that are over and that jobs wait for, and how they ended."""
    by_group: defaultdict[str, list[LinkedEnd]] = defaultdict(list)
    for end in ends:
        if end.group is not None:
            by_group[end.group].append(end)
    return [over for group, members in by_group.items() for over in _count(builder, group, members)]


def _count(builder: StepBuilder, group: str, ends: list[LinkedEnd]) -> list[tuple[str, str]]:
    statuses = [end.status for end in ends]
    counts = {
        "id": group,
        "completed": statuses.count(JobState.COMPLETED),
        "failed": statuses.count(JobState.FAILED),
        "cancelled": statuses.count(JobState.CANCELLED),
    }
    row = builder.connection.execute(SQL["count_ends_in_group"], counts).fetchone()
    first = sum(row[4:7]) - len(ends) + 1
    numbered = [(group, number, end.job) for number, end in enumerate(ends, first)]
    builder.connection.executemany(SQL["insert_group_end"], numbered)
    return conclude(builder, group, row)


def conclude(builder: StepBuilder, group: str, row: tuple[Any, ...]) -> list[tuple[str, str]]:
    """Note that a group changed, and whether it is over."""
    room, version, is_open, jobs, completed, failed, cancelled, retried, is_followed = row
    builder.step.groups.append(ChangedGroup(group, room, version))
    if not is_over(jobs, completed + failed + cancelled, is_open=bool(is_open)):
        return []
    builder.connection.execute(SQL["end_group"], (builder.at_us, group))
    return [(group, group_end(failed, cancelled, retried))] if is_followed else []


def end_of(builder: StepBuilder, group: str, room: str) -> str | None:
    """How a group has ended; None if it has not."""
    row = builder.connection.execute(SQL["end_of_group"], (group, room)).fetchone()
    is_open, jobs, completed, failed, cancelled, retried = row
    if not is_over(jobs, completed + failed + cancelled, is_open=bool(is_open)):
        return None
    return group_end(failed, cancelled, retried)
