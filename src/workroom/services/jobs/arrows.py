"""Finds what a new job waits for, and what of that has ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workroom.domain.job import Job
from workroom.domain.jobs.group import Group
from workroom.domain.jobs.group_ids import is_group_id
from workroom.domain.queries import FindGroup, FindJobsById
from workroom.domain.rules.queue.following import FollowVerdict, follow, skip_reason
from workroom.domain.schema.result_refs import MAX_REFERENCES, references
from workroom.errors import GroupNotFound, InvalidRequest, JobNotFound
from workroom.ports import ReadableStore
from workroom.services.jobs.submit_requests import Conditions, SubmitRequest

Found = dict[str, Job | Group]


class Arrows:
    def __init__(self, store: ReadableStore) -> None:
        self._store = store

    async def check(self, request: SubmitRequest, known: Found) -> None:
        """Keep those conditions of the request that are open. `known` is what its batch has read.

        Ended jobs may be in an archive, where the store does not look: they are decided here, for good.
        """
        conditions = request.conditions
        if conditions is None or not conditions.after:
            return
        after = tuple(dict.fromkeys(conditions.after))
        await self._read([each for each in after if each not in known], known)
        found = [_in_room(request.room, each, known.get(each)) for each in after]
        request.conditions = _open(conditions, found)

    async def _read(self, ids: Sequence[str], known: Found) -> None:
        jobs = tuple(each for each in ids if not is_group_id(each))
        if jobs:
            known.update({job.id: job for job in await self._store.read(FindJobsById(jobs, brief=True))})
        for each in ids:
            group = await self._store.read(FindGroup(each)) if is_group_id(each) else None
            if group is not None:
                known[each] = group


def _in_room(room: str, id: str, found: Job | Group | None) -> Job | Group:
    """What is in another room is as if it were missing."""
    if found is not None and found.room == room:
        return found
    if is_group_id(id):
        raise GroupNotFound(f"there is no group '{id[:100]}' in this room")
    raise JobNotFound(f"there is no job '{id[:100]}' in this room")


def _open(conditions: Conditions, found: Sequence[Job | Group]) -> Conditions:
    after, skip = [], None
    for each in found:
        status = each.status if isinstance(each, Job) and each.status.is_terminal else None
        verdict = follow(status, on_end=conditions.on_end)
        if verdict is FollowVerdict.WAIT:
            after.append(each.id)
        elif verdict is FollowVerdict.SKIP and skip is None:
            skip = skip_reason(each.id, str(status), is_group=False)
    return replace(conditions, after=tuple(after), skip=skip)


def note_references(request: SubmitRequest) -> None:
    """Values may refer to results of the jobs that must complete first."""
    conditions = request.conditions
    found = [] if conditions is None or not conditions.after else list(references(request.data))
    if conditions is None or not found:
        return
    if len(found) > MAX_REFERENCES:
        raise InvalidRequest(f"the values of a job may refer to results {MAX_REFERENCES} times")
    if conditions.on_end or not {each.job for each in found} <= set(conditions.after):
        raise InvalidRequest("values refer to results of jobs in `after` that must complete")
    request.conditions = replace(conditions, has_refs=True)


def needs_reading(request: SubmitRequest) -> bool:
    """Whether the request waits for something that must be found first."""
    return request.conditions is not None and bool(request.conditions.after)
