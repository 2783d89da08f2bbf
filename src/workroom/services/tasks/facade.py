"""The task facade: tasks of actors, submitted and read as in a task queue. Each task is a job."""

from __future__ import annotations

import asyncio

import orjson

from workroom.domain.extension import BY_ACTOR, Policy
from workroom.domain.identity import PEOPLE, Principal
from workroom.domain.job import Job
from workroom.domain.permissions import Permission
from workroom.domain.queries import FindActor, FindJobs, FindPolicy
from workroom.domain.room import derived_name, own_room
from workroom.domain.rules.queue.limits import limit_of
from workroom.domain.schema.concurrency_keys import lane_key
from workroom.errors import ExtensionNotFound, InvalidRequest, JobNotFound, RoomNotFound, UnknownActor
from workroom.ports import Clock, ReadableStore
from workroom.services.identity.access import Access, sees_stack
from workroom.services.jobs.admission import ActorLanes
from workroom.services.jobs.catalog import Catalog
from workroom.services.jobs.form_values import SavedSettings
from workroom.services.jobs.job_pages import CHUNK, MAX_PAGE_BYTES, size_of
from workroom.services.jobs.reports import Reports
from workroom.services.jobs.submission import Submission
from workroom.services.jobs.submit_requests import SubmitRequest
from workroom.services.tasks.documents import PREFIX, Document, Facts, task_document
from workroom.services.validation.schemas import schema_defaults
from workroom.services.workers.registry import WorkerRegistry

_MAX_EXAMINED = 10_000  # jobs, in the search for tasks
_MAX_OF_INTERACTION = 1000  # in that for those of an interaction, whose values are decoded


class TaskFacade:
    def __init__(
        self,
        store: ReadableStore,
        access: Access,
        catalog: Catalog,
        submission: Submission,
        reports: Reports,
        registry: WorkerRegistry,
        lanes: ActorLanes,
        clock: Clock,
    ) -> None:
        self._store = store
        self._access = access
        self._catalog = catalog
        self._submission = submission
        self._reports = reports
        self._registry = registry
        self._lanes = lanes
        self._clock = clock

    async def submit(
        self,
        who: Principal,
        actor: str,
        payload: Document,
        priority: int | None,
        key: str | None = None,
    ) -> Document:
        self._submission.throttle(who)
        extension = await self._store.read(FindActor(actor))
        if extension is None:
            raise UnknownActor(f"there is no actor '{actor[:100]}'", actor=actor[:100])
        room = room_of(payload.get("workflow_run_id"), who)
        await self._access.room_or_new(who, room, Permission.SUBMIT_JOB)
        request = SubmitRequest(room, extension.key.category, extension.key.name, payload, priority, key)
        job = await self._submission.submit_task(who, request, actor)
        if isinstance(job, SavedSettings):
            raise InvalidRequest(f"the actor '{actor[:100]}' keeps settings: there is no task in that")
        return await self._document(who, job, extension.spec.policy)

    async def find(
        self, who: Principal, task_id: str, permission: Permission = Permission.SEE_JOB
    ) -> tuple[Job, Policy]:
        """The job of a task, for a caller with this permission."""
        try:
            job = await self._access.job(who, task_id.removeprefix(PREFIX), permission)
        except JobNotFound:
            raise _no_task(task_id) from None
        policy = await self._store.read(FindPolicy(job.extension_id))
        if policy.actor is None or not task_id.startswith(PREFIX):
            raise _no_task(task_id)
        return job, policy

    async def read(self, who: Principal, task_id: str) -> Document:
        return await self._document(who, *await self.find(who, task_id))

    async def cancel(self, who: Principal, task_id: str) -> Document:
        job, _ = await self.find(who, task_id, Permission.CANCEL_JOB)
        await self._reports.cancel(who, job.id)
        return await self.read(who, task_id)

    async def of_workflow(
        self, who: Principal, workflow_run_id: str | None, limit: int, interaction_id: str | None = None
    ) -> list[Document]:
        """Newest first. Jobs of the room that are not tasks are left out.

        With an interaction, those whose payload names it, among fewer jobs of the room. The list
        ends early when the jobs that were read are many or large.
        """
        room = room_of(workflow_run_id, who)
        try:
            await self._access.room(who, room, Permission.SEE_ROOM)
        except RoomNotFound:
            if room != own_room(who.user) or who.role not in PEOPLE:
                raise  # their own is created with their first task
            return []
        tasks: list[Document] = []
        policies: dict[int, Policy] = {}
        before: int | None = None
        examined = size = 0
        most = _MAX_EXAMINED if interaction_id is None else _MAX_OF_INTERACTION
        while len(tasks) < limit and examined < most and size < MAX_PAGE_BYTES:
            page = await self._store.read(FindJobs(room=room, before=before, limit=min(limit, CHUNK)))
            examined += len(page.items)
            for job in page.items:
                size += size_of(job)
                await asyncio.sleep(0)  # to decode values takes a while
                if interaction_id is not None and not _is_of(job, interaction_id):
                    continue
                if job.extension_id not in policies:
                    policies[job.extension_id] = await self._store.read(FindPolicy(job.extension_id))
                if policies[job.extension_id].actor is not None:
                    tasks.append(await self._document(who, job, policies[job.extension_id]))
            before = page.next_cursor
            if before is None:
                break
        return tasks[:limit]

    async def _document(self, who: Principal, job: Job, policy: Policy) -> Document:
        key, limit = await self._concurrency(job, policy)
        facts = Facts(
            now_us=self._clock.now_us(),
            concurrency_key=key,
            concurrency_limit=limit,
            heartbeat_at_us=None if job.worker is None else self._registry.heartbeat_at_us(job.worker),
            shows_stack=sees_stack(who, job),
        )
        return task_document(job, policy, facts)

    async def _concurrency(self, job: Job, policy: Policy) -> tuple[str | None, int | None]:
        """The key that the task counts under, and how many tasks of that key may run at once."""
        if policy.concurrency is None:
            return None, None
        payload = orjson.loads(job.data)
        if policy.concurrency.key == BY_ACTOR:
            return self._ask_actor(job, payload)
        key = lane_key(policy.concurrency, payload, await self._defaults(job))
        return key, limit_of(policy.concurrency, key)

    def _ask_actor(self, job: Job, payload: Document) -> tuple[str | None, int | None]:
        lane_of = self._lanes.get((job.category, job.name))
        if lane_of is None:
            return None, None
        try:
            return lane_of(payload)
        except Exception:
            return None, None

    async def _defaults(self, job: Job) -> Document:
        try:
            extension = await self._catalog.find(job.room, job.category, job.name)
        except ExtensionNotFound:
            return {}
        return schema_defaults(extension.spec.schema)


def _is_of(job: Job, interaction_id: str) -> bool:
    payload = orjson.loads(job.data)
    return isinstance(payload, dict) and payload.get("interaction_id") == interaction_id


def _no_task(task_id: str) -> JobNotFound:
    return JobNotFound(f"there is no task '{task_id[:100]}'")


def room_of(run: object, who: Principal) -> str:
    """The room of a workflow run; without one, the room of the calling job, or the caller's own."""
    if run is not None and not isinstance(run, str):
        raise InvalidRequest("workflow_run_id is a text")
    if run:
        return derived_name(run)
    return who.room if who.job is not None and who.room is not None else own_room(who.user)
