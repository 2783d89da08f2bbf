"""Jobs are submitted: checked against the schema, made durable, handed out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from uuid_utils import uuid7

from workroom.domain.events import DataChanged
from workroom.domain.extension import BY_ACTOR, Extension
from workroom.domain.identity import Principal
from workroom.domain.job import Job, JobState
from workroom.domain.lanes import actor_lane, lane_key
from workroom.domain.queries import FindJob
from workroom.domain.scheduling import PRIORITIES
from workroom.domain.steps import Idempotency, NewJob
from workroom.errors import BodyTooLarge, Forbidden, InvalidRequest, JobNotFound, WorkroomError
from workroom.ports import EventBus, Store
from workroom.services.catalog import Catalog
from workroom.services.dispatch import Dispatcher
from workroom.services.encoding import encoded
from workroom.services.file_fields import check_files, may_have_files
from workroom.services.outflow import Outflow
from workroom.services.schemas import faults_of, refuse_faults, schema_defaults
from workroom.services.tasks import TaskKeeper
from workroom.services.validation import Validation
from workroom.services.waiting import Waiters, until_end

LaneOf = Callable[[dict[str, Any]], tuple[str, int]]
ActorLanes = Mapping[tuple[str, str], LaneOf]  # by category and name
_Gathered = tuple[NewJob, Extension, "asyncio.Future[Accepted | WorkroomError]"]


@dataclass(slots=True)
class Order:
    """What somebody wants done."""

    room: str
    category: str
    name: str
    data: dict[str, Any]
    priority: int | None = None
    idempotency: Idempotency | None = None
    retry_of: str | None = None
    may_raise: bool = False
    once: bool = False


@dataclass(slots=True)
class Accepted:
    """A job that is durable now: a new one, or, if the submit was sent before, the one it stands for."""

    new: NewJob
    extension: Extension
    at_us: int
    known: Job | None = None

    @property
    def id(self) -> str:
        return self.new.id if self.known is None else self.known.id

    @property
    def status(self) -> JobState:
        return JobState.PENDING if self.known is None else self.known.status

    def job(self) -> Job:
        return _pending(self.new, self.extension, self.at_us) if self.known is None else self.known


@dataclass(frozen=True, slots=True)
class Saved:
    """Settings are kept, not queued."""

    category: str
    name: str
    data: bytes


class Submission:
    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        dispatcher: Dispatcher,
        outflow: Outflow,
        bus: EventBus,
        waiters: Waiters,
        validation: Validation,
        max_data: int,
        tasks: TaskKeeper,
        lanes: ActorLanes | None = None,
    ) -> None:
        self._tasks = tasks
        self._gathered: list[_Gathered] = []
        self._lanes = lanes or {}
        self._max_data = max_data
        self._store = store
        self._catalog = catalog
        self._dispatcher = dispatcher
        self._outflow = outflow
        self._bus = bus
        self._waiters = waiters
        self._validation = validation

    async def submit(self, who: Principal, order: Order) -> Job | Saved:
        extension = await self._catalog.find(order.room, order.category, order.name)
        data = await self._checked(extension, order)
        if extension.is_settings:
            return await self._save(who, order, data)
        answer = await self._accept_soon(_new_job(who, order, extension, data, self._lanes), extension)
        if isinstance(answer, WorkroomError):
            raise answer
        return answer.job()

    async def wait(self, job_id: str, seconds: float) -> Job:
        with self._waiters.expecting(job_id) as ended:
            job = await self._store.read(FindJob(job_id))
            if job is not None and not job.status.is_terminal:
                await until_end(ended, seconds)
                job = await self._store.read(FindJob(job_id))
        if job is None:
            raise JobNotFound()
        return job

    async def submit_batch(self, who: Principal, orders: Sequence[Order]) -> list[Accepted | WorkroomError]:
        """Many jobs in one commit. One that is refused does not keep the others out."""
        checked = [await self._check(who, order) for order in orders]
        accepted = iter(await self._accept([each for each in checked if not isinstance(each, WorkroomError)]))
        return [each if isinstance(each, WorkroomError) else next(accepted) for each in checked]

    async def _check(self, who: Principal, order: Order) -> tuple[NewJob, Extension] | WorkroomError:
        try:
            extension = await self._catalog.find(order.room, order.category, order.name)
            if extension.is_settings:
                return InvalidRequest("settings are saved one by one, not in a batch")
            data = await self._checked(extension, order)
            return _new_job(who, order, extension, data, self._lanes), extension
        except WorkroomError as refusal:
            return refusal

    def _accept_soon(self, job: NewJob, extension: Extension) -> asyncio.Future[Accepted | WorkroomError]:
        """Whoever submits in the same turn of the loop goes into the same step."""
        answer: asyncio.Future[Accepted | WorkroomError] = asyncio.get_running_loop().create_future()
        if not self._gathered:
            asyncio.get_running_loop().call_soon(self._accept_gathered)
        self._gathered.append((job, extension, answer))
        return answer

    def _accept_gathered(self) -> None:
        gathered, self._gathered = self._gathered, []
        self._tasks.start(self._answer_all(gathered))

    async def _answer_all(self, gathered: Sequence[_Gathered]) -> None:
        try:
            answers = await self._accept([(job, extension) for job, extension, _ in gathered])
        except Exception as failure:
            for *_, future in gathered:
                if not future.done():
                    future.set_exception(failure)
            return
        for (*_, future), answer in zip(gathered, answers, strict=True):
            if not future.done():
                future.set_result(answer)

    async def _accept(self, jobs: Sequence[tuple[NewJob, Extension]]) -> list[Accepted | WorkroomError]:
        """The claim stands right behind the submit, so both go to disk in one commit."""
        committed = self._store.submit([job for job, _ in jobs])
        self._dispatcher.arrived(_arrivals(jobs))
        step = await committed
        step.requeued.clear()
        self._outflow.follow(step)
        at_us = step.transitions[0].at_us if step.transitions else 0
        known = {new: await self._store.read(FindJob(job_id)) for new, job_id in step.known.items()}
        return [
            refusal or Accepted(job, extension, at_us, known.get(job.id))
            for (job, extension), refusal in zip(jobs, step.answers, strict=True)
        ]

    async def _checked(self, extension: Extension, order: Order) -> bytes:
        """The values as they are kept: not too large, fitting the schema, and with files that are there."""
        data = encoded(order.data, "the data")
        if len(data) > self._max_data:
            raise BodyTooLarge(
                f"the values have {len(data):,} bytes; a job may have {self._max_data:,}",
                max_bytes=self._max_data,
            )
        schema = extension.spec.schema
        if self._validation.is_quick(schema, len(data)):
            refuse_faults(faults_of(schema, order.data))
        else:
            await self._validation.check(schema, order.data)
        if may_have_files(schema):
            await check_files(self._store, order.room, schema, order.data)
        return data

    async def _save(self, who: Principal, order: Order, data: bytes) -> Saved:
        await self._store.remember(who.user, order.room, order.category, order.name, data)
        self._bus.publish([DataChanged(who.user, order.room, order.category, order.name)])
        return Saved(order.category, order.name, data)


def _arrivals(jobs: Iterable[tuple[NewJob, Extension]]) -> dict[int, int]:
    """How many of each extension."""
    counts: dict[int, int] = {}
    for job, _ in jobs:
        counts[job.extension_id] = counts.get(job.extension_id, 0) + 1
    return counts


def _new_job(who: Principal, order: Order, extension: Extension, data: bytes, lanes: ActorLanes) -> NewJob:
    return NewJob(
        id=str(uuid7()),
        room=order.room,
        extension_id=extension.id,
        schema_hash=extension.spec.schema_hash,
        user=who.user,
        data=data,
        priority=_priority(order, extension),
        lane=_lane(extension, order.data, lanes),
        retry_of=order.retry_of,
        once=order.once,
        idempotency=order.idempotency,
    )


def _priority(order: Order, extension: Extension) -> int:
    """Above the extension's own priority only for the room's owner and admins; a replay keeps what it may."""
    usual = extension.spec.policy.priority
    if order.priority is None or order.priority == usual:
        return usual
    if order.priority not in PRIORITIES:
        raise InvalidRequest(f"a priority is a number from {PRIORITIES[0]} to {PRIORITIES[-1]}")
    if order.priority > usual and not order.may_raise:
        if order.retry_of is not None:
            return usual
        raise Forbidden(
            f"only the room's owner and admins may raise the priority above {usual}", priority=usual
        )
    return order.priority


def _lane(extension: Extension, data: dict[str, Any], lanes: ActorLanes) -> str | None:
    concurrency = extension.spec.policy.concurrency
    if concurrency is None:
        return None
    if concurrency.key == BY_ACTOR:
        return _actor_lane(lanes.get((extension.key.category, extension.key.name)), data)
    return lane_key(concurrency, data, schema_defaults(extension.spec.schema))


def _actor_lane(ask: LaneOf | None, data: dict[str, Any]) -> str | None:
    """What the actor itself says of a payload; one that the server cannot import is not asked."""
    if ask is None:
        return None
    try:
        return actor_lane(*ask(data))
    except Exception as error:
        raise InvalidRequest(
            f"the actor refuses this payload: {type(error).__name__}: {str(error)[:1000]}"
        ) from error


def _pending(job: NewJob, extension: Extension, at_us: int) -> Job:
    """The document of a 202, without asking the store for what is known."""
    return Job(
        sequence=0,
        id=job.id,
        room=job.room,
        scope=extension.key.scope,
        category=extension.key.category,
        name=extension.key.name,
        data=job.data,
        schema_hash=job.schema_hash,
        status=JobState.PENDING,
        version=1,
        priority=job.priority,
        user=job.user,
        runner=extension.spec.runner,
        worker=None,
        attempt=0,
        created_at_us=at_us,
        assigned_at_us=None,
        started_at_us=None,
        completed_at_us=None,
        progress=None,
        result=None,
        error=None,
        extension_owner=extension.spec.owner,
        retry_of=job.retry_of,
    )
