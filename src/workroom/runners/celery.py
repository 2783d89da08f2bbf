"""The Celery app of the fleet: `celery -A workroom.runners.celery worker`, or `workroom celery`."""

from __future__ import annotations

import os
import socket
from functools import partial
from typing import Any

from celery import Celery, Task, signals
from celery.concurrency.thread import TaskPool as ThreadPool
from celery.worker.consumer import Consumer

from workroom.domain.extension import RunnerKind
from workroom.runners.doorbell import WORK, celery_app
from workroom.runners.fleet import Member
from workroom.runners.loading import load, load_packs
from workroom.settings import Settings

_settings = Settings(runner=RunnerKind.CELERY)
_extensions = [*load_packs(), *load(_settings.extensions)]
_members: list[Member] = []

app: Celery = celery_app(_settings.broker_url or "")


@app.task(name=WORK, bind=True)
def work(task: Task[[], None]) -> None:
    """Somebody rang."""
    for member in _members:
        member.serve(partial(_terminate, str(task.request.id)))


@signals.worker_process_init.connect
def _begin(**_: Any) -> None:
    """In each process of the pool."""
    _join(slots=1)


@signals.worker_ready.connect
def _ready(sender: Consumer, **_: Any) -> None:
    """A pool of threads is one process."""
    if isinstance(sender.pool, ThreadPool):
        _join(slots=sender.pool.limit)


@signals.worker_process_shutdown.connect
@signals.worker_shutdown.connect
def _end(**_: Any) -> None:
    while _members:
        _members.pop().close()


def _join(slots: int) -> None:
    name = f"celery-{socket.gethostname()}-{os.getpid()}"
    _members.append(Member(_extensions, name, slots, _settings.insist))


def _terminate(task_id: str) -> None:
    """Where the pool can: a thread cannot be ended from outside."""
    app.control.revoke(task_id, terminate=True, signal="SIGKILL")
