"""Wakes the Celery fleet. The message carries nothing: its receiver claims a job from the server."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import structlog
from celery import Celery
from kombu.exceptions import OperationalError

log = structlog.get_logger()

WORK = "workroom.work"
QUEUE = "workroom"
_EXPIRES_SECONDS = 10  # by then the server has sent another
_CONNECT_SECONDS = 2


def celery_app(broker: str) -> Celery:
    """An app whose messages are empty JSON without results."""
    app = Celery("workroom", broker=broker)
    app.conf.update(
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        task_default_queue=QUEUE,
        worker_prefetch_multiplier=1,
        worker_redirect_stdouts=False,  # the output of jobs is captured by the worker
        broker_connection_timeout=_CONNECT_SECONDS,
        broker_connection_retry_on_startup=True,
        broker_transport_options={"socket_timeout": 30, "socket_connect_timeout": _CONNECT_SECONDS},
    )
    return app


class CeleryNotifier:
    """Sends wake-up messages from its own thread, so that a slow broker does not block the server."""

    def __init__(self, broker: str) -> None:
        self._app = celery_app(broker)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="workroom-notifier")
        self._is_reachable = True

    def notify(self, count: int) -> None:
        self._thread.submit(self._send, count)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _send(self, count: int) -> None:
        try:
            for _ in range(count):
                self._app.send_task(WORK, retry=False, expires=_EXPIRES_SECONDS)
        except OperationalError as error:
            self._log_change(is_reachable=False, reason=str(error))
        else:
            self._log_change(is_reachable=True)

    def _log_change(self, *, is_reachable: bool, reason: str | None = None) -> None:
        if is_reachable == self._is_reachable:
            return
        self._is_reachable = is_reachable
        if is_reachable:
            log.info("reached the Celery broker again")
        else:
            log.warning("cannot reach the Celery broker: jobs wait until it is back", reason=reason)
