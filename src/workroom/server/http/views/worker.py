"""A worker, and the replies to its registration and heartbeats."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import orjson
from typing_extensions import TypedDict

from workroom.domain import job, steps
from workroom.domain import worker as domain
from workroom.domain.extension import ExtensionKey, RunnerKind
from workroom.domain.worker import WorkerState
from workroom.server.http.views.extension import ExtensionName, render_extension_name
from workroom.server.http.views.values import Document, Object, Time, embed, format_time


class ConsentRequest(ExtensionName):
    """An extension that a worker will offer once `owner`, if set, or the room's owner accepts it."""

    owner: str | None


class Worker(TypedDict):
    """A process that runs jobs."""

    id: str
    user: str
    name: str
    runner: RunnerKind
    slots: int
    machine: Object
    state: WorkerState
    since: Time
    draining: bool
    registered_at: Time
    assigned_jobs: int
    running_jobs: int
    extensions: list[ExtensionName]
    awaiting_consent: list[ConsentRequest]


class Workers(TypedDict):
    items: list[Worker]


class RegisteredWorker(TypedDict):
    """Extensions that await consent are not offered yet."""

    worker_id: str
    awaiting_consent: list[ConsentRequest]


class Fence(TypedDict):
    """One attempt at a job."""

    job_id: str
    attempt: int
    token: str


class Reconciled(TypedDict):
    """Attempts that a worker must drop, and attempts that it must stop."""

    drop: list[Fence]
    cancel: list[Fence]


Visible = Callable[[ExtensionKey], bool]
"""Whether the reader may see this extension of a worker."""


def render_worker(worker: domain.Worker, visible: Visible = lambda _: True) -> Worker:
    return {
        "id": worker.spec.id,
        "user": worker.spec.user,
        "name": worker.spec.name,
        "runner": RunnerKind(worker.spec.runner),
        "slots": worker.spec.slots,
        "machine": orjson.Fragment(worker.spec.machine),
        "state": worker.state,
        "since": format_time(worker.since_us),
        "draining": worker.draining,
        "registered_at": format_time(worker.registered_at_us),
        "assigned_jobs": worker.assigned,
        "running_jobs": worker.running,
        "extensions": [render_extension_name(key) for key in worker.extensions if visible(key)],
        "awaiting_consent": [render_consent(each) for each in worker.awaiting if visible(each.key)],
    }


def render_consent(request: domain.ConsentRequest) -> ConsentRequest:
    return {**render_extension_name(request.key), "owner": request.owner}


def render_workers(workers: Sequence[domain.Worker], visible: Visible = lambda _: True) -> Workers:
    return {"items": [render_worker(each, visible) for each in workers]}


def render_registered(registered: steps.Registered) -> RegisteredWorker:
    awaiting = [render_consent(each) for each in registered.awaiting]
    return {"worker_id": registered.worker, "awaiting_consent": awaiting}


def render_assignment(assignment: steps.Assignment) -> Document:
    return {
        **_render_fence(assignment.fence),
        "number": assignment.number,
        "room": assignment.room,
        "user": assignment.user,
        "scope": assignment.extension.scope,
        "category": assignment.extension.category,
        "name": assignment.extension.name,
        "timeout_ms": None if assignment.timeout is None else assignment.timeout * 1000,
        "expected_ms": assignment.expected_ms,
        "data": embed(assignment.data),
        **({} if assignment.trace is None else {"traceparent": assignment.trace}),
    }


def _render_fence(fence: job.Fence) -> Fence:
    return {"job_id": fence.job_id, "attempt": fence.attempt, "token": fence.token}


def render_reconciled(reconciled: steps.Reconciled) -> Reconciled:
    return {
        "drop": [_render_fence(each) for each in reconciled.drop],
        "cancel": [_render_fence(each) for each in reconciled.cancel],
    }
