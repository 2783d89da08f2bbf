"""Waits for the end of a job, for as long as the caller may see it."""

from __future__ import annotations

import asyncio

from workroom.domain.identity import Principal
from workroom.domain.job import Job
from workroom.domain.permissions import Permission
from workroom.server.sockets.connections import Connections
from workroom.services.identity.access import Access
from workroom.services.identity.accounts import Accounts
from workroom.services.jobs.waiters import Waiters, resolve, until_end
from workroom.services.live.subscriptions import Subscriptions


class JobWaits:
    def __init__(
        self,
        access: Access,
        accounts: Accounts,
        connections: Connections,
        subscriptions: Subscriptions,
        waiters: Waiters,
    ) -> None:
        self._access = access
        self._accounts = accounts
        self._connections = connections
        self._subscriptions = subscriptions
        self._waiters = waiters

    async def until_end(self, principal: Principal, job_id: str, seconds: float) -> Job:
        """The job once it has ended, or its state when the time is up or the token is revoked."""
        with self._waiters.expecting(job_id) as ended:
            connection = self._connections.add(principal, lambda: resolve(ended), is_counted=False)
            try:
                return await self.wait_for(principal, job_id, seconds, ended)
            finally:
                self._connections.remove(connection)

    async def wait_for(
        self, principal: Principal, job_id: str, seconds: float, ended: asyncio.Future[None]
    ) -> Job:
        """As `until_end`, for a caller that resolves `ended` itself when the token is revoked."""
        job = await self._access.job(principal, job_id, Permission.SEE_JOB)
        if job.status.is_terminal or not seconds:
            return job
        subscription = self._subscriptions.to_job(principal, job, lambda _: resolve(ended))
        try:
            await self._accounts.check(principal)
            await until_end(ended, seconds)
        finally:
            self._subscriptions.remove(subscription)
        await self._accounts.check(principal)
        return await self._access.job(principal, job_id, Permission.SEE_JOB)
