"""One process of a Celery fleet: an on-call worker whose jobs run in the thread of the Celery task."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from workroom.client.context import ClientContext
from workroom.client.loop_thread import LoopThread
from workroom.client.transport.connection import Connection
from workroom.client.worker.worker import OnCallWorker, Worker
from workroom.errors import ServerUnreachable, WorkroomError
from workroom.runtime.context import JobContext
from workroom.runtime.extension import Extension

log = logging.getLogger(__name__)

_RETRY_SECONDS = 1.0
_SERVE_SECONDS = 1.0  # how long one Celery task serves short jobs before other tasks of the fleet run

Terminate = Callable[[], None]


class FleetMember:
    """Joins in the background, so that a fleet can start before its server.

    The environment has the server's address and the token.
    """

    def __init__(
        self, extensions: Sequence[type[Extension]], name: str, slots: int, cancel_seconds: float
    ) -> None:
        self._cancel_seconds = cancel_seconds
        self._loop_thread = LoopThread.open("workroom-fleet")
        self._connection, self._worker = self._loop_thread.call(_create(name, slots))
        self._joining = self._loop_thread.submit(_join(self._worker, extensions))

    def serve(self, terminate: Terminate) -> None:
        """Run pending jobs, after a wake-up message. `terminate` ends this process, if its pool can."""
        end = time.monotonic() + _SERVE_SECONDS
        while self._serve_one(terminate) and time.monotonic() < end:
            pass

    def close(self) -> None:
        """Leave the fleet."""
        self._joining.cancel()
        with contextlib.suppress(WorkroomError):
            self._loop_thread.call(self._worker.aclose())
        self._loop_thread.call(self._connection.aclose())
        self._loop_thread.close()

    def _serve_one(self, terminate: Terminate) -> bool:
        if not self._joining.done():
            return False
        try:
            job = self._loop_thread.call(self._worker.claim())
        except WorkroomError as error:
            log.warning("cannot claim a job: %s", error)
            return False
        if job is None:
            return False
        with _unless_stopped(job, self._cancel_seconds, lambda: self._abort(terminate)):
            self._worker.run_claimed()
        return True

    def _abort(self, terminate: Terminate) -> None:
        """End this process: the job has ended on the server, but its code goes on and keeps the slot."""
        log.warning("the job was cancelled but did not stop: ending this process")
        with contextlib.suppress(WorkroomError):
            self._loop_thread.call(self._worker.leave())
        terminate()


async def _create(name: str, slots: int) -> tuple[Connection, OnCallWorker]:
    connection = Connection(None, user=None, password=None, token=None)
    return connection, OnCallWorker(connection, ClientContext(connection).room_for, slots=slots, name=name)


async def _join(worker: Worker, extensions: Sequence[type[Extension]]) -> None:
    while True:
        try:
            return await worker.offer(extensions, None)
        except ServerUnreachable as error:
            log.warning("waiting for the server: %s", error)
            await asyncio.sleep(_RETRY_SECONDS)
        except WorkroomError:
            log.exception("cannot join the fleet")
            raise


@contextlib.contextmanager
def _unless_stopped(job: JobContext, seconds: float, act: Callable[[], None]) -> Iterator[None]:
    """Act if the job is cancelled and its code still runs after this time."""
    timers: list[threading.Timer] = []

    def start() -> None:
        timer = threading.Timer(seconds, act)
        timer.daemon = True
        timers.append(timer)
        timer.start()

    job.when_cancelled(start)
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
