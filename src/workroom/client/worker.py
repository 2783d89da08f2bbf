"""The worker loop: jobs come by push, are started, run and reported in batches."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import orjson
from uuid_utils import uuid7

from workroom.client import requests
from workroom.client.acting import ActingConnection
from workroom.client.connection import Connection
from workroom.client.isolation import execute_isolated
from workroom.client.large_results import with_fitting_result
from workroom.client.outbox import Outbox
from workroom.client.outlet import JobOutlet
from workroom.client.patience import PASSING
from workroom.client.portal import Portal
from workroom.client.posting import Posting
from workroom.client.requests import Offered
from workroom.client.slots import Slots
from workroom.client.task import Task, fence_of, finish_report, named, report_size, this_machine
from workroom.client.telling import Progress, Telling
from workroom.domain.job import Fence, JobError, JobState
from workroom.domain.job_tokens import job_token
from workroom.domain.logs import LogLimits
from workroom.domain.worker import Phase
from workroom.errors import (
    Forbidden,
    ServerUnreachable,
    StaleSession,
    StoreUnavailable,
    TooManyRequests,
    Unauthenticated,
    WorkerNotFound,
    WorkroomError,
)
from workroom.runtime import capture
from workroom.runtime.context import JobContext
from workroom.runtime.executor import execute
from workroom.runtime.extension import Extension, runner_of
from workroom.runtime.outcome import Outcome, text_of
from workroom.runtime.printing import Printing

log = logging.getLogger(__name__)

_GREET_SECONDS = 30.0
_GREET_AGAIN_SECONDS = 0.5
_LEASE_SHARE = 0.8  # of the lease may pass in silence before the worker stops its own work

RoomMaker = Callable[[str, str, bool], Any]


class Worker:
    """Serves extensions over a connection. The server decides; this does what it is told."""

    on_call: ClassVar[bool] = False

    def __init__(self, connection: Connection, room_for: RoomMaker, *, slots: int, name: str | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._connection = connection
        self._room_for = room_for
        self.slot_count = slots
        self.name = name or f"{socket.gethostname()}-{os.getpid()}"
        self._boot = secrets.token_hex(8)
        self._nonce = secrets.token_hex(8)
        self._offered: dict[tuple[str | None, str, str], Offered] = {}
        self._tasks: dict[Fence, Task] = {}
        self._session = 0
        self._seen = 0
        self._heartbeat = 5.0
        self._lease = 30.0
        self._heard_at = self._loop.time()
        self._max_result = 1_000_000
        self._registered = asyncio.Lock()
        self._starts: Outbox[Task] = Outbox(self._send_starts, self._forget)
        self._finishes: Outbox[Task] = Outbox(self._send_finishes, self._report_refusal, report_size)
        self._telling = Telling(self._send_progress)
        self._posting = Posting(self._send_logs)
        self._log_limits = LogLimits()
        capture.install()
        self._slots: Slots[Task] = Slots(0 if self.on_call else slots, self._run, self._ended)
        self._beating: asyncio.Task[None] | None = None
        self._failure: WorkroomError | None = None
        self._closing = False
        self._task_moved = asyncio.Event()
        self._greetings = 0
        self._greeted = asyncio.Event()
        self._is_lost = False
        self.closed = asyncio.Event()
        self.id = str(uuid7())
        connection.on("job:assigned", self._pushed)
        connection.on("job:cancel", self._cancelled)
        connection.on_connect(self._greet)
        connection.on_refused(self._fail)
        connection.on_disconnect(self._lost)

    async def offer(self, extensions: Sequence[type[Extension]], room: str | None) -> None:
        """Serve these too, in one room or, without one, in public."""
        for extension in extensions:
            runner_of(extension)
        offered = {(room, each.category, each.extension_name): Offered(each, room) for each in extensions}
        async with self._registered:
            await self._register({**self._offered, **offered})
            self._offered.update(offered)
        if self._beating is None:
            self._beating = asyncio.get_running_loop().create_task(self._beat())
            if not await self._connection.open_socket():
                await self._greet()
            await asyncio.wait_for(self._greeted.wait(), _GREET_SECONDS)
        else:
            await self._hello()

    async def wait(self) -> None:
        """Serve until closed."""
        await self.closed.wait()
        if self._failure is not None:
            raise self._failure

    async def aclose(self, drain_seconds: float = 30.0) -> None:
        """Give back what has not begun, finish what has, say goodbye."""
        self._closing = True
        await self._starts.aclose()
        if self._beating is not None:
            await self._drain(drain_seconds)
            self._beating.cancel()
        for outbox in (self._posting, self._finishes, self._telling):
            await outbox.aclose()
        self._slots.close()
        capture.uninstall()
        self.closed.set()

    def _unfinished(self) -> int:
        return sum(task.phase is not Phase.QUEUED for task in self._tasks.values())

    async def _drain(self, seconds: float) -> None:
        if count := self._unfinished():
            jobs = "1 job" if count == 1 else f"{count} jobs"
            log.info("finishing %s, for %.0f s at most; Ctrl-C again to stop now", jobs, seconds)
        try:
            async with asyncio.timeout(seconds):
                while self._unfinished():
                    await self._task_move()
        except TimeoutError:
            pass
        if self._failure is not None:
            return
        try:
            async with asyncio.timeout(5):
                await self.leave()
        except (WorkroomError, TimeoutError):
            pass

    async def _register(self, offered: dict[tuple[str | None, str, str], Offered]) -> None:
        request = requests.register(
            self.id, self.name, self.slot_count, this_machine(), list(offered.values())
        )
        while True:
            try:
                await self._connection.send(request)
                return
            except TooManyRequests as error:
                log.warning("waiting to register: %s", error.detail)
                await asyncio.sleep(error.fields.get("retry_after_ms", 1000) / 1000)

    async def _greet(self) -> None:
        """On each connect: say who we are and what we hold, until it is heard or we are connected anew."""
        self._greetings += 1
        number = self._greetings
        while number == self._greetings:
            try:
                await self._introduce()
                return
            except StoreUnavailable:
                await asyncio.sleep(_GREET_AGAIN_SECONDS)

    async def _introduce(self) -> None:
        try:
            await self._hello()
        except WorkerNotFound:
            await self._return()
        except ServerUnreachable:
            return
        except (StaleSession, Forbidden, Unauthenticated) as error:
            self._fail(error)

    async def _return(self) -> None:
        """The server does not know us any more."""
        try:
            await self._register(self._offered)
            await self._hello()
        except StoreUnavailable:
            raise
        except ServerUnreachable:
            return
        except WorkroomError as error:
            self._fail(error)

    async def _hello(self) -> None:
        body = {"worker_id": self.id, "boot_id": self._boot, "on_call": self.on_call, **self._holds()}
        answer = await self._connection.call("worker:hello", body)
        self._session = answer["session"]
        self._lease = answer["lease_ms"] / 1000
        self._max_result = answer["max_result_bytes"]
        self._log_limits = LogLimits(answer["max_log_lines"], answer["max_log_bytes"])
        self._heartbeat = answer["heartbeat_ms"] / 1000
        self._obey(answer)
        self._greeted.set()
        if self._is_lost:
            self._is_lost = False
            log.warning("back at %s", self._connection.url)

    def _lost(self) -> None:
        self._greeted.clear()
        if not self._closing and not self._is_lost:
            self._is_lost = True
            log.warning("lost the server at %s; trying to come back", self._connection.url)

    async def _beat(self) -> None:
        await self._greeted.wait()
        while True:
            await asyncio.sleep(self._heartbeat)
            if self._greeted.is_set():
                await self._beat_once()
            if self._loop.time() > self._heard_at + self._lease * _LEASE_SHARE:
                self._give_up()

    def _give_up(self) -> None:
        """The lease is about to end and nobody may hear us: stop before somebody else begins.

        What has ended is kept: the server will say whether it still counts.
        """
        for task in [task for task in self._tasks.values() if task.phase is not Phase.FINISHED]:
            task.context.cancel()
            del self._tasks[task.fence]
        self._task_moved.set()

    async def _beat_once(self) -> None:
        body = {"session": self._session, **self._holds()}
        try:
            answer = await self._connection.call("worker:heartbeat", body, self._lease / 3)
            self._obey(answer)
        except WorkerNotFound:
            await self._greet()
        except StaleSession as error:
            self._fail(error)
        except PASSING:
            self._connection.move_on()
        except WorkroomError:
            return

    def _fail(self, error: WorkroomError) -> None:
        """A newer process speaks for this worker, or the server lets this one in no more."""
        self._failure = error
        self.closed.set()

    def _holds(self) -> dict[str, Any]:
        holds = [{**named(task.fence), "phase": task.phase} for task in self._tasks.values()]
        return {"holds": holds, "seen": self._seen}

    def _obey(self, answer: dict[str, Any]) -> None:
        self._heard_at = self._loop.time()
        for item in answer["drop"]:
            task = self._tasks.pop(fence_of(item), None)
            if task is not None:
                task.context.cancel()
                self._task_moved.set()
        for item in answer["cancel"]:
            self._cancelled(item)

    async def leave(self) -> None:
        """Have nothing more to do with whatever is held."""
        await self._connection.send(requests.shutdown(self.id))

    async def _task_move(self) -> None:
        self._task_moved.clear()
        await self._task_moved.wait()

    def _pushed(self, item: dict[str, Any]) -> None:
        self._assigned(item)

    def _assigned(self, item: dict[str, Any]) -> Task | None:
        fence = fence_of(item)
        self._seen = max(self._seen, item["number"])
        if self._closing or fence in self._tasks:
            return None
        context = JobContext(
            fence.job_id,
            item["room"],
            item["user"],
            fence.attempt,
            lambda progress: self._telling.put(fence, progress),
            printing=Printing(lambda lines: self._posting.add(fence, lines), self._log_limits),
            later=self._later,
            outlet=lambda: self._outlet(fence, item["room"]),
        )
        room = None if item["scope"] == "public" else item["room"]
        offered = self._offered.get((room, item["category"], item["name"]))
        data = None if item["data"] is None else orjson.dumps(item["data"])
        task = Task(fence, item["room"], offered.extension if offered else None, data, context)
        self._tasks[fence] = task
        if offered is None:
            message = f"this worker does not serve {item['category']}/{item['name']} any more"
            self._ended(task, Outcome(JobState.FAILED, error=JobError("CannotStart", message, {}, "")))
        else:
            self._starts.put(task)
        return task

    def _cancelled(self, item: dict[str, Any]) -> None:
        for fence, task in self._tasks.items():
            if (fence.job_id, fence.attempt) == (item["job_id"], item["attempt"]):
                task.context.cancel()

    async def _send_starts(self, tasks: list[Task]) -> None:
        """The commit point: only what the server accepts may run."""
        await self._greeted.wait()
        body = [{**named(task.fence), "nonce": self._nonce} for task in tasks]
        answer = await self._connection.call("job:start", body)
        for task, refusal in zip(tasks, answer["answers"], strict=True):
            if task.phase is not Phase.QUEUED or task.fence not in self._tasks:
                continue
            if refusal is None:
                await self._begin(task)
            else:
                self._ended(task, Outcome(JobState.CANCELLED))

    async def _begin(self, task: Task) -> None:
        """Run it. Data too large for a push is fetched first."""
        if task.data is None:
            document = await self._connection.send(requests.job(task.fence.job_id), job_token(task.fence))
            task.data = orjson.dumps(document["data"])
        task.phase = Phase.BEGUN
        self._slots.put(task)
        self._task_moved.set()

    def _outlet(self, fence: Fence, room: str) -> JobOutlet:
        sender = ActingConnection(self._connection, job_token(fence))
        return JobOutlet(sender, Portal(self._loop), fence.job_id, room)

    def _run(self, task: Task) -> Outcome:
        """In a slot's thread."""
        return with_fitting_result(self._execute(task), task.context, self._max_result)

    def _execute(self, task: Task) -> Outcome:
        assert task.extension is not None
        assert task.data is not None
        capture.renew()
        if task.extension.isolation is not None:
            environment = {"WORKROOM_URL": self._connection.urls, "WORKROOM_TOKEN": job_token(task.fence)}
            return execute_isolated(task.extension, task.data, task.context, environment)
        return execute(
            task.extension,
            task.data,
            task.context,
            lambda is_async: self._room_for(task.room, job_token(task.fence), is_async),
            self._slots.wait_for,
        )

    def _ended(self, task: Task, outcome: Outcome) -> None:
        if self._tasks.get(task.fence) is not task:
            return  # it was dropped meanwhile: there is nobody to tell
        task.phase, task.outcome = Phase.FINISHED, outcome
        self._task_moved.set()
        self._finishes.put(task)

    async def _send_finishes(self, tasks: list[Task]) -> None:
        """Whatever the answer is, an answered attempt is over: it ended now or had ended without us."""
        await self._greeted.wait()
        await self._posting.settle(task.fence for task in tasks)
        for task in tasks:
            if (last := task.context.last_words()) is not None:
                self._telling.put(task.fence, last)
        await self._telling.settle(task.fence for task in tasks)
        await self._connection.call("job:finish", [finish_report(task) for task in tasks])
        self._forget(tasks)

    def _report_refusal(self, tasks: list[Task], error: WorkroomError) -> None:
        """The server takes a report in none but another form: as the failure that this is."""
        for task in tasks:
            refused = JobError("ReportRefused", text_of(error.detail)[:10_000], {}, "")
            is_new = task.outcome is None or task.outcome.error is None or len(tasks) > 1
            if is_new and task.fence in self._tasks:
                self._ended(task, Outcome(JobState.FAILED, error=refused))
            else:
                self._forget([task])

    def _forget(self, tasks: list[Task], _: WorkroomError | None = None) -> None:
        for task in tasks:
            self._tasks.pop(task.fence, None)
        self._task_moved.set()

    def _later(self, seconds: float, act: Callable[[], None]) -> None:
        """From any thread."""
        self._loop.call_soon_threadsafe(self._loop.call_later, seconds, act)

    async def _send_logs(self, parcels: list[dict[str, Any]]) -> None:
        await self._greeted.wait()
        await self._connection.call("job:log", parcels)

    async def _send_progress(self, reports: list[Progress]) -> None:
        await self._greeted.wait()
        await self._connection.call("job:progress", reports)
