"""Sends what jobs exchange with providers and people, and waits for answers."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from workroom.client import requests
from workroom.client.transport.connection import Connection
from workroom.client.transport.problems import problem
from workroom.client.transport.retries import Backoff, retry
from workroom.client.worker.attempts import Attempt, HeldAttempts, fence_fields
from workroom.client.worker.execution.suspensions import Suspensions
from workroom.client.worker.reports.job_connection import JobConnection
from workroom.domain.job import Fence
from workroom.domain.jobs.job_ids import job_token
from workroom.errors import AnswerTimeout, JobCancelled, WorkroomError
from workroom.runtime.context import JobContext

Document = dict[str, Any]
_LOOK_SECONDS = 60.0  # a lost event costs no more than this


class ExchangeSender:
    """Each message is sent until the server has replied; the server recognises repeats.

    Lives on the worker's event loop.
    """

    def __init__(
        self, connection: Connection, attempts: HeldAttempts, ready: asyncio.Event, suspensions: Suspensions
    ) -> None:
        self._connection = connection
        self._attempts = attempts
        self._ready = ready
        self._suspensions = suspensions
        self._loop = asyncio.get_running_loop()
        self._answered: dict[str, set[asyncio.Event]] = {}  # by job
        connection.on("job:answered", lambda item: self._wake(item["job_id"]))
        connection.on_connect(self._connected)

    def call(self, fence: Fence, name: str, arguments: Document) -> Future[Any]:
        """Safe to call from any thread."""
        calls: dict[str, Callable[..., Coroutine[Any, Any, Any]]] = {
            "set_external": self._set_external,
            "intend": self._intend,
            "read": self._read,
            "ask": self._ask,
            "begin_wait": self._begin_wait,
            "end_wait": self._end_wait,
        }
        return asyncio.run_coroutine_threadsafe(calls[name](fence, **arguments), self._loop)

    async def report_wait(self, attempt: Attempt, waits: Document | None) -> bool:
        """Report what an attempt waits for. Returns whether its slot is free now."""
        try:
            reply = await self._send("job:suspend", attempt.fence, {"waits": waits})
        except WorkroomError:
            return False  # it is stale, and about to be dropped
        return bool(reply["freed"][0])

    async def _set_external(self, fence: Fence, provider: str, id: str) -> None:
        await self._send("job:external", fence, {"provider": provider, "id": id})

    async def _intend(self, fence: Fence, provider: str, digest: str) -> None:
        await self._send("job:intend", fence, {"provider": provider, "digest": digest})

    async def _read(self, fence: Fence) -> Document:
        sender = JobConnection(self._connection, job_token(fence), {})
        job: Document = await retry(lambda: sender.send(requests.job(fence.job_id)))
        return {"external": job["external"], "intents": job["intents"]}

    async def _ask(self, fence: Fence, **question: Any) -> Any:
        with self._watching(fence.job_id) as changed:
            return await self._ask_watching(fence, question, changed)

    @contextmanager
    def _watching(self, job_id: str) -> Iterator[asyncio.Event]:
        """Begins before the question is sent: an answer may arrive together with the reply to it."""
        changed = asyncio.Event()
        watchers = self._answered.setdefault(job_id, set())
        watchers.add(changed)
        try:
            yield changed
        finally:
            watchers.discard(changed)
            if not watchers and self._answered.get(job_id) is watchers:
                del self._answered[job_id]

    async def _ask_watching(self, fence: Fence, question: Document, changed: asyncio.Event) -> Any:
        found = await self._question(fence, question)
        if found["answer"] is not None:
            return found["answer"]
        attempt = self._attempts.get(fence)
        if attempt is None:
            raise JobCancelled()
        self._suspensions.begin(attempt, {"code": "answer", "of": str(found["id"])})
        try:
            return await self._wait_for_answer(fence, attempt.context, question, found, changed)
        finally:
            await self._suspensions.end(attempt)

    async def _wait_for_answer(
        self,
        fence: Fence,
        context: JobContext,
        question: Document,
        found: Document,
        changed: asyncio.Event,
    ) -> Any:
        context.when_cancelled(lambda: self._loop.call_soon_threadsafe(changed.set))
        while found["answer"] is None:
            await self._pause(context, changed, found["expires_in_ms"])
            found = await self._question(fence, question)
        return found["answer"]

    async def _pause(self, context: JobContext, changed: asyncio.Event, left_ms: float | None) -> None:
        """Wait until something may have changed. Raises once nobody can answer any more."""
        if context.cancelled:
            raise JobCancelled()
        if left_ms is not None and left_ms <= 0:
            raise AnswerTimeout()
        seconds = _LOOK_SECONDS * (0.5 + random.random())  # noqa: S311 - jitter
        try:
            async with asyncio.timeout(seconds if left_ms is None else min(seconds, left_ms / 1000)):
                await changed.wait()
        except TimeoutError:
            return
        changed.clear()
        if context.cancelled:
            raise JobCancelled()

    async def _question(self, fence: Fence, question: Document) -> Document:
        reply = await self._send("job:ask", fence, question)
        found: Document = reply["questions"][0]
        return found

    async def _begin_wait(self, fence: Fence, code: str, of: str) -> None:
        attempt = self._attempts.get(fence)
        if attempt is not None:
            self._suspensions.begin(attempt, {"code": code, "of": of})

    async def _end_wait(self, fence: Fence) -> None:
        attempt = self._attempts.get(fence)
        if attempt is not None:
            await self._suspensions.end(attempt)

    async def _send(self, event: str, fence: Fence, fields: Document) -> Document:
        backoff = Backoff()
        while True:
            await self._ready.wait()
            try:
                reply: Document = await self._connection.call(event, [{**fence_fields(fence), **fields}])
                if reply["answers"][0] is None:
                    return reply
                raise problem(reply["answers"][0], 500)
            except WorkroomError as error:
                if not error.retryable:
                    raise
                await backoff.wait(None)

    def _wake(self, job_id: str) -> None:
        for changed in self._answered.get(job_id, ()):
            changed.set()

    async def _connected(self) -> None:
        """Events may have been lost."""
        for job_id in list(self._answered):
            self._wake(job_id)
