"""The Celery app of the fleet: `celery -A workroom.runners.celery worker`, or `workroom celery`."""

from __future__ import annotations

import os
import socket
from functools import partial
from typing import Any

from celery import Celery, Task, signals
from celery.concurrency.thread import TaskPool as ThreadPool
from celery.worker.consumer import Consumer

from workroom import tracing
from workroom.domain.extension import RunnerKind
from workroom.runners.celery_notifier import WORK, celery_app
from workroom.runners.fleet import FleetMember
from workroom.runners.loading import load, load_packs
from workroom.settings import Settings

_settings = Settings(runner=RunnerKind.CELERY)
_extensions = [*load_packs(_settings.packs), *load(_settings.extensions)]
_members: list[FleetMember] = []

app: Celery = celery_app(_settings.broker_url or "")


@app.task(name=WORK, bind=True)
def work(task: Task[[], None]) -> None:
    """Handle a wake-up message."""
    for member in _members:
        member.serve(partial(_terminate, str(task.request.id)))


@signals.worker_process_init.connect
def _process_started(**_: Any) -> None:
    """A prefork pool: each process is a member."""
    _join(slots=1)


@signals.worker_ready.connect
def _worker_ready(sender: Consumer, **_: Any) -> None:
    """A thread pool: the process is one member."""
    if isinstance(sender.pool, ThreadPool):
        _join(slots=sender.pool.limit)


@signals.worker_process_shutdown.connect
@signals.worker_shutdown.connect
def _shut_down(**_: Any) -> None:
    while _members:
        _members.pop().close()
    tracing.flush()


def _join(slots: int) -> None:
    tracing.configure("workroom-worker")
    name = f"celery-{socket.gethostname()}-{os.getpid()}"
    _members.append(FleetMember(_extensions, name, slots, _settings.insist))


def _terminate(task_id: str) -> None:
    """End the process of a task. Does nothing in a thread pool: threads cannot be killed."""
    app.control.revoke(task_id, terminate=True, signal="SIGKILL")
