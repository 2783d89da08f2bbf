"""The store on Redis: each verb is one script."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import structlog
from redis.asyncio import Redis

from workroom.domain.extension import ExtensionKey, ExtensionSpec
from workroom.domain.jobs.annotation import Annotating, Saved
from workroom.domain.jobs.logs import LogLimits
from workroom.domain.queries import Query
from workroom.domain.room import ChatMessage
from workroom.domain.steps import (
    Accepted,
    Claimed,
    Dismissed,
    Filled,
    LogBatch,
    Logged,
    NewJob,
    Opened,
    Postponement,
    Progress,
    Reconciled,
    Registered,
    Report,
    Seat,
    Start,
    Step,
    Unbegun,
)
from workroom.domain.storage.activity import StoreActivity
from workroom.domain.storage.durability import Guarantees
from workroom.domain.worker import Hold, Liveness, Session, WorkerSpec
from workroom.errors import StoreReplaced, StoreUnsafe
from workroom.ports import Clock, Receipt
from workroom.stores.annotations import encode_annotation
from workroom.stores.redis import keys
from workroom.stores.redis.archiving.departures import Departures
from workroom.stores.redis.archiving.retention import Retention
from workroom.stores.redis.connection import Command, PipelineConnection, open_client
from workroom.stores.redis.directory import DirectoryVerbs
from workroom.stores.redis.durability import DurabilityGuard
from workroom.stores.redis.exchanges import ExchangeVerbs
from workroom.stores.redis.fast.connection import FastConnection
from workroom.stores.redis.file_index import FileIndexVerbs
from workroom.stores.redis.groups import GroupVerbs
from workroom.stores.redis.log_lines import LogLines
from workroom.stores.redis.messages import registrations, replies
from workroom.stores.redis.messages.layouts import NewJobRow, PostponementRow, SeatRow
from workroom.stores.redis.messages.reports import fence_row, report_row, result_deletes, result_writes
from workroom.stores.redis.payloads import Payload, Payloads
from workroom.stores.redis.presets import PresetVerbs
from workroom.stores.redis.queries.dispatch import run_query
from workroom.stores.redis.reader import Reader
from workroom.stores.redis.room_data.frames import FrameVerbs
from workroom.stores.redis.room_data.records import RecordVerbs
from workroom.stores.redis.room_data.verbs import RoomDataVerbs
from workroom.stores.redis.script_queue import OPEN, ScriptQueue

T = TypeVar("T")
log = structlog.get_logger()
_VERSION = 9


class RedisStore(
    DirectoryVerbs,
    FileIndexVerbs,
    PresetVerbs,
    GroupVerbs,
    RoomDataVerbs,
    FrameVerbs,
    RecordVerbs,
    ExchangeVerbs,
):
    archive_name: str | None = None

    def __init__(
        self,
        url: str,
        liveness: Liveness,
        *,
        retention_days: float | None = None,
        logs: LogLimits | None = None,
        clock: Clock | None = None,
        fast: bool = True,
        guarantees: Guarantees | None = None,
        epoch: str | None = None,
    ) -> None:
        """Open the store of this epoch, or any store if it is None."""
        guarantees = guarantees or Guarantees()
        self._liveness = liveness
        self.client: Redis = open_client(url)
        connect = FastConnection if fast else PipelineConnection
        self._connections = connect(self.client), connect(self.client)
        self._queue = ScriptQueue(
            self._connections[0], clock, self._open, epoch=epoch or "", replicas=guarantees.replicas
        )
        self._guard = DurabilityGuard(self.client, self._queue, guarantees.durability)
        self._payloads = Payloads(self.client)
        self._reader = Reader(self.client, self._connections[1], self._payloads.room_of)
        self._log_lines = LogLines(self._reader, logs or LogLimits())
        self._departures = Departures(self._reader, clock)
        self._retention = Retention(self._departures, self._queue, retention_days)
        self._opening: asyncio.Future[str] = self._open()
        self._last_event = 0  # of the last submit

    @property
    def activity(self) -> StoreActivity:
        return self._queue.activity

    async def probe(self) -> None:
        await self._guard.check()
        await self._step("probe", _nothing)

    def submit(self, jobs: Sequence[NewJob]) -> Awaitable[Step]:
        self._reopen()
        step = self._queue.run(
            "submit",
            {"jobs": [_new_job(job) for job in jobs]},
            self._submitted,
            before=self._payloads.writes(jobs),
            undo=lambda: self._reader.retry(lambda: self._payloads.drop(jobs)),
        )
        return self._queue.track(self._after_submit(jobs, step))

    def _submitted(self, row: Any) -> Step:
        """Events are numbered upwards: a lower number than before means that later events are gone."""
        step = replies.step(row)
        if step.transitions:
            if step.transitions[0].sequence <= self._last_event:
                log.error("store_went_back", **_lost(self._last_event, step.transitions[0].sequence))
            self._last_event = step.transitions[-1].sequence
        return step

    async def _after_submit(self, jobs: Sequence[NewJob], submitted: Awaitable[Step]) -> Step:
        step = await submitted
        refused = [
            job
            for job, refusal in zip(jobs, step.answers, strict=True)
            if refusal is not None or step.known.get(job.id, job.id) != job.id
        ]
        if refused:
            await self._reader.retry(lambda: self._payloads.drop(refused))
        refused_ids = {job.id for job in refused}
        self._payloads.cache([job for job in jobs if job.id not in refused_ids])
        return step

    def claim(self, seats: Sequence[Seat]) -> Receipt[Claimed]:
        """Both futures of the receipt are the same: a reply means that the claim is durable."""
        rows = [
            SeatRow(
                worker=seat.session.worker,
                session=seat.session.number,
                jobs=seat.jobs,
                only=sorted(seat.only) if seat.only is not None else False,
                parents=seat.parents,
            )
            for seat in seats
        ]
        step = self._step("claim", _unchanged, seats=rows, seed=secrets.token_bytes(16))
        claimed = asyncio.ensure_future(self._queue.track(self._after_claim(step)))
        claimed.add_done_callback(_retrieve_exception)
        return Receipt(claimed, claimed)

    async def _after_claim(self, claimed: Awaitable[Any]) -> Claimed:
        assignments, step = await claimed
        payloads = await self._fetch(assignments)
        return Claimed([replies.assignment(row, payloads) for row in assignments], replies.step(step))

    def start(self, worker: str, starts: Sequence[Start]) -> Awaitable[Step]:
        rows = [[fence_row(start.fence), start.nonce] for start in starts]
        return self._step("start", replies.step, worker=worker, starts=rows, jitter=_jitter())

    def release(self, worker: str, unbegun: Sequence[Unbegun], actor: str, reason: str) -> Awaitable[Step]:
        rows = [[fence_row(each.fence), each.nonce or False] for each in unbegun]
        return self._step("release", replies.step, worker=worker, attempts=rows, actor=actor, reason=reason)

    def finish(self, worker: str, reports: Sequence[Report]) -> Awaitable[Step]:
        with_result = [report.fence.job_id for report in reports if report.result is not None]
        rooms = self._payloads.known_rooms(with_result)
        if rooms is not None:
            return self._finish(worker, reports, rooms)
        return self._queue.track(self._look_up_and_finish(worker, reports, with_result))

    async def _look_up_and_finish(self, worker: str, reports: Sequence[Report], jobs: Sequence[str]) -> Step:
        rooms = await self._reader.retry(lambda: self._payloads.rooms(jobs))
        return await self._finish(worker, reports, rooms)

    def _finish(self, worker: str, reports: Sequence[Report], rooms: Mapping[str, str]) -> Awaitable[Step]:
        rows = [report_row(report) for report in reports]
        finished = self._step(
            "finish",
            replies.step,
            before=result_writes(reports, rows, rooms),
            worker=worker,
            reports=rows,
            jitter=_jitter(),
        )
        return self._queue.track(self._after_finish(reports, rooms, finished))

    async def _after_finish(
        self, reports: Sequence[Report], rooms: Mapping[str, str], finished: Awaitable[Step]
    ) -> Step:
        step = await finished
        refused = [
            report for report, refusal in zip(reports, step.answers, strict=True) if refusal is not None
        ]
        deletes = result_deletes(refused, rooms)
        if deletes:
            await self._reader.send(deletes)
        return step

    def cancel(self, job_ids: Sequence[str], actor: str, reason: str) -> Awaitable[Step]:
        return self._step("cancel", replies.step, jobs=list(job_ids), actor=actor, reason=reason)

    def arrange(self, job_ids: Sequence[str]) -> Awaitable[Step]:
        return self._step("arrange", replies.step, jobs=list(job_ids))

    def fill(self, values: Sequence[Filled]) -> Awaitable[Step]:
        """The values are written first: a job whose values are filled in twice gets the same ones."""
        writes: list[Command] = [
            ("HSET", keys.folder(each.room, each.job_id), "data", each.data)
            for each in values
            if each.refusal is None
        ]
        rows = [[each.job_id, len(each.data), each.lane or False, each.refusal or False] for each in values]
        return self._step("fill", replies.step, before=writes, values=rows)

    def append(self, worker: str, records: Sequence[Progress]) -> Awaitable[Step]:
        rows = [[fence_row(record.fence), record.document] for record in records]
        return self._step("save_progress", replies.step, worker=worker, records=rows)

    def log(self, worker: str, batches: Sequence[LogBatch]) -> Awaitable[Logged]:
        fences = [fence_row(batch.fence) for batch in batches]
        rooms = self._step("check", _unchanged, worker=worker, fences=fences)
        return self._queue.track(self._log_lines.append(batches, rooms))

    def save_form(
        self, user: str, room: str, category: str, name: str, data: bytes, secrets: bytes | None = None
    ) -> Awaitable[None]:
        form: Command = ("HSET", keys.forms(room), keys.form(user, category, name), data)
        secrets_field = keys.form_secrets(user, category, name)
        form_secrets: Command = ("HDEL", keys.forms(room), secrets_field)
        if secrets is not None:
            form_secrets = ("HSET", keys.forms(room), secrets_field, secrets)
        return self._step(
            "save_form",
            _nothing,
            before=[form, form_secrets],
            user=user,
            room=room,
            category=category,
            name=name,
        )

    def post_chat(self, room: str, user: str, text: str, by_job: str | None = None) -> Awaitable[ChatMessage]:
        return self._step(
            "post_chat", replies.chat_message, room=room, user=user, text=text, by_job=by_job or False
        )

    def annotate(self, annotations: Sequence[Annotating]) -> Awaitable[list[Saved]]:
        rows = [
            [each.job_id, each.annotation.version, encode_annotation(each.annotation)] for each in annotations
        ]
        return self._step("annotate", lambda saved: [Saved(each) for each in saved], annotations=rows)

    def pause(self, extension_id: int, *, paused: bool) -> Awaitable[Step]:
        return self._step("pause", replies.step, extension=extension_id, paused=paused)

    def drain(self, worker: str, *, draining: bool) -> Awaitable[None]:
        return self._step("drain", _nothing, worker=worker, draining=draining)

    def put_extensions(self, specs: Sequence[ExtensionSpec]) -> Awaitable[list[int]]:
        rows = [registrations.spec_row(spec) for spec in specs]
        return self._step("put_extensions", _unchanged, specs=rows)

    def register(
        self, worker: WorkerSpec, specs: Sequence[ExtensionSpec], trusted: Collection[str | None] = ()
    ) -> Awaitable[Registered]:
        return self._step(
            "register",
            lambda row: registrations.registered(worker.id, row),
            id=worker.id,
            user=worker.user,
            name=worker.name,
            runner=worker.runner,
            slots=worker.slots,
            machine=worker.machine,
            specs=[registrations.spec_row(spec) for spec in specs],
            trusted=[room or "" for room in trusted],
            lease=_us(self._liveness.lease),
        )

    def accept(self, worker: str, keys: Sequence[ExtensionKey]) -> Awaitable[Accepted]:
        return self._step(
            "accept",
            lambda row: registrations.accepted(worker, row),
            worker=worker,
            keys=[registrations.key_row(key) for key in keys],
            lease=_us(self._liveness.lease),
        )

    def refuse(self, worker: str, keys: Sequence[ExtensionKey], by: str, reason: str) -> Awaitable[Dismissed]:
        return self._step(
            "refuse",
            lambda row: registrations.dismissed(worker, row),
            worker=worker,
            keys=[registrations.key_row(key) for key in keys],
            by=by,
            reason=reason,
            jitter=_jitter(),
        )

    def dismiss(
        self, worker: str, rooms: Collection[str | None] | None, by: str, reason: str, *, bans: bool
    ) -> Awaitable[Dismissed]:
        return self._step(
            "dismiss",
            lambda row: registrations.dismissed(worker, row),
            worker=worker,
            rooms=False if rooms is None else [room or "" for room in rooms],
            by=by,
            reason=reason,
            bans=bans,
            jitter=_jitter(),
        )

    def open_session(self, worker: str, boot: str, holds: Sequence[Hold], seen: int) -> Awaitable[Opened]:
        step = self._step(
            "open_session", _unchanged, worker=worker, boot=boot, **self._reconcile_arguments(holds, seen)
        )
        return self._queue.track(self._after_open(worker, step))

    async def _after_open(self, worker: str, opened: Awaitable[Any]) -> Opened:
        row = await opened
        return replies.opened(worker, row, await self._fetch(row[-1][3]))

    def renew(self, session: Session, holds: Sequence[Hold], seen: int) -> Awaitable[Reconciled]:
        step = self._step(
            "renew",
            _unchanged,
            worker=session.worker,
            session=session.number,
            **self._reconcile_arguments(holds, seen),
        )
        return self._queue.track(self._after_renew(step))

    async def _after_renew(self, renewed: Awaitable[Any]) -> Reconciled:
        row = await renewed
        return replies.reconciled(row, await self._fetch(row[3]))

    def disconnect(self, session: Session) -> Awaitable[None]:
        return self._step(
            "disconnect",
            _nothing,
            worker=session.worker,
            session=session.number,
            grace=_us(self._liveness.grace),
            lease=_us(self._liveness.lease),
        )

    def close_session(self, worker: str, reason: str) -> Awaitable[Step]:
        return self._step(
            "close_session",
            replies.step,
            worker=worker,
            reason=reason,
            linger=_us(self._liveness.linger),
            jitter=_jitter(),
        )

    def sweep(self) -> Awaitable[Step]:
        step = self._step(
            "sweep",
            replies.step,
            lease=_us(self._liveness.lease),
            heartbeat=_us(self._liveness.heartbeat),
            start=_us(self._liveness.start),
            offline=_us(self._liveness.offline),
            linger=_us(self._liveness.linger),
            jitter=_jitter(),
        )
        return self._queue.track(self._retention.run_after(self._guarded(step)))

    async def _guarded(self, sweep: Awaitable[Step]) -> Step:
        try:
            step = await sweep
        except StoreUnsafe:
            await self._guard.check()
            raise
        await self._guard.check_if_due()
        return step

    def read(self, query: Query[T]) -> Awaitable[T]:
        return self._read(query)

    async def aclose(self) -> None:
        await self._queue.aclose()
        for connection in self._connections:
            await connection.aclose()
        await self.client.aclose()

    async def _read(self, query: Query[T]) -> T:
        await self._ensure_open()
        result: T = await run_query(self._reader, query)
        return result

    async def _ensure_open(self) -> str:
        """Open the store again if it could not be reached before. Returns its epoch."""
        if self._queue.is_replaced:
            raise StoreReplaced()
        if self._queue.is_open:
            return self._queue.epoch
        self._reopen()
        return await self._opening

    def _reopen(self) -> None:
        if not self._queue.is_open and self._opening.done():
            self._opening = self._open()

    async def _fetch(self, assignments: Sequence[Sequence[Any]]) -> Mapping[str, Payload]:
        return await self._reader.retry(lambda: self._payloads.fetch(assignments))

    def _reconcile_arguments(self, holds: Sequence[Hold], seen: int) -> dict[str, Any]:
        rows = [[fence_row(hold.fence), str(hold.phase)] for hold in holds]
        return {"holds": rows, "seen": seen, "lease": _us(self._liveness.lease), "jitter": _jitter()}

    def _open(self) -> asyncio.Future[str]:
        arguments: dict[str, object] = {
            "version": _VERSION,
            "epoch": secrets.token_hex(8),
            "lease": _us(self._liveness.lease),
            "archive": self.archive_name or False,
        }
        opening = self._queue.run(OPEN, arguments, str)
        opening.add_done_callback(_retrieve_exception)
        return opening

    def _step(
        self, script: str, decode: Callable[[Any], T], *, before: Sequence[Command] = (), **arguments: object
    ) -> asyncio.Future[T]:
        self._reopen()
        return self._queue.run(script, arguments, decode, before=before)


def _lost(last: int, found: int) -> dict[str, object]:
    return {
        "lost_events": last - found + 1,
        "reason": "a replica was promoted or a backup restored that lacks acknowledged changes",
    }


def _new_job(job: NewJob) -> NewJobRow:
    key = job.idempotency
    return NewJobRow(
        id=job.id,
        room=job.room,
        extension=job.extension_id,
        schema_hash=job.schema_hash,
        user=job.user,
        size=len(job.data),
        priority=job.priority,
        lane=False if job.lane is None else job.lane,
        retry_of=job.retry_of or False,
        once=job.once,
        route=key.route if key else False,
        key=key.key if key else False,
        body_hash=key.body_hash if key else False,
        parent=job.parent or False,
        has_secrets=job.secrets is not None,
        postponed=False if job.postponed is None else _postponement(job.postponed),
        group=job.group or False,
        unique=job.unique or False,
    )


def _postponement(postponed: Postponement) -> PostponementRow:
    run_us = False if postponed.run_us is None else postponed.run_us
    values = (run_us, list(postponed.after), postponed.on_end)
    return PostponementRow(*values, postponed.skip or False, postponed.has_refs)


def _jitter() -> float:
    """By how much of a fifth the backoff of jobs moves that are retried in this step, from -1 to 1."""
    return random.uniform(-1, 1)  # noqa: S311 - it spreads load and guards nothing


def _us(seconds: float) -> int:
    return round(seconds * 1_000_000)


def _unchanged(row: Any) -> Any:
    return row


def _nothing(_: Any) -> None:
    return None


def _retrieve_exception(done: asyncio.Future[Any]) -> None:
    """Mark the exception as retrieved: callers may ignore this future."""
    if not done.cancelled():
        done.exception()
