"""Groups: jobs that are submitted, watched and operated as one thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from uuid_utils import uuid7

from workroom.domain.identity import Principal
from workroom.domain.job import Job, JobState
from workroom.domain.jobs.group import Group, GroupChange, NewGroup
from workroom.domain.jobs.group_ids import PREFIX
from workroom.domain.permissions import Permission
from workroom.domain.queries import FindGroupEnds, FindGroups, FindJobs, Page
from workroom.errors import Forbidden
from workroom.ports import ReadableStore
from workroom.services.identity.access import Access
from workroom.services.jobs.job_pages import read_first
from workroom.services.jobs.job_reader import JobReader
from workroom.services.jobs.operations import Operations
from workroom.services.jobs.submission import Submission, Throttle
from workroom.services.jobs.submit_queue import BrieflySubmitted, is_new
from workroom.services.jobs.submit_requests import SubmitRequest
from workroom.services.jobs.waiters import Waiters, until_end
from workroom.services.steps import Steps

MAX_RETRIED = 500
_REASONS = {GroupChange.CANCEL: "its group was cancelled"}


@dataclass(frozen=True, slots=True)
class Added:
    """What became of jobs that were added to a group. Without the group, no job was accepted."""

    group: Group | None
    results: Sequence[BrieflySubmitted]


@dataclass(frozen=True, slots=True)
class EndedJobs:
    """Jobs of a group in the order of their ends. `is_over` if no more follow."""

    jobs: Sequence[Job]
    next_after: int
    is_over: bool


class Groups:
    def __init__(
        self,
        store: ReadableStore,
        steps: Steps,
        access: Access,
        submission: Submission,
        operations: Operations,
        reader: JobReader,
        waiters: Waiters,
        throttle: Throttle,
    ) -> None:
        self._store = store
        self._steps = steps
        self._access = access
        self._submission = submission
        self._operations = operations
        self._reader = reader
        self._waiters = waiters
        self._throttle = throttle

    async def create(
        self,
        who: Principal,
        new: NewGroup,
        requests: Sequence[SubmitRequest],
        key: str | None,
        *,
        stays_open: bool,
        brief: bool,
    ) -> Added:
        """Create a group with its first jobs, unless all of them are refused."""
        for request in requests:
            request.group = new.id
        results = await self._submission.submit_batch(
            who, new.room, requests, key, brief=brief, group=new, route=f"groups:{new.room}"
        )
        return await self._added(who, new.id, results, stays_open=stays_open)

    def id_of(self, who: Principal, room: str, key: str | None) -> str:
        """A new id; for a request that is sent again, the same one."""
        name = uuid7().hex if key is None else self._submission.digest(who.user, f"groups:{room}", key)
        return f"{PREFIX}{name[:32]}"

    async def add(
        self,
        who: Principal,
        group_id: str,
        requests: Sequence[SubmitRequest],
        key: str | None,
        *,
        stays_open: bool,
        brief: bool,
    ) -> Added:
        group = await self._access.group(who, group_id, Permission.SUBMIT_JOB)
        if who.user != group.user:
            raise Forbidden("only its submitter can add jobs to a group")
        for request in requests:
            request.room, request.group = group.room, group.id
        results: Sequence[BrieflySubmitted] = []
        if requests:
            results = await self._submission.submit_batch(
                who, group.room, requests, key, brief=brief, route=f"group:{group.id}"
            )
        return await self._added(who, group.id, results, stays_open=stays_open)

    async def _added(
        self, who: Principal, group_id: str, results: Sequence[BrieflySubmitted], *, stays_open: bool
    ) -> Added:
        if results and all(isinstance(each, Exception) for each in results):
            return Added(None, results)
        if not stays_open:
            await self._steps.change_group(group_id, GroupChange.CLOSE, who.user, "")
        return Added(await self.read(who, group_id), results)

    async def read(self, who: Principal, group_id: str) -> Group:
        return await self._access.group(who, group_id, Permission.SEE_ROOM)

    async def list(self, who: Principal, room: str, before: int | None, limit: int) -> Page[Group]:
        await self._access.room(who, room, Permission.SEE_ROOM)
        return await self._store.read(FindGroups(room, before, limit))

    async def jobs(self, who: Principal, query: FindJobs) -> Page[Job]:
        await self.read(who, query.group or "")
        return await self._reader.search(query)

    async def ended(self, who: Principal, group_id: str, after: int, limit: int, seconds: float) -> EndedJobs:
        """Wait for the end of a job, unless there is one behind number `after`."""
        with self._waiters.expecting(group_id) as changed:
            group = await self.read(who, group_id)
            ids = await self._store.read(FindGroupEnds(group_id, after, limit))
            if not ids and seconds and group.ended_at_us is None:
                await until_end(changed, seconds)
                group = await self.read(who, group_id)
                ids = await self._store.read(FindGroupEnds(group_id, after, limit))
        jobs, count = await read_first(self._store, ids)
        is_over = group.ended_at_us is not None and count == len(ids) < limit
        return EndedJobs(jobs, after + count, is_over)

    async def change(self, who: Principal, group_id: str, change: GroupChange) -> Group:
        """Acknowledged at once; carried out for its jobs in the background."""
        await self._access.group(who, group_id, Permission.CANCEL_JOB)
        await self._steps.change_group(group_id, change, who.user, _REASONS.get(change, ""))
        return await self.read(who, group_id)

    async def retry(self, who: Principal, group_id: str) -> tuple[Group, int, bool]:
        """Replay failed jobs. Returns how many, and whether there are more."""
        group = await self._access.group(who, group_id, Permission.REPLAY_JOB)
        self._throttle(who.user, 1)
        query = FindJobs(room=group.room, group=group_id, status=JobState.FAILED, limit=MAX_RETRIED)
        may_raise = await self._access.manages(who, group.room)
        replayed, has_more = await self._operations.replay_group(who, query, may_raise=may_raise)
        count = sum(is_new(each) for each in replayed)
        return await self.read(who, group_id), count, has_more and count > 0
