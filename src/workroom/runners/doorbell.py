"""A Celery message that says only: there is work. Whoever takes it asks the server what to do."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import structlog
from celery import Celery
from kombu.exceptions import OperationalError

log = structlog.get_logger()

WORK = "workroom.work"
QUEUE = "workroom"
_EXPIRES_SECONDS = 10  # who was not called by then will be called again
_PATIENCE_SECONDS = 2


def celery_app(broker: str) -> Celery:
    """Messages are JSON, of no weight, and never answered."""
    app = Celery("workroom", broker=broker)
    app.conf.update(
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        task_default_queue=QUEUE,
        worker_prefetch_multiplier=1,
        worker_redirect_stdouts=False,  # what a job prints is the job's
        broker_connection_timeout=_PATIENCE_SECONDS,
        broker_connection_retry_on_startup=True,
        broker_transport_options={"socket_timeout": 30, "socket_connect_timeout": _PATIENCE_SECONDS},
    )
    return app


class Doorbell:
    """Rings from a thread of its own: a broker that does not answer holds up nobody."""

    def __init__(self, broker: str) -> None:
        self._app = celery_app(broker)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="workroom-doorbell")
        self._is_heard = True

    def ring(self, times: int) -> None:
        self._thread.submit(self._ring, times)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _ring(self, times: int) -> None:
        try:
            for _ in range(times):
                self._app.send_task(WORK, retry=False, expires=_EXPIRES_SECONDS)
        except OperationalError as error:
            self._hear(is_heard=False, reason=str(error))
        else:
            self._hear(is_heard=True)

    def _hear(self, *, is_heard: bool, reason: str | None = None) -> None:
        """Told once, when it changes."""
        if is_heard != self._is_heard:
            self._is_heard = is_heard
            if is_heard:
                log.info("the broker of the Celery fleet is back")
            else:
                log.warning("the broker of the Celery fleet cannot be reached: its jobs wait", reason=reason)
