"""A group, and what became of jobs that were added to one."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from workroom.domain.identity import Principal
from workroom.domain.job import JobState
from workroom.domain.jobs import group as domain
from workroom.domain.jobs.group import GroupChange
from workroom.domain.queries import Page
from workroom.server.http.views.job import BriefEntry, Job, JobEntry, ProblemEntry, render_entries, render_job
from workroom.server.http.views.values import Time, format_optional_time, format_time
from workroom.services.jobs import groups as services


class StateCounts(TypedDict):
    """The number of jobs in each state. Failed jobs that were retried in the group are left out."""

    pending: int
    assigned: int
    running: int
    completed: int
    failed: int
    cancelled: int


class Group(TypedDict):
    """Jobs that were submitted as one thing."""

    id: str
    room: str
    user: str
    title: str
    parameters: Annotated[list[str], Field(description="the fields in which its jobs differ")]
    created_at: Time
    open: Annotated[bool, Field(description="more jobs may be added")]
    paused: bool
    cancelled: bool
    changing: Annotated[GroupChange | None, Field(description="what is being carried out for its jobs")]
    version: Annotated[int, Field(description="grows with every change")]
    total: int
    counts: StateCounts
    progress: Annotated[float, Field(description="the part of its jobs that have ended")]
    ended_at: Annotated[Time | None, Field(description="when its last job ended, if no more are to come")]


class GroupPage(TypedDict):
    items: list[Group]
    next_cursor: Annotated[int | None, Field(description="`cursor` of the next page, if there is one")]


class JobArrows(TypedDict):
    """At most 100 in each direction."""

    before: Annotated[list[str], Field(description="the jobs and groups that it waits or waited for")]
    after: Annotated[list[str], Field(description="the jobs that wait or waited for it")]


class GroupEntries(TypedDict):
    """A group, and one entry for each job of the request, in the same order.

    The group is null if no job was accepted: then it does not exist.
    """

    group: Group | None
    items: list[JobEntry | BriefEntry | ProblemEntry]


class EndedJobs(TypedDict):
    """Jobs of a group in the order of their ends."""

    items: list[Job]
    next_after: Annotated[int, Field(description="`after` of the next request")]
    is_over: Annotated[bool, Field(description="no more follow")]


class RetriedGroup(TypedDict):
    group: Group
    retried: int
    more: Annotated[bool, Field(description="send the request again for the rest")]


def render_group(group: domain.Group) -> Group:
    counts, total = group.counts, group.total
    return {
        "id": group.id,
        "room": group.room,
        "user": group.user,
        "title": group.title,
        "parameters": list(group.parameters),
        "created_at": format_time(group.created_at_us),
        "open": group.is_open,
        "paused": group.is_paused,
        "cancelled": group.is_cancelled,
        "changing": group.change,
        "version": group.version,
        "total": total,
        "counts": {
            "pending": counts[JobState.PENDING],
            "assigned": counts[JobState.ASSIGNED],
            "running": counts[JobState.RUNNING],
            "completed": counts[JobState.COMPLETED],
            "failed": counts[JobState.FAILED],
            "cancelled": counts[JobState.CANCELLED],
        },
        "progress": group.ended / total if total else 0.0,
        "ended_at": format_optional_time(group.ended_at_us),
    }


def render_group_page(page: Page[domain.Group]) -> GroupPage:
    return {"items": [render_group(group) for group in page.items], "next_cursor": page.next_cursor}


def render_added(added: services.Added, reader: Principal, *, brief: bool) -> GroupEntries:
    group = None if added.group is None else render_group(added.group)
    return {"group": group, **render_entries(added.results, reader, brief=brief)}


def render_ended(ended: services.EndedJobs, reader: Principal) -> EndedJobs:
    items = [render_job(job, reader) for job in ended.jobs]
    return {"items": items, "next_after": ended.next_after, "is_over": ended.is_over}


def render_arrows(neighbours: domain.Neighbours) -> JobArrows:
    return {"before": list(neighbours.before), "after": list(neighbours.after)}
