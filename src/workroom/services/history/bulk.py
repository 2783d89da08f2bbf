"""One action on many jobs of a room, with one result for each."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from workroom.domain.identity import Principal
from workroom.domain.job import Job
from workroom.domain.jobs.annotation import AnnotationChange
from workroom.domain.permissions import Permission
from workroom.errors import InvalidRequest, JobNotFound, RoomNotFound
from workroom.services.history.annotations import Annotations
from workroom.services.identity.access import Access
from workroom.services.jobs.operations import Operations
from workroom.services.jobs.reports import Reports
from workroom.services.jobs.submit_queue import BrieflySubmitted
from workroom.services.limits.throttles import Throttles

MAX_JOBS = 200


class Action(StrEnum):
    CANCEL = "cancel"
    ARRANGE = "arrange"
    RETRY = "retry"
    STAR = "star"
    UNSTAR = "unstar"
    TAG = "tag"
    UNTAG = "untag"


_PERMISSIONS = {
    Action.CANCEL: Permission.CANCEL_JOB,
    Action.ARRANGE: Permission.CANCEL_JOB,
    Action.RETRY: Permission.REPLAY_JOB,
}


class BulkActions:
    def __init__(
        self,
        access: Access,
        operations: Operations,
        reports: Reports,
        annotations: Annotations,
        throttles: Throttles,
    ) -> None:
        self._access = access
        self._operations = operations
        self._reports = reports
        self._annotations = annotations
        self._throttles = throttles

    async def run(
        self, who: Principal, room: str, action: Action, ids: Sequence[str], tags: Sequence[str] = ()
    ) -> list[BrieflySubmitted]:
        """A refused job does not keep the others from being acted on."""
        unique = list(dict.fromkeys(ids))
        permission = _PERMISSIONS.get(action, Permission.ANNOTATE_JOB)
        self._throttle(who, action, len(unique))
        checked = await self._access.jobs(who, room, unique, permission)
        allowed = [job for job in checked if isinstance(job, Job)]
        acted = iter(await self._act(who, room, action, allowed, tuple(tags)))
        by_id = {
            job_id: next(acted) if isinstance(each, Job) else each
            for job_id, each in zip(unique, checked, strict=True)
        }
        return [by_id[job_id] for job_id in ids]

    async def run_anywhere(
        self, who: Principal, action: Action, ids: Sequence[str], tags: Sequence[str] = ()
    ) -> list[BrieflySubmitted]:
        """The same for jobs of any rooms. Those of a room that is gone are refused."""
        rooms = await self._access.rooms_of(list(dict.fromkeys(ids)))
        results: dict[str, BrieflySubmitted] = {}
        for room in dict.fromkeys(rooms.values()):
            there = [job_id for job_id, its_room in rooms.items() if its_room == room]
            try:
                results.update(zip(there, await self.run(who, room, action, there, tags), strict=True))
            except RoomNotFound as refusal:
                results.update(dict.fromkeys(there, refusal))
        return [results.get(job_id) or JobNotFound(f"there is no job '{job_id}'") for job_id in ids]

    def _throttle(self, who: Principal, action: Action, count: int) -> None:
        """Before anything is read."""
        if action is Action.RETRY:
            self._throttles.submits.take(who.user, count)
        elif action not in (Action.CANCEL, Action.ARRANGE):
            self._throttles.annotations.take(who.user, count)

    async def _act(
        self, who: Principal, room: str, action: Action, jobs: Sequence[Job], tags: tuple[str, ...]
    ) -> Sequence[BrieflySubmitted]:
        if not jobs:
            return []
        if action is Action.CANCEL:
            return await self._reports.cancel_all(who, jobs)
        if action is Action.ARRANGE:
            return await self._reports.arrange(jobs)
        if action is Action.RETRY:
            may_raise = await self._access.manages(who, room)
            return await self._operations.replay_each(who, jobs, may_raise=may_raise)
        return await self._annotations.change_all(who, jobs, _change(action, tags))


def _change(action: Action, tags: tuple[str, ...]) -> AnnotationChange:
    if action in (Action.STAR, Action.UNSTAR):
        return AnnotationChange(starred=action is Action.STAR)
    if not tags:
        raise InvalidRequest(f"'{action}' needs tags")
    return AnnotationChange(add_tags=tags) if action is Action.TAG else AnnotationChange(remove_tags=tags)
