"""Reports starts, ends, progress and output to the server."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from typing import Any

import orjson

from workroom import tracing
from workroom.client.transport.connection import Connection
from workroom.client.worker.attempts import Attempt, HeldAttempts, fence_fields
from workroom.client.worker.reports.log_sender import LogSender
from workroom.client.worker.reports.outbox import Outbox, Refusals, log_refusal, refusals_in
from workroom.client.worker.reports.progress_sender import Progress, ProgressSender
from workroom.domain.job import JobError, JobState
from workroom.domain.schema.json_parts import parts_of
from workroom.domain.worker import Phase
from workroom.errors import JobNotFound, StaleAttempt, WorkroomError
from workroom.runtime.outcome import Outcome, to_text

log = logging.getLogger(__name__)

_REFUSED = "ResultRefused"
_REPORT_BYTES = 400  # of a report, besides result and error
_SMALL_REPORT_BYTES = 10_000
_PART_BYTES = 4  # a message of 5,000,000 bytes may have 1,000,000 JSON parts


class Reporter:
    """Sends each kind of report in batches, and again until the server has acked or refused it."""

    def __init__(
        self,
        connection: Connection,
        attempts: HeldAttempts,
        ready: asyncio.Event,
        begin: Callable[[Attempt], None],
        not_begun: Callable[[Attempt], None],
    ) -> None:
        """`begin` runs an attempt whose start the server has accepted; any other is `not_begun`."""
        self._connection = connection
        self._attempts = attempts
        self._ready = ready
        self._begin = begin
        self._not_begun = not_begun
        self._nonce = secrets.token_hex(8)
        self._starts: Outbox[Attempt] = Outbox(self._send_starts, self._start_refused)
        self._releases: Outbox[Attempt] = Outbox(self._send_releases, self._release_refused)
        self._finishes: Outbox[Attempt] = Outbox(self._send_finishes, self._finish_refused, _report_size)
        self.progress = ProgressSender(self._send_progress)
        self.logs = LogSender(self._send_logs)

    def start(self, attempt: Attempt) -> None:
        self._starts.put(attempt)

    def release(self, attempt: Attempt) -> None:
        """Give back a started attempt that has not begun."""
        if self._attempts.has(attempt):
            self._releases.put(attempt)

    def finish(self, attempt: Attempt, outcome: Outcome) -> None:
        if not self._attempts.has(attempt):
            return  # dropped meanwhile: the server expects no report
        attempt.phase, attempt.outcome = Phase.FINISHED, outcome
        self._attempts.changed()
        self._finishes.put(attempt)

    def limit(self, items: int, size: int) -> None:
        """Set how many items and bytes one message may have."""
        for sender in (self._starts, self._releases, self._finishes, self.progress, self.logs):
            sender.limit(items, size)

    async def stop_starts(self) -> None:
        await self._starts.aclose()

    async def aclose(self) -> None:
        for sender in (self._releases, self.logs, self._finishes, self.progress):
            await sender.aclose()

    async def _send_starts(self, attempts: list[Attempt]) -> Refusals:
        """The commit point: only attempts that the server accepts may run."""
        await self._ready.wait()
        body = [{**fence_fields(attempt.fence), "nonce": self._nonce} for attempt in attempts]
        refusals = refusals_in(await self._connection.call("job:start", body))
        for attempt, refusal in zip(attempts, refusals, strict=True):
            if refusal is None:
                if attempt.phase is Phase.QUEUED and self._attempts.has(attempt):
                    self._begin(attempt)
                else:
                    self._not_begun(attempt)
        return refusals

    async def _send_releases(self, attempts: list[Attempt]) -> Refusals:
        await self._ready.wait()
        body = [{**fence_fields(attempt.fence), "nonce": self._nonce} for attempt in attempts]
        refusals = refusals_in(await self._connection.call("job:release", body))
        for attempt, refusal in zip(attempts, refusals, strict=True):
            if refusal is None:
                self._attempts.remove(attempt)
        return refusals

    def _release_refused(self, attempt: Attempt, why: WorkroomError) -> None:
        """The job was cancelled or is somebody else's; after any other refusal, the lease decides."""
        log_refusal("the return", attempt.fence, why)
        self._attempts.remove(attempt)

    def _start_refused(self, attempt: Attempt, why: WorkroomError) -> None:
        """Confirm the end of a stale attempt; any other refusal fails the job."""
        self._not_begun(attempt)
        if attempt.phase is not Phase.QUEUED:
            return
        if isinstance(why, StaleAttempt | JobNotFound):
            self.finish(attempt, Outcome(JobState.CANCELLED))
        else:
            self.finish(attempt, _failure("StartRefused", "the server refused to start this job", why))

    async def _send_finishes(self, attempts: list[Attempt]) -> Refusals:
        """Output and progress go first: the server accepts them only while the job runs."""
        await self._ready.wait()
        await self.logs.flush(attempt.fence for attempt in attempts)
        for attempt in attempts:
            if (last := attempt.context.take_progress()) is not None:
                self.progress.put(attempt.fence, last)
        await self.progress.flush(attempt.fence for attempt in attempts)
        reply = await self._connection.call("job:finish", [_finish_report(attempt) for attempt in attempts])
        refusals = refusals_in(reply)
        for attempt, refusal in zip(attempts, refusals, strict=True):
            if refusal is None:
                self._attempts.remove(attempt)
        return refusals

    def _finish_refused(self, attempt: Attempt, why: WorkroomError) -> None:
        """Report a failure instead, once."""
        outcome, job_id = attempt.outcome, attempt.fence.job_id
        is_second = outcome is not None and outcome.error is not None and outcome.error.type == _REFUSED
        if isinstance(why, StaleAttempt | JobNotFound):
            self._attempts.remove(attempt)
        elif is_second:
            log.error("the server refused to finish job %s: %s", job_id, why.detail)
            self._attempts.remove(attempt)
        else:
            log.warning("the server refused the result of job %s: %s", job_id, why.detail)
            self.finish(attempt, _failure(_REFUSED, "the server refused the job's result", why))

    async def _send_logs(self, chunks: list[dict[str, Any]]) -> Refusals:
        await self._ready.wait()
        return refusals_in(await self._connection.call("job:log", chunks))

    async def _send_progress(self, reports: list[Progress]) -> Refusals:
        await self._ready.wait()
        return refusals_in(await self._connection.call("job:progress", reports))


def _finish_report(attempt: Attempt) -> dict[str, Any]:
    outcome = attempt.outcome
    assert outcome is not None
    traced = {} if attempt.trace is None else {tracing.HEADER: attempt.trace}
    return {
        **fence_fields(attempt.fence),
        **traced,
        "status": outcome.status,
        "result": None if outcome.result is None else orjson.Fragment(outcome.result),
        "error": outcome.error,
        "run_ms": round(outcome.run_ms, 3),
    }


def _report_size(attempt: Attempt) -> int:
    """An upper estimate in bytes. Many small JSON parts weigh more, because the server limits those too."""
    outcome = attempt.outcome
    if outcome is None:
        return _REPORT_BYTES
    error = b"" if outcome.error is None else orjson.dumps(outcome.error)
    result = outcome.result or b""
    size = len(result) + len(error) + _REPORT_BYTES
    return size if size < _SMALL_REPORT_BYTES else max(size, _PART_BYTES * parts_of(result))


def _failure(type_: str, what: str, why: WorkroomError) -> Outcome:
    message = to_text(f"{what}: {why.detail}")[:10_000]
    return Outcome(JobState.FAILED, error=JobError(type_, message, {"code": why.code}, ""))
