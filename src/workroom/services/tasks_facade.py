"""Jobs as tasks: the documents and the events of a task queue, made of jobs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from workroom.domain.extension import BY_ACTOR, Policy
from workroom.domain.identity import Principal
from workroom.domain.job import Job, JobState
from workroom.domain.lanes import lane_key
from workroom.domain.policy import Act
from workroom.domain.queries import FindActor, FindJobs, FindPolicy
from workroom.domain.room import room_name
from workroom.errors import InvalidName, InvalidRequest, JobNotFound, UnknownActor
from workroom.ports import Clock, Store
from workroom.services.access import Access, sees_stack
from workroom.services.submission import ActorLanes, Order, Saved, Submission

PREFIX = "tq_"
STATUSES = {
    JobState.PENDING: "queued",
    JobState.ASSIGNED: "queued",
    JobState.RUNNING: "processing",
    JobState.COMPLETED: "completed",
    JobState.FAILED: "failed",
    JobState.CANCELLED: "failed",
}

Document = dict[str, Any]
_KEPT = 40


class TaskFacade:
    def __init__(
        self, store: Store, access: Access, submission: Submission, lanes: ActorLanes, clock: Clock
    ) -> None:
        self._store = store
        self._access = access
        self._submission = submission
        self._lanes = lanes
        self._clock = clock

    async def submit(self, who: Principal, actor: str, payload: Document, priority: int | None) -> Document:
        extension = await self._store.read(FindActor(actor))
        if extension is None:
            raise UnknownActor(f"there is no actor '{actor[:100]}'", actor=actor[:100])
        room = room_of(payload, who)
        await self._access.enter(who, room, Act.SUBMIT)
        may_raise = await self._access.manages(who, room)
        key = extension.key
        order = Order(room, key.category, key.name, payload, priority, may_raise=may_raise)
        job = await self._submission.submit(who, order)
        if isinstance(job, Saved):
            raise InvalidRequest(f"the actor '{actor[:100]}' keeps settings: there is no task in that")
        return self._document(who, job, extension.spec.policy)

    async def find(self, who: Principal, task_id: str) -> tuple[Job, Policy]:
        """The job of a task, for who may see it."""
        try:
            job = await self._access.job(who, task_id.removeprefix(PREFIX), Act.SEE_JOB)
        except JobNotFound:
            raise _no_task(task_id) from None
        policy = await self._store.read(FindPolicy(job.extension_id))
        if policy.actor is None or not task_id.startswith(PREFIX):
            raise _no_task(task_id)
        return job, policy

    async def read(self, who: Principal, task_id: str) -> Document:
        return self._document(who, *await self.find(who, task_id))

    async def of_workflow(self, who: Principal, workflow_run_id: str | None, limit: int) -> list[Document]:
        """Newest first. What is in the room beside the tasks is left out."""
        room = room_of({"workflow_run_id": workflow_run_id}, who)
        await self._access.enter(who, room, Act.SEE_ROOM)
        tasks: list[Document] = []
        policies: dict[int, Policy] = {}
        before: int | None = None
        while len(tasks) < limit:
            page = await self._store.read(FindJobs(room=room, before=before, limit=limit))
            for job in page.items:
                if job.extension_id not in policies:
                    policies[job.extension_id] = await self._store.read(FindPolicy(job.extension_id))
                if policies[job.extension_id].actor is not None:
                    tasks.append(self._document(who, job, policies[job.extension_id]))
            before = page.next_cursor
            if before is None:
                break
        return tasks[:limit]

    def _document(self, who: Principal, job: Job, policy: Policy) -> Document:
        ask = self._lanes.get((job.category, job.name))
        lane = _lane(policy, orjson.loads(job.data), ask) if policy.concurrency is not None else (None, None)
        return task_document(job, policy, lane, self._clock.now_us(), stack=sees_stack(who, job))


def _no_task(task_id: str) -> JobNotFound:
    return JobNotFound(f"there is no task '{task_id[:100]}'")


def room_of(payload: Mapping[str, Any], who: Principal) -> str:
    """The room of a workflow run, or the caller's own, which is called after them.

    An id that is a room's name as it stands is that room. Of any other what a name may hold is kept, up to 40
    characters, and a digest of the whole id follows: `Run 7/b` becomes `run-7-b-5f3a…`. So different ids
    never share a room, and the same id leads to the same room always.
    """
    run = payload.get("workflow_run_id")
    if run is not None and not isinstance(run, str):
        raise InvalidRequest("workflow_run_id is a text")
    given = run or who.user
    try:
        if room_name(given) == given:
            return given
    except InvalidName:
        pass
    kept = re.sub(r"[^a-z0-9_]+", "-", given.casefold()).strip("-_")[:_KEPT]
    digest = hashlib.sha256(given.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    return f"{kept}-{digest}" if kept else f"run-{digest}"


def _lane(policy: Policy, payload: Document, ask: Any) -> tuple[str | None, int | None]:
    """What the task counts among, and how many of those may run at once."""
    concurrency = policy.concurrency
    assert concurrency is not None
    if concurrency.key != BY_ACTOR:
        key = lane_key(concurrency, payload, {})
        return key, concurrency.limit(key)
    try:
        found: tuple[str | None, int | None] = (None, None) if ask is None else ask(payload)
    except Exception:
        return None, None
    return found


def task_document(
    job: Job, policy: Policy, lane: tuple[str | None, int | None], now_us: int, *, stack: bool
) -> Document:
    progress = task_progress(job, now_us)
    is_processing = job.status is JobState.RUNNING
    return {
        "task_id": f"{PREFIX}{job.id}",
        "actor": policy.actor,
        "concurrency_identifier": lane[0],
        "concurrency_limit": lane[1],
        "status": STATUSES[job.status],
        "priority": job.priority,
        "payload": orjson.Fragment(job.data),
        "result": None if job.result is None else orjson.Fragment(job.result),
        "error": task_error(job, stack=stack),
        "progress": progress,
        "created_at": time_of(job.created_at_us),
        "started_at": time_of(job.started_at_us),
        "completed_at": time_of(job.completed_at_us),
        "worker_id": job.worker,
        "heartbeat_at": progress["updated_at"] if is_processing else None,
        "retry_count": retries(job),
        "max_retries": policy.retries,
    }


def retries(job: Job) -> int:
    """How often it was begun again; a try that is waited for counts too."""
    is_waiting = job.status in (JobState.PENDING, JobState.ASSIGNED)
    return job.tries if is_waiting else max(0, job.tries - 1)


def queued_message(tried: int) -> str:
    return f"Retrying (attempt {tried})" if tried else "Queued"


def task_progress(job: Job, now_us: int) -> Document:
    """What was said last; while it is processed, time goes on by itself."""
    said: Document = {} if job.progress is None else orjson.loads(job.progress)
    shares: Document = {name: said[name] for name in ("fraction", "current", "total") if name in said}
    elapsed, message, at_us = _told(job, said, now_us)
    return {
        **shares,
        "elapsed_ms": elapsed,
        "message": message,
        "updated_at": said.get("updated_at") or time_of(at_us),
    }


def _told(job: Job, said: Document, now_us: int) -> tuple[int, str, int]:
    begun_us = job.started_at_us or job.created_at_us
    match STATUSES[job.status]:
        case "queued":
            return 0, queued_message(retries(job)), job.created_at_us
        case "processing":
            since_us = _parsed(said["updated_at"]) if said else begun_us
            elapsed = said.get("elapsed_ms", 0) + max(0, now_us - since_us) / 1000
            return round(elapsed), said.get("message") or "Processing", begun_us
        case "completed":
            return round(job.execution_time_ms or 0), "Completed", job.completed_at_us or now_us
        case _:
            error = task_error(job, stack=False) or {}
            return (
                round(job.execution_time_ms or 0),
                f"Failed: {error['message']}",
                job.completed_at_us or now_us,
            )


def task_error(job: Job, *, stack: bool) -> Document | None:
    if job.status is JobState.CANCELLED:
        return {"type": "Cancelled", "message": "the task was cancelled", "details": {}, "stack_trace": ""}
    if job.error is None:
        return None
    error: Document = orjson.loads(job.error)
    return error if stack else {**error, "stack_trace": None}


def task_event(document: Document) -> tuple[str, Document]:
    """What a stream says of a task as it stands; `complete` and `error` are the last."""
    match document["status"]:
        case "completed":
            return "complete", {"result": document["result"]}
        case "failed":
            return "error", {"error": document["error"]}
        case _:
            return "progress", {"status": document["status"], "progress": document["progress"]}


def time_of(at_us: int | None) -> str | None:
    if at_us is None:
        return None
    return datetime.fromtimestamp(at_us / 1_000_000, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def _parsed(at: str) -> int:
    return int(datetime.fromisoformat(at).timestamp() * 1_000_000)
