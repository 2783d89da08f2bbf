"""Keeps a worker's session alive: hello on each connect, heartbeats, and the lease."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from typing import Any

from workroom.client.transport.connection import Connection
from workroom.client.transport.problems import problem
from workroom.client.transport.retries import TRANSIENT
from workroom.client.worker.attempts import HeldAttempts
from workroom.client.worker.registration import Registration
from workroom.domain.rules.workers.lease import stops_after
from workroom.errors import (
    Forbidden,
    ServerUnreachable,
    StaleSession,
    StoreUnavailable,
    Unauthenticated,
    WorkerDismissed,
    WorkerNotFound,
    WorkroomError,
)

log = logging.getLogger(__name__)

_READY_SECONDS = 30.0
_HELLO_RETRY_SECONDS = 0.5
_MAX_REPLY_SECONDS = 10.0  # then another server is tried, however long the lease is


class WorkerSession:
    """Each hello and heartbeat reports what the worker holds; the reply lists what to drop and to cancel."""

    def __init__(
        self,
        connection: Connection,
        worker_id: str,
        attempts: HeldAttempts,
        registration: Registration,
        *,
        on_call: bool,
        on_hello: Callable[[dict[str, Any]], None],
        on_failure: Callable[[WorkroomError], None],
    ) -> None:
        self._connection = connection
        self._worker_id = worker_id
        self._attempts = attempts
        self._registration = registration
        self._on_call = on_call
        self._on_hello = on_hello
        self._on_failure = on_failure
        self._loop = asyncio.get_running_loop()
        self._boot_id = secrets.token_hex(8)
        self.number = 0
        self.ready = asyncio.Event()  # set while the server knows this session
        self._heartbeat_seconds = 5.0
        self._lease_seconds = 30.0
        self._renewed_at = _now()
        self._end_of_lease: asyncio.TimerHandle | None = None
        self._connects = 0
        self._is_lost = False
        self._is_closing = False
        self._heartbeats: asyncio.Task[None] | None = None
        connection.on("worker:dismissed", self._dismissed)
        connection.on_connect(self._connected)
        connection.on_refused(on_failure)
        connection.on_disconnect(self._disconnected)

    @property
    def is_started(self) -> bool:
        return self._heartbeats is not None

    async def start(self) -> None:
        """Send hello; from then on send heartbeats, and hello again on each reconnect."""
        if self._heartbeats is not None:
            await self._hello()
            return
        self._heartbeats = self._loop.create_task(self._send_heartbeats())
        if not await self._connection.open_socket():
            await self._connected()
        await asyncio.wait_for(self.ready.wait(), _READY_SECONDS)

    def close(self) -> None:
        """Do not log the connection as lost from here on."""
        self._is_closing = True

    def stop(self) -> None:
        if self._heartbeats is not None:
            self._heartbeats.cancel()
        if self._end_of_lease is not None:
            self._end_of_lease.cancel()

    async def _connected(self) -> None:
        """Send hello until the store is available, or another connect takes over."""
        self._connects += 1
        connect = self._connects
        while connect == self._connects:
            try:
                await self._try_hello()
                return
            except StoreUnavailable:
                await asyncio.sleep(_HELLO_RETRY_SECONDS)
                self._connection.switch_server()

    async def _try_hello(self) -> None:
        try:
            await self._hello()
        except WorkerNotFound:
            await self._register_again()
        except ServerUnreachable:
            return
        except (StaleSession, Forbidden, Unauthenticated) as error:
            self._on_failure(error)

    async def _register_again(self) -> None:
        try:
            await self._registration.repeat()
            await self._hello()
        except StoreUnavailable:
            raise
        except ServerUnreachable:
            return
        except WorkroomError as error:
            self._on_failure(error)

    async def _hello(self) -> None:
        identity = {"worker_id": self._worker_id, "boot_id": self._boot_id, "on_call": self._on_call}
        sent_at = _now()
        reply = await self._connection.call("worker:hello", {**identity, **self._attempts.report()})
        self.number = reply["session"]
        self._lease_seconds = reply["lease_ms"] / 1000
        self._heartbeat_seconds = reply["heartbeat_ms"] / 1000
        self._on_hello(reply)
        self._reconcile(reply, sent_at)
        self.ready.set()
        if self._is_lost:
            self._is_lost = False
            log.warning("reconnected to %s", self._connection.url)

    def _disconnected(self) -> None:
        self.ready.clear()
        if not self._is_closing and not self._is_lost:
            self._is_lost = True
            log.warning("lost the connection to %s; reconnecting", self._connection.url)

    def _dismissed(self, document: dict[str, Any]) -> None:
        self._on_failure(problem(document, 403))

    async def _send_heartbeats(self) -> None:
        await self.ready.wait()
        while True:
            await asyncio.sleep(self._heartbeat_seconds)
            if self.ready.is_set():
                await self._send_heartbeat()
            if self._seconds_left() <= 0:  # after a suspension of the machine its timer would be late
                self._stop_unrenewed()

    async def _send_heartbeat(self) -> None:
        body = {"session": self.number, **self._attempts.report()}
        sent_at = _now()
        try:
            reply = await self._connection.call("worker:heartbeat", body, self._reply_seconds())
            self._reconcile(reply, sent_at)
        except WorkerNotFound:
            await self._connected()
        except (StaleSession, WorkerDismissed) as error:
            self._on_failure(error)
        except TRANSIENT:
            self._connection.switch_server()
        except WorkroomError:
            return

    def _reply_seconds(self) -> float:
        return min(self._lease_seconds / 3, _MAX_REPLY_SECONDS)

    def _reconcile(self, reply: dict[str, Any], sent_at: float) -> None:
        """The lease counts from when the request was sent, which is no later than when it was granted."""
        self._renewed_at = sent_at
        if self._end_of_lease is not None:
            self._end_of_lease.cancel()
        self._end_of_lease = self._loop.call_later(self._seconds_left(), self._stop_unrenewed)
        self._attempts.drop(reply["drop"])
        for item in reply["cancel"]:
            self._attempts.cancel(item)

    def _seconds_left(self) -> float:
        return self._renewed_at + stops_after(self._lease_seconds) - _now()

    def _stop_unrenewed(self) -> None:
        stopped, continued = self._attempts.stop_unrenewed()
        if stopped:
            log.warning("the server did not reply in time: stopped %d of the running jobs", stopped)
        if continued:
            log.debug("the server did not reply in time: %d jobs continue", continued)


def _now() -> float:
    """Monotonic, and where the system has such a clock also counts while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()
