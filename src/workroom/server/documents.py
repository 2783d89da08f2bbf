"""Values become JSON documents. What was stored as JSON is embedded as it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, cast

import orjson

from workroom.domain.chat import ChatMessage
from workroom.domain.extension import Concurrency, Extension, ExtensionKey, Policy, RunnerKind, Scope
from workroom.domain.files import Artifact, Preview, RoomFile
from workroom.domain.identity import Account, Principal
from workroom.domain.job import Fence, Job, Transition
from workroom.domain.logs import LogLine
from workroom.domain.queries import ExtensionUsage
from workroom.domain.room import Room
from workroom.domain.steps import Assignment, Reconciled
from workroom.domain.waiting import Waiting
from workroom.domain.worker import Worker
from workroom.errors import WorkroomError
from workroom.server import shapes
from workroom.services.access import sees_stack
from workroom.services.logs import line_document
from workroom.services.rooms import Issued
from workroom.services.submission import Accepted, Saved

Document = Mapping[str, Any]


@lru_cache(maxsize=1024)
def time_of(at_us: int) -> str:
    return datetime.fromtimestamp(at_us / 1_000_000, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def _time_if(at_us: int | None) -> str | None:
    return None if at_us is None else time_of(at_us)


def embedded(encoded: bytes | None) -> Any:
    return None if encoded is None else orjson.Fragment(encoded)


def job(job: Job, reader: Principal | None = None) -> shapes.Job:
    return {
        "id": job.id,
        "room": job.room,
        "scope": Scope(job.scope),
        "category": job.category,
        "name": job.name,
        "data": orjson.Fragment(job.data),
        "status": job.status,
        "version": job.version,
        "priority": job.priority,
        "user": job.user,
        "runner": RunnerKind(job.runner),
        "worker": job.worker,
        "attempt": job.attempt,
        "created_at": time_of(job.created_at_us),
        "assigned_at": _time_if(job.assigned_at_us),
        "started_at": _time_if(job.started_at_us),
        "completed_at": _time_if(job.completed_at_us),
        "wait_time_ms": job.wait_time_ms,
        "execution_time_ms": job.execution_time_ms,
        "progress": embedded(job.progress),
        "result": embedded(job.result),
        "error": _error(job, reader),
        "tries": job.tries,
        "retry_of": job.retry_of,
        "waiting_for": _waiting(job.waiting),
        "queue_position": job.queue_position,
        "eta_ms": job.eta_ms,
    }


def entry(answer: Accepted | WorkroomError, reader: Principal) -> shapes.JobEntry | shapes.ProblemEntry:
    """One of many: the job, or the problem that kept it out."""
    if isinstance(answer, WorkroomError):
        return {"error": problem(answer)}
    return {"job": job(answer.job(), reader)}


def brief_entry(answer: Accepted | WorkroomError) -> shapes.BriefEntry | shapes.ProblemEntry:
    """The same for who does not want to be told what they said."""
    if isinstance(answer, WorkroomError):
        return {"error": problem(answer)}
    return {"job": {"id": answer.id, "status": answer.status}}


def ordered(answer: Job | Saved, reader: Principal) -> shapes.Job | shapes.SavedSettings:
    """What an order comes to."""
    if isinstance(answer, Job):
        return job(answer, reader)
    data = orjson.Fragment(answer.data)
    return {"category": answer.category, "name": answer.name, "data": data, "saved": True}


def problem(error: WorkroomError) -> shapes.Problem:
    document = {
        **error.fields,
        "type": f"urn:workroom:{error.code}",
        "title": error.title(),
        "status": error.status,
        "code": error.code,
        "detail": error.detail,
    }
    return cast(shapes.Problem, document)


def _waiting(waiting: Waiting | None) -> shapes.WaitingFor | None:
    if waiting is None:
        return None
    return {
        "code": waiting.code,
        "key": waiting.key,
        "job": waiting.job,
        "until": _time_if(waiting.until_us),
    }


def _error(job: Job, reader: Principal | None) -> Any:
    """The stack trace is for the job's submitter, the extension's owner and admins."""
    if job.error is None:
        return None
    if reader is not None and sees_stack(reader, job):
        return orjson.Fragment(job.error)
    return {**orjson.loads(job.error), "stack_trace": None}


def transition(transition: Transition) -> shapes.Transition:
    return {
        "job_id": transition.job_id,
        "room": transition.room,
        "version": transition.version,
        "status": transition.status,
        "attempt": transition.attempt,
        "worker": transition.worker,
        "actor": transition.actor,
        "reason": transition.reason,
        "at": time_of(transition.at_us),
    }


def logs(lines: Sequence[LogLine], limit: int) -> shapes.JobLogs:
    """Of one line more than was asked for: is there a next page, and where does it begin?"""
    shown = lines[:limit]
    items = [cast(shapes.LogLine, {**line_document(line), "attempt": line.attempt}) for line in shown]
    return {"items": items, "next_after": shown[-1].seq if len(lines) > limit else None}


def extension(extension: Extension) -> shapes.Extension:
    spec = extension.spec
    return {
        "scope": spec.key.scope,
        "room": spec.key.room,
        "category": spec.key.category,
        "name": spec.key.name,
        "schema": orjson.Fragment(spec.schema),
        "schema_hash": spec.schema_hash,
        "runner": spec.runner,
        "owner": spec.owner,
        "policy": _policy(spec.policy),
        "paused": bool(extension.paused),
        "circuit_open": extension.opened_us is not None,
        **stats(extension),
    }


def _policy(policy: Policy) -> shapes.Policy:
    concurrency = policy.concurrency
    return {
        "priority": policy.priority,
        "retries": policy.retries,
        "retry_on": policy.retry_on,
        "timeout": policy.timeout,
        "concurrency": None if concurrency is None else _concurrency(concurrency),
        "actor": policy.actor,
    }


def _concurrency(concurrency: Concurrency) -> shapes.Concurrency:
    return {
        "key": concurrency.key,
        "limits": dict(concurrency.limits),
        "default": concurrency.default,
    }


def stats(extension: Extension) -> shapes.ExtensionStats:
    return {
        "idle_workers": extension.idle_workers,
        "busy_workers": extension.busy_workers,
        "pending_jobs": extension.pending_jobs,
    }


def usage(usage: ExtensionUsage) -> shapes.ExtensionUsage:
    return {
        **extension(usage.extension),
        "jobs": usage.jobs,
        "last_job_at": _time_if(usage.last_job_at_us),
    }


def worker(worker: Worker, shown: Callable[[ExtensionKey], bool] = lambda _: True) -> shapes.Worker:
    """`shown` says which of its extensions the reader may know of."""
    return {
        "id": worker.spec.id,
        "user": worker.spec.user,
        "name": worker.spec.name,
        "runner": RunnerKind(worker.spec.runner),
        "slots": worker.spec.slots,
        "machine": orjson.Fragment(worker.spec.machine),
        "state": worker.state,
        "since": time_of(worker.since_us),
        "draining": worker.draining,
        "registered_at": time_of(worker.registered_at_us),
        "assigned_jobs": worker.assigned,
        "running_jobs": worker.running,
        "extensions": [
            {"scope": key.scope, "room": key.room, "category": key.category, "name": key.name}
            for key in worker.extensions
            if shown(key)
        ],
    }


def room(room: Room) -> shapes.Room:
    return {
        "name": room.name,
        "title": room.title,
        "owner": room.owner,
        "private": room.private,
        "created_at": time_of(room.created_at_us),
    }


def chat_message(message: ChatMessage) -> shapes.ChatMessage:
    return {
        "seq": message.sequence,
        "room": message.room,
        "user": message.user,
        "text": message.text,
        "job_id": message.job_id,
        "at": time_of(message.at_us),
    }


def principal(who: Principal) -> shapes.Principal:
    expires_us = None if math.isinf(who.expires) else int(who.expires * 1_000_000)
    return {"user": who.user, "role": who.role, "room": who.room, "expires_at": _time_if(expires_us)}


def account(account: Account) -> shapes.Account:
    return {
        "name": account.name,
        "role": account.role,
        "has_password": account.password_hash is not None,
        "disabled": account.disabled,
        "created_at": time_of(account.created_at_us),
    }


def issued(issued: Issued) -> shapes.IssuedCode:
    return {"code": issued.code, "expires_at": time_of(issued.expires_us)}


def room_page(rooms: list[Room], limit: int) -> shapes.RoomPage:
    """Of one room more than was asked for: is there a next page, and where does it begin?"""
    shown = rooms[:limit]
    return {
        "items": [room(each) for each in shown],
        "next_after": shown[-1].name if len(rooms) > limit else None,
    }


def account_page(accounts: list[Account], limit: int) -> shapes.AccountPage:
    """The same for accounts."""
    shown = accounts[:limit]
    return {
        "items": [account(each) for each in shown],
        "next_after": shown[-1].name if len(accounts) > limit else None,
    }


def assignment(assignment: Assignment) -> Document:
    return {
        **fence(assignment.fence),
        "number": assignment.number,
        "room": assignment.room,
        "user": assignment.user,
        "scope": assignment.extension.scope,
        "category": assignment.extension.category,
        "name": assignment.extension.name,
        "timeout_ms": None if assignment.timeout is None else assignment.timeout * 1000,
        "data": embedded(assignment.data),
    }


def artifact(artifact: Artifact) -> shapes.Artifact:
    return {
        "name": artifact.name,
        "kind": artifact.kind,
        "media_type": artifact.media_type,
        "size": artifact.blob.size,
        "sha256": artifact.blob.sha256,
        "created_at": time_of(artifact.created_at_us),
        "attempt": artifact.attempt,
    }


def preview(preview: Preview) -> shapes.Preview:
    return {
        "kind": preview.kind,
        "version": preview.version,
        "size": preview.blob.size,
        "sha256": preview.blob.sha256,
    }


def room_file(file: RoomFile) -> shapes.RoomFile:
    return {
        "id": file.id,
        "room": file.room,
        "name": file.name,
        "kind": file.kind,
        "media_type": file.media_type,
        "size": file.blob.size,
        "sha256": file.blob.sha256,
        "user": file.user,
        "created_at": time_of(file.created_at_us),
    }


def fence(fence: Fence) -> shapes.Fence:
    return {"job_id": fence.job_id, "attempt": fence.attempt, "token": fence.token}


def reconciled(reconciled: Reconciled) -> shapes.Reconciled:
    return {
        "drop": [fence(each) for each in reconciled.drop],
        "cancel": [fence(each) for each in reconciled.cancel],
    }
