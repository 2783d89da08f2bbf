"""The verbs of the store, each one script."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from redis.asyncio import Redis

from workroom.domain.chat import ChatMessage
from workroom.domain.extension import ExtensionSpec
from workroom.domain.logs import LogLimits
from workroom.domain.queries import Query
from workroom.domain.retrying import backoff_s
from workroom.domain.steps import (
    Claimed,
    LogBatch,
    Logged,
    NewJob,
    Opened,
    Progress,
    Reconciled,
    Registered,
    Report,
    Seat,
    Start,
    Step,
)
from workroom.domain.worker import Hold, Liveness, Session, WorkerSpec
from workroom.ports import Clock, Receipt
from workroom.stores.redis import keys, registering, replies, results
from workroom.stores.redis.asking import Asker
from workroom.stores.redis.connection import open_client
from workroom.stores.redis.directory import DirectoryVerbs
from workroom.stores.redis.durability import say_promise
from workroom.stores.redis.leaving import Leaving
from workroom.stores.redis.line import Line
from workroom.stores.redis.logbook import Logbook
from workroom.stores.redis.payloads import Payloads
from workroom.stores.redis.queries import answer
from workroom.stores.redis.results import fence_row
from workroom.stores.redis.retention import Retention
from workroom.stores.redis.shelf import ShelfVerbs
from workroom.stores.redis.wire import Command, Wire

T = TypeVar("T")
_VERSION = 2
_BACKOFFS = range(1, 8)  # from then on all are alike


class RedisStore(DirectoryVerbs, ShelfVerbs):
    archive_name: str | None = None

    def __init__(
        self,
        url: str,
        liveness: Liveness,
        *,
        retention_days: float | None = None,
        logs: LogLimits | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._liveness = liveness
        self.client: Redis = open_client(url)
        self._wires = Wire(self.client), Wire(self.client)
        self._line = Line(self._wires[0], clock, self._open)
        self._payloads = Payloads(self.client)
        self._asker = Asker(self.client, self._wires[1], self._payloads.room_of)
        self._logbook = Logbook(self._asker, logs or LogLimits())
        self._leaving = Leaving(self._asker, clock)
        self._retention = Retention(self._leaving, self._line, retention_days)
        self._opening: asyncio.Future[str] = self._open()
        self._promise = self._line.follow(say_promise(self.client))

    def submit(self, jobs: Sequence[NewJob]) -> Awaitable[Step]:
        step = self._step(
            "submit", replies.step, before=self._payloads.writes(jobs), jobs=[_new_job(job) for job in jobs]
        )
        return self._line.follow(self._submitted(jobs, step))

    async def _submitted(self, jobs: Sequence[NewJob], submitted: Awaitable[Step]) -> Step:
        step = await submitted
        refused = [
            job
            for job, refusal in zip(jobs, step.answers, strict=True)
            if refusal is not None or step.known.get(job.id, job.id) != job.id
        ]
        if refused:
            await self._asker.ask(lambda: self._payloads.drop(refused))
        gone = {job.id for job in refused}
        self._payloads.remember([job for job in jobs if job.id not in gone])
        return step

    def claim(self, seats: Sequence[Seat]) -> Receipt[Claimed]:
        """What is answered is durable as well."""
        rows = [
            [
                seat.session.worker,
                seat.session.number,
                seat.jobs,
                sorted(seat.only) if seat.only is not None else False,
            ]
            for seat in seats
        ]
        step = self._step("claim", _as_it_is, seats=rows, seed=secrets.token_bytes(16))
        claimed = asyncio.ensure_future(self._line.follow(self._claimed(step)))
        claimed.add_done_callback(_look_at)
        return Receipt(claimed, claimed)

    async def _claimed(self, claimed: Awaitable[Any]) -> Claimed:
        assignments, told = await claimed
        data = await self._data(assignments)
        return Claimed([replies.assignment(each, data) for each in assignments], replies.step(told))

    def start(self, worker: str, starts: Sequence[Start]) -> Awaitable[Step]:
        rows = [[fence_row(each.fence), each.nonce] for each in starts]
        return self._step("start", replies.step, worker=worker, starts=rows, delays=_delays())

    def settle(self, worker: str, reports: Sequence[Report]) -> Awaitable[Step]:
        with_result = [report.fence.job_id for report in reports if report.result is not None]
        rooms = self._payloads.known_rooms(with_result)
        if rooms is not None:
            return self._settle(worker, reports, rooms)
        return self._line.follow(self._settle_somewhere(worker, reports, with_result))

    async def _settle_somewhere(self, worker: str, reports: Sequence[Report], jobs: Sequence[str]) -> Step:
        rooms = await self._asker.ask(lambda: self._payloads.rooms(jobs))
        return await self._settle(worker, reports, rooms)

    def _settle(self, worker: str, reports: Sequence[Report], rooms: Mapping[str, str]) -> Awaitable[Step]:
        rows = [results.report_row(report) for report in reports]
        settled = self._step(
            "settle",
            replies.step,
            before=results.writes(reports, rows, rooms),
            worker=worker,
            reports=rows,
            delays=_delays(),
        )
        return self._line.follow(self._settled(reports, rooms, settled))

    async def _settled(
        self, reports: Sequence[Report], rooms: Mapping[str, str], settled: Awaitable[Step]
    ) -> Step:
        step = await settled
        refused = [
            report for report, refusal in zip(reports, step.answers, strict=True) if refusal is not None
        ]
        drops = results.drops(refused, rooms)
        if drops:
            await self._asker.send(drops)
        return step

    def cancel(self, job_ids: Sequence[str], actor: str, reason: str) -> Awaitable[Step]:
        return self._step("cancel", replies.step, jobs=list(job_ids), actor=actor, reason=reason)

    def append(self, worker: str, records: Sequence[Progress]) -> Awaitable[Step]:
        rows = [[fence_row(record.fence), record.document] for record in records]
        return self._step("append", replies.step, worker=worker, records=rows)

    def log(self, worker: str, batches: Sequence[LogBatch]) -> Awaitable[Logged]:
        fences = [fence_row(batch.fence) for batch in batches]
        rooms = self._step("check", _as_it_is, worker=worker, fences=fences)
        return self._line.follow(self._logbook.keep(batches, rooms))

    def remember(self, user: str, room: str, category: str, name: str, data: bytes) -> Awaitable[None]:
        form: Command = ("HSET", keys.forms(room), keys.form(user, category, name), data)
        return self._step(
            "remember", _nothing, before=[form], user=user, room=room, category=category, name=name
        )

    def say(self, room: str, user: str, text: str) -> Awaitable[ChatMessage]:
        return self._step("say", replies.chat_message, room=room, user=user, text=text)

    def pause(self, extension_id: int, *, paused: bool) -> Awaitable[Step]:
        return self._step("pause", replies.step, extension=extension_id, paused=paused)

    def drain(self, worker: str, *, draining: bool) -> Awaitable[None]:
        return self._step("drain", _nothing, worker=worker, draining=draining)

    def put_extensions(self, specs: Sequence[ExtensionSpec]) -> Awaitable[list[int]]:
        rows = [registering.spec_row(spec) for spec in specs]
        step = self._step("put_extensions", _as_it_is, specs=rows)
        return self._line.follow(registering.unless_taken(specs, step))

    def register(self, worker: WorkerSpec, specs: Sequence[ExtensionSpec]) -> Awaitable[Registered]:
        step = self._step(
            "register",
            lambda row: registering.registered(worker.id, row),
            id=worker.id,
            user=worker.user,
            name=worker.name,
            runner=worker.runner,
            slots=worker.slots,
            machine=worker.machine,
            specs=[registering.spec_row(spec) for spec in specs],
            lease=_us(self._liveness.lease),
        )
        return self._line.follow(registering.unless_taken(specs, step))

    def open_session(self, worker: str, boot: str, holds: Sequence[Hold], seen: int) -> Awaitable[Opened]:
        step = self._step(
            "open_session", _as_it_is, worker=worker, boot=boot, **self._comparison(holds, seen)
        )
        return self._line.follow(self._opened(worker, step))

    async def _opened(self, worker: str, opened: Awaitable[Any]) -> Opened:
        row = await opened
        return replies.opened(worker, row, await self._data(row[-1][3]))

    def renew(self, session: Session, holds: Sequence[Hold], seen: int) -> Awaitable[Reconciled]:
        step = self._step(
            "renew",
            _as_it_is,
            worker=session.worker,
            session=session.number,
            **self._comparison(holds, seen),
        )
        return self._line.follow(self._reconciled(step))

    async def _reconciled(self, renewed: Awaitable[Any]) -> Reconciled:
        row = await renewed
        return replies.reconciled(row, await self._data(row[3]))

    def disconnect(self, session: Session) -> Awaitable[None]:
        return self._step(
            "disconnect",
            _nothing,
            worker=session.worker,
            session=session.number,
            grace=_us(self._liveness.grace),
        )

    def close_session(self, worker: str, reason: str) -> Awaitable[Step]:
        return self._step("close_session", replies.step, worker=worker, reason=reason, delays=_delays())

    def sweep(self) -> Awaitable[Step]:
        step = self._step(
            "sweep",
            replies.step,
            lease=_us(self._liveness.lease),
            start=_us(self._liveness.start),
            delays=_delays(),
        )
        return self._line.follow(self._retention.after(step))

    def read(self, query: Query[T]) -> Awaitable[T]:
        return self._read(query)

    async def aclose(self) -> None:
        await self._line.aclose()
        for wire in self._wires:
            await wire.aclose()
        await self.client.aclose()

    async def _read(self, query: Query[T]) -> T:
        await self._opened_store()
        found: T = await answer(self._asker, query)
        return found

    async def _opened_store(self) -> str:
        """A store that could not be reached at first is opened by who asks next."""
        if self._opening.done() and self._opening.exception() is not None:
            self._opening = self._open()
        return await self._opening

    async def _data(self, assignments: Sequence[Sequence[Any]]) -> Mapping[str, bytes | None]:
        return await self._asker.ask(lambda: self._payloads.fetch(assignments))

    def _comparison(self, holds: Sequence[Hold], seen: int) -> dict[str, Any]:
        rows = [[fence_row(hold.fence), str(hold.phase)] for hold in holds]
        return {"holds": rows, "seen": seen, "lease": _us(self._liveness.lease), "delays": _delays()}

    def _open(self) -> asyncio.Future[str]:
        opening = self._step(
            "open",
            str,
            version=_VERSION,
            epoch=secrets.token_hex(8),
            lease=_us(self._liveness.lease),
            archive=self.archive_name or False,
        )
        opening.add_done_callback(_look_at)
        return opening

    def _step(
        self, script: str, decode: Callable[[Any], T], *, before: Sequence[Command] = (), **arguments: object
    ) -> asyncio.Future[T]:
        return self._line.step(script, arguments, decode, before=before)


def _new_job(job: NewJob) -> list[object]:
    key = job.idempotency
    return [
        job.id,
        job.room,
        job.extension_id,
        job.schema_hash,
        job.user,
        len(job.data),
        job.priority,
        False if job.lane is None else job.lane,
        job.retry_of or False,
        job.once,
        *((key.route, key.key, key.body_hash) if key else (False, False, False)),
    ]


def _delays() -> list[float]:
    """How long a job waits after each try, should it go wrong in this step."""
    jitter = random.uniform(-1, 1)  # noqa: S311 - it spreads load and guards nothing
    return [backoff_s(tries, jitter) for tries in _BACKOFFS]


def _us(seconds: float) -> int:
    return round(seconds * 1_000_000)


def _as_it_is(row: Any) -> Any:
    return row


def _nothing(_: Any) -> None:
    return None


def _look_at(done: asyncio.Future[Any]) -> None:
    """Nobody may ask for it, and that is no fault."""
    if not done.cancelled():
        done.exception()
