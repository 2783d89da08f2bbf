"""Submits and waits over a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from workroom.domain.room import room_name
from workroom.errors import TooManyRequests
from workroom.server.http.bodies.submit import WaitEvent
from workroom.server.http.context import Services
from workroom.server.http.views.job import render_job, render_submitted
from workroom.server.sockets.client import Client, Handler
from workroom.server.sockets.message_decoder import MessageDecoder
from workroom.services.jobs.waiters import Waiters


class JobHandlers:
    def __init__(self, services: Services, waiters: Waiters, decoder: MessageDecoder) -> None:
        self._accounts = services.accounts
        self._submission = services.submission
        self._waits = services.waits
        self._waiters = waiters
        self._decoder = decoder
        self._max_waits = services.settings.max_waits

    def handlers(self) -> dict[str, Handler]:
        return {"job:submit": self._submit, "job:wait": self._wait}

    async def _submit(self, client: Client, body: Any) -> Any:
        request = self._decoder.submit(body)
        request.room = room_name(request.room)
        job = await self._submission.submit(client.principal, request)
        return {"job": render_submitted(job, client.principal)}

    async def _wait(self, client: Client, body: Any) -> Any:
        """The job once it has ended, or its current state when the time is up."""
        wait = WaitEvent.model_validate(body)
        principal = client.principal if wait.token is None else await self._accounts.read(wait.token)
        with self._waiters.expecting(wait.job_id) as ended, self._counted(client, ended):
            job = await self._waits.wait_for(principal, wait.job_id, wait.seconds, ended)
        return {"job": render_job(job, principal)}

    @contextmanager
    def _counted(self, client: Client, ended: asyncio.Future[None]) -> Iterator[None]:
        """Limit the waits of a socket, and cancel them when it disconnects."""
        if len(client.waits) >= self._max_waits:
            raise TooManyRequests(
                f"one socket may wait for {self._max_waits} jobs at once",
                max_waits=self._max_waits,
                retry_after_ms=1000,
            )
        client.waits.add(ended)
        try:
            yield
        finally:
            client.waits.discard(ended)
