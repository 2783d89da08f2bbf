"""One process of a Celery fleet: a worker on call, whose jobs run in the thread of the Celery task."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from workroom.client.connection import Connection
from workroom.client.on_call import OnCallWorker
from workroom.client.portal import Portal
from workroom.client.room import Link
from workroom.client.worker import Worker
from workroom.errors import ServerUnreachable, WorkroomError
from workroom.runtime.context import JobContext
from workroom.runtime.extension import Extension

log = logging.getLogger(__name__)

_RETRY_SECONDS = 1.0
_SHIFT_SECONDS = 1.0  # so long one call serves short jobs one after the other, then others have a turn

Terminate = Callable[[], None]


class Member:
    """Joins in the background, so that a fleet may be there before its server.

    Where that is, and who we are, stands in the environment.
    """

    def __init__(
        self, extensions: Sequence[type[Extension]], name: str, slots: int, insist_seconds: float
    ) -> None:
        self._insist_seconds = insist_seconds
        self._portal = Portal.open("workroom-fleet")
        self._connection, self._worker = self._portal.call(_made(name, slots))
        self._joining = self._portal.submit(_joined(self._worker, extensions))

    def serve(self, terminate: Terminate) -> None:
        """Somebody rang: do what there is to do. `terminate` ends this process, if its pool can."""
        end = time.monotonic() + _SHIFT_SECONDS
        while self._serve_one(terminate) and time.monotonic() < end:
            pass

    def close(self) -> None:
        """Say goodbye."""
        self._joining.cancel()
        with contextlib.suppress(WorkroomError):
            self._portal.call(self._worker.aclose())
        self._portal.call(self._connection.aclose())
        self._portal.close()

    def _serve_one(self, terminate: Terminate) -> bool:
        if not self._joining.done():
            return False
        try:
            job = self._portal.call(self._worker.ask())
        except WorkroomError as error:
            log.warning("cannot ask for work: %s", error)
            return False
        if job is None:
            return False
        with _insisting(job, self._insist_seconds, lambda: self._give_up(terminate)):
            self._worker.work()
        return True

    def _give_up(self, terminate: Terminate) -> None:
        """The code does not stop. Its job has ended without it: leave, so that the slot is free."""
        log.warning("the job was told to stop and did not: this process ends")
        with contextlib.suppress(WorkroomError):
            self._portal.call(self._worker.leave())
        terminate()


async def _made(name: str, slots: int) -> tuple[Connection, OnCallWorker]:
    connection = Connection(None, user=None, password=None, token=None)
    return connection, OnCallWorker(connection, Link(connection).room_for, slots=slots, name=name)


async def _joined(worker: Worker, extensions: Sequence[type[Extension]]) -> None:
    while True:
        try:
            return await worker.offer(extensions, None)
        except ServerUnreachable as error:
            log.warning("waiting for the server: %s", error)
            await asyncio.sleep(_RETRY_SECONDS)
        except WorkroomError:
            log.exception("this process cannot join the fleet")
            raise


@contextlib.contextmanager
def _insisting(job: JobContext, seconds: float, act: Callable[[], None]) -> Iterator[None]:
    """Act if the job is told to stop and goes on."""
    timers: list[threading.Timer] = []

    def begin() -> None:
        timer = threading.Timer(seconds, act)
        timer.daemon = True
        timers.append(timer)
        timer.start()

    job.when_cancelled(begin)
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
