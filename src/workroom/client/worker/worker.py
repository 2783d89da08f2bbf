"""The worker: receives assignments and runs them."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, ClassVar

import orjson
from uuid_utils import uuid7

from workroom import tracing
from workroom.client import requests
from workroom.client.loop_thread import LoopThread
from workroom.client.room_data.writer import JobWriter
from workroom.client.transport.connection import Connection
from workroom.client.worker.attempts import Attempt, HeldAttempts, fence_of
from workroom.client.worker.execution.isolation import execute_isolated
from workroom.client.worker.execution.overruns import Overruns
from workroom.client.worker.execution.slots import Slots
from workroom.client.worker.execution.stall_monitor import StallMonitor
from workroom.client.worker.execution.starter import Starter
from workroom.client.worker.execution.suspensions import Suspensions
from workroom.client.worker.registration import Registration
from workroom.client.worker.reports.exchange_sender import ExchangeSender
from workroom.client.worker.reports.job_connection import JobConnection
from workroom.client.worker.reports.job_files import JobUploader
from workroom.client.worker.reports.large_results import shrink_result
from workroom.client.worker.reports.reporter import Reporter
from workroom.client.worker.session import WorkerSession
from workroom.client.worker.value_fetcher import ValueFetcher
from workroom.domain.job import Fence, JobError, JobState
from workroom.domain.jobs.job_ids import job_token
from workroom.domain.jobs.logs import LogLimits
from workroom.domain.worker import Phase
from workroom.errors import Forbidden, WorkerDismissed, WorkroomError
from workroom.runtime import capture
from workroom.runtime.context import STEP, JobContext
from workroom.runtime.executor import execute
from workroom.runtime.extension import Extension
from workroom.runtime.outcome import Outcome, job_error
from workroom.runtime.output import JobOutput

log = logging.getLogger(__name__)

_SHUTDOWN_SECONDS = 5.0

_STALLED = (
    "this worker stood still for {seconds:.0f} s and sent no heartbeats. Usually a job's code held Python's "
    'global lock (GIL); past the lease its jobs are lost. Give such code its own process: isolation="process"'
)

# Takes a name, a token, the job that writes there, and whether the room is async.
RoomFactory = Callable[[str, str, JobWriter, bool], Any]


class Worker:
    """Serves extensions over a connection. The server decides what runs."""

    on_call: ClassVar[bool] = False

    def __init__(
        self,
        connection: Connection,
        room_for: RoomFactory,
        *,
        slots: int,
        name: str | None,
        worker_id: str | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._connection = connection
        self._room_for = room_for
        self.id = worker_id or str(uuid7())
        self.name = name or f"{socket.gethostname()}-{os.getpid()}"
        self.slot_count = slots
        self._max_result = 1_000_000
        self._log_limits = LogLimits()
        self._failure: WorkroomError | None = None
        self._is_closing = False
        self.closed = asyncio.Event()
        self._attempts = HeldAttempts()
        self._registration = Registration(connection, self.id, self.name, slots)
        self._session = WorkerSession(
            connection,
            self.id,
            self._attempts,
            self._registration,
            on_call=self.on_call,
            on_hello=self._configure,
            on_failure=self._fail,
        )
        self._reporter = Reporter(
            connection, self._attempts, self._session.ready, self._begin, self._not_begun
        )
        self._starter = Starter(slots, self._attempts, self._reporter.start)
        self._attempts.when_cancelled(self._cancelled)
        capture.install()
        self._slots: Slots[Attempt] = Slots(
            0 if self.on_call else slots, self._run, self._interrupted, self._ended
        )
        self._overruns = Overruns(self._slots, self._give_back)
        self._suspensions = Suspensions(self._starter, self._slots, self._report_wait)
        self._exchanges = ExchangeSender(connection, self._attempts, self._session.ready, self._suspensions)
        self._fetcher = ValueFetcher(connection, self._attempts, self._put, self._ended)
        self._stalls = StallMonitor(self._stalled)
        connection.on("job:assigned", self._pushed)
        connection.on("job:recall", self._recalled)
        connection.on("job:cancel", self._attempts.cancel)

    async def offer(self, extensions: Sequence[type[Extension]], room: str | None) -> None:
        """Serve these too, in one room or, without one, in all."""
        await self._registration.add(extensions, room)
        await self._session.start()

    async def wait(self) -> None:
        """Serve until closed."""
        await self.closed.wait()
        if self._failure is not None:
            raise self._failure

    async def aclose(self, drain_seconds: float = 30.0) -> None:
        """Start nothing more, finish what runs, and leave. The server takes back what has not started."""
        self._is_closing = True
        self._session.close()
        await self._reporter.stop_starts()
        if self._session.is_started:
            await self._drain(drain_seconds)
            self._session.stop()
        self._stalls.close()
        self._fetcher.close()
        await self._reporter.aclose()
        self._slots.close()
        capture.uninstall()
        self.closed.set()

    async def leave(self) -> None:
        """Give everything back to the server at once."""
        await self._connection.send(requests.shutdown(self.id))

    async def _drain(self, seconds: float) -> None:
        if count := self._attempts.count_started():
            jobs = "1 job" if count == 1 else f"{count} jobs"
            log.info("finishing %s, for at most %.0f s; press Ctrl-C again to stop now", jobs, seconds)
        try:
            async with asyncio.timeout(seconds):
                while self._attempts.count_started():
                    await self._attempts.wait_for_change()
        except TimeoutError:
            pass
        if self._failure is not None:
            return
        try:
            async with asyncio.timeout(_SHUTDOWN_SECONDS):
                await self.leave()
        except (WorkroomError, TimeoutError):
            pass

    def _configure(self, reply: dict[str, Any]) -> None:
        """Adopt the limits that the server sends with its hello."""
        self._max_result = reply["max_result_bytes"]
        self._log_limits = LogLimits(reply["max_log_lines"], reply["max_log_bytes"])
        self._connection.limit_message(reply["max_message_bytes"])
        self._reporter.limit(reply["max_items"], reply["max_message_bytes"])

    def _fail(self, error: WorkroomError) -> None:
        """Stop: a newer process has this worker's id, or the server no longer admits this one."""
        if isinstance(error, WorkerDismissed):
            self._attempts.abandon()  # its jobs belong to other workers already
        elif isinstance(error, Forbidden):
            error = Forbidden(f"{error.detail}: you are '{self._connection.user}' now. Start it again.")
        self._failure = error
        self.closed.set()

    def _pushed(self, item: dict[str, Any]) -> None:
        self._accept(item)

    def _accept(self, item: dict[str, Any]) -> Attempt | None:
        fence = fence_of(item)
        self._attempts.last_number = max(self._attempts.last_number, item["number"])
        if self._is_closing or fence in self._attempts:
            return None
        extension = self._registration.extension_for(item)
        data = None if item["data"] is None else orjson.dumps(item["data"])
        attempt = Attempt(
            fence, item["room"], extension, data, self._context(fence, item), item.get("expected_ms")
        )
        attempt.trace = item.get(tracing.HEADER)
        self._attempts.add(attempt)
        if extension is None:
            message = f"this worker no longer serves {item['category']}/{item['name']}"
            error = JobError("CannotStart", message, {}, "")
            self._reporter.finish(attempt, Outcome(JobState.FAILED, error=error))
        else:
            sys.audit(STEP, "assigned", fence.job_id)
            self._starter.add(attempt)
        return attempt

    def _recalled(self, item: dict[str, Any]) -> None:
        attempt = self._starter.withdraw(item["job_id"], item["attempt"])
        if attempt is not None:
            self._attempts.remove(attempt)

    def _context(self, fence: Fence, item: dict[str, Any]) -> JobContext:
        reporter = self._reporter
        return JobContext(
            fence.job_id,
            item["room"],
            item["user"],
            fence.attempt,
            lambda progress: reporter.progress.put(fence, progress),
            output=JobOutput(lambda lines: reporter.logs.add(fence, lines), self._log_limits),
            call_later=self._call_later,
            open_uploader=lambda: self._uploader(fence, item["room"]),
            exchange=lambda name, arguments: self._exchange(fence, name, arguments),
        )

    def _exchange(self, fence: Fence, name: str, arguments: dict[str, Any]) -> Future[Any]:
        """Called in any thread."""
        return self._exchanges.call(fence, name, arguments)

    async def _report_wait(self, attempt: Attempt, waits: dict[str, str] | None) -> bool:
        return await self._exchanges.report_wait(attempt, waits)

    def _call_later(self, seconds: float, act: Callable[[], None]) -> None:
        """Safe to call from any thread."""
        self._loop.call_soon_threadsafe(self._loop.call_later, seconds, act)

    def _uploader(self, fence: Fence, room: str) -> JobUploader:
        sender = JobConnection(self._connection, job_token(fence), {})
        return JobUploader(sender, LoopThread(self._loop), fence.job_id, room)

    def _stalled(self, seconds: float) -> None:
        """Warn in the log of each job that may have caused it, which the page shows, and in this process."""
        text = _STALLED.format(seconds=seconds)
        started = [each for each in self._attempts.started() if each.is_in_this_process]
        for attempt in started:
            attempt.context.output.record("WARNING", f"workroom: {text}")
        log.warning("%s (jobs: %s)", text, ", ".join(each.fence.job_id for each in started) or "none")

    def _begin(self, attempt: Attempt) -> None:
        """Put an attempt into a slot. Data that was too large for the push is fetched first."""
        attempt.phase = Phase.BEGUN
        if attempt.data is None:
            self._fetcher.fetch(attempt)
        else:
            self._put(attempt)

    def _put(self, attempt: Attempt) -> None:
        self._slots.put(attempt)
        self._overruns.watch()
        self._attempts.changed()

    def _not_begun(self, attempt: Attempt) -> None:
        self._starter.ended(attempt)

    def _cancelled(self, attempt: Attempt) -> None:
        """Confirm at once what was not started; code that runs is stopped first."""
        if self._starter.withdraw(attempt.fence.job_id, attempt.fence.attempt):
            self._reporter.finish(attempt, Outcome(JobState.CANCELLED))

    def _ended(self, attempt: Attempt, outcome: Outcome) -> None:
        """Report the end and start the next, in one turn of the loop: one commit carries both."""
        self._suspensions.ended(attempt)
        self._reporter.finish(attempt, outcome)
        self._starter.ended(attempt)

    def _give_back(self, attempts: list[Attempt]) -> None:
        """A job outlasts its prediction: return what was started and has not begun behind it."""
        self._starter.outlasted(self._attempts.begun_but(attempts))
        for attempt in attempts:
            self._reporter.release(attempt)
            self._starter.ended(attempt)

    def _run(self, attempt: Attempt) -> Outcome:
        """Called in a slot's thread."""
        if not tracing.is_on():
            return shrink_result(self._execute(attempt), attempt.context, self._max_result)
        with tracing.span(_span_name(attempt), "CONSUMER", attempt.trace, _span_fields(attempt)) as trace:
            attempt.trace = trace
            outcome = shrink_result(self._execute(attempt), attempt.context, self._max_result)
            if outcome.error is not None:
                tracing.fail(outcome.error.type)
            return outcome

    def _interrupted(self, attempt: Attempt, error: BaseException) -> Outcome:
        """Called in a slot's thread, when another thread raised an exception there outside of `run()`.

        Logged from the event loop, because a second exception could leave the lock of a log handler locked.
        """
        why = "raised in the job's thread from outside, before or after run()"
        message = f"job {attempt.fence.job_id}: {type(error).__name__} was {why}; the worker goes on"
        self._loop.call_soon_threadsafe(log.warning, "%s", message)
        attempt.context.output.end()
        found = job_error(error)
        return Outcome(JobState.FAILED, error=replace(found, message=f"{found.message} ({why})".strip()))

    def _execute(self, attempt: Attempt) -> Outcome:
        extension, data, fence = attempt.extension, attempt.data, attempt.fence
        assert extension is not None
        assert data is not None
        capture.wrap_streams()
        if extension.isolation is not None:
            environment = {"WORKROOM_URL": self._connection.urls, "WORKROOM_TOKEN": job_token(fence)}
            if attempt.trace is not None:
                environment[tracing.VARIABLE] = attempt.trace
            return execute_isolated(extension, data, attempt.context, environment)
        writer = JobWriter(extension.extension_name, extension.keep_on_failure)
        return execute(
            extension,
            data,
            attempt.context,
            lambda is_async: self._room_for(attempt.room, job_token(fence), writer, is_async),
            self._slots.wait_for,
        )


def _span_name(attempt: Attempt) -> str:
    return f"run {attempt.extension.label()}" if attempt.extension is not None else "run"


def _span_fields(attempt: Attempt) -> tracing.Attributes:
    fence = attempt.fence
    return {"workroom.job": fence.job_id, "workroom.attempt": fence.attempt, "workroom.room": attempt.room}


class OnCallWorker(Worker):
    """A worker that is pushed nothing: it claims a job when called, and runs it in the caller's thread."""

    on_call: ClassVar[bool] = True

    async def claim(self) -> JobContext | None:
        """Claim and start one job, for `run_claimed` to run. Return None if there is nothing to do."""
        while len(self._attempts) >= self.slot_count:  # the last end is not acked yet
            await self._attempts.wait_for_change()
        reply = await self._connection.call("worker:ask", {"session": self._session.number})
        for item in reply["jobs"]:
            attempt = self._accept(item)
            if attempt is not None and await self._has_begun(attempt):
                return attempt.context
        return None

    def run_claimed(self) -> None:
        self._slots.serve_one()

    async def _has_begun(self, attempt: Attempt) -> bool:
        while (attempt.phase is Phase.QUEUED or attempt.data is None) and attempt.fence in self._attempts:
            await self._attempts.wait_for_change()
        return attempt.phase is Phase.BEGUN and attempt.data is not None

    def _pushed(self, item: dict[str, Any]) -> None:
        """Ignore it: the next heartbeat shows the server that it is not held."""
        self._attempts.last_number = max(self._attempts.last_number, item["number"])
