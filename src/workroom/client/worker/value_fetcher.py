"""Fetches values that were too large to be pushed, apart from the reports that other attempts wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import orjson

from workroom.client import requests
from workroom.client.transport.connection import Connection
from workroom.client.worker.attempts import Attempt, HeldAttempts
from workroom.domain.job import JobError, JobState
from workroom.domain.jobs.job_ids import job_token
from workroom.errors import JobNotFound, StaleAttempt, Unauthenticated, WorkroomError
from workroom.runtime.outcome import Outcome, to_text

_RETRY_SECONDS = 0.5


class ValueFetcher:
    def __init__(
        self,
        connection: Connection,
        attempts: HeldAttempts,
        fetched: Callable[[Attempt], None],
        failed: Callable[[Attempt, Outcome], None],
    ) -> None:
        self._connection = connection
        self._attempts = attempts
        self._fetched = fetched
        self._failed = failed
        self._tasks: set[asyncio.Task[None]] = set()

    def fetch(self, attempt: Attempt) -> None:
        task = asyncio.get_running_loop().create_task(self._fetch(attempt))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _fetch(self, attempt: Attempt) -> None:
        while self._attempts.has(attempt):
            try:
                attempt.data = await self._read(attempt)
            except (Unauthenticated, StaleAttempt, JobNotFound):  # cancelled, or no longer this worker's
                return self._failed(attempt, Outcome(JobState.CANCELLED))
            except WorkroomError as error:
                if not error.retryable:
                    return self._failed(attempt, _failure(error))
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                return self._fetched(attempt)
        return self._failed(attempt, Outcome(JobState.CANCELLED))

    async def _read(self, attempt: Attempt) -> bytes:
        request, token = requests.job(attempt.fence.job_id), job_token(attempt.fence)
        document = await self._connection.send(request, token)
        return orjson.dumps(document["data"])


def _failure(error: WorkroomError) -> Outcome:
    message = to_text(f"the values of this job could not be fetched: {error.detail}")[:10_000]
    return Outcome(JobState.FAILED, error=JobError("CannotStart", message, {"code": error.code}, ""))
