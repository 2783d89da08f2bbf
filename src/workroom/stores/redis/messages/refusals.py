"""Converts refusals of scripts to exceptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from workroom.domain.extension import ExtensionKey
from workroom.domain.rules import refusals
from workroom.domain.worker import worker_dismissed
from workroom.errors import (
    ExtensionNotFound,
    GroupNotFound,
    GroupOpen,
    IdempotencyConflict,
    JobNotFound,
    StaleSession,
    StartRefused,
    StoreReplaced,
    WorkerNotFound,
    WorkroomError,
)


def other_version(version: int, known: int) -> str:
    age, remedy = ("a newer", "install that one") if version > known else ("an older", "use another database")
    return f"the store is of version {version}, made by {age} Workroom; this one knows {known}: {remedy}"


def _key(room: str, category: str, name: str) -> ExtensionKey:
    return ExtensionKey(room or None, category, name)


_REFUSALS: dict[str, Callable[..., Exception]] = {
    "already_ended": refusals.already_ended,
    "circuit_open": refusals.circuit_open,
    "data_quota": refusals.data_quota,
    "record_quota": refusals.record_quota,
    "document_not_found": refusals.document_not_found,
    "duplicate_job": refusals.duplicate_job,
    "exchange_quota": refusals.exchange_quota,
    "extension_not_found": ExtensionNotFound,
    "external_taken": refusals.external_taken,
    "forbidden": refusals.foreign_worker,
    "group_cancelled": refusals.group_cancelled,
    "group_closed": refusals.group_closed,
    "group_not_found": GroupNotFound,
    "group_open": GroupOpen,
    "idempotency_conflict": IdempotencyConflict,
    "illegal_transition": refusals.illegal_transition,
    "job_not_found": JobNotFound,
    "lock_lost": refusals.lock_lost,
    "locked": lambda target, holder, job, *rest: refusals.locked(target, holder, job or None, *rest),
    "name_reserved": lambda key: refusals.name_reserved(_key(*key)),
    "not_queued": refusals.not_queued,
    "no_archive": lambda: StartRefused(
        "this store has jobs in an archive: set WORKROOM_ARCHIVE as on its other servers"
    ),
    "other_archive": lambda: StartRefused(
        "WORKROOM_ARCHIVE names another archive than the one this store uses: all its servers share one"
    ),
    "other_version": lambda version, known: StartRefused(other_version(version, known)),
    "not_awaiting": refusals.no_request,
    "nothing_to_revert": refusals.nothing_to_revert,
    "other_schema": lambda key, *hashes: refusals.other_schema(_key(*key), *hashes),
    "piece_not_found": refusals.piece_not_found,
    "question_closed": lambda verdict, by, status: refusals.question_closed(verdict, by or None, status),
    "question_not_found": refusals.question_not_found,
    "room_not_found": refusals.room_not_found,
    "schema_conflict": refusals.schema_changed,
    "stale_attempt": refusals.stale_attempt,
    "stale_session": StaleSession,
    "store_replaced": StoreReplaced,
    "too_many_frames": refusals.too_many_frames,
    "version_conflict": refusals.version_conflict,
    "version_not_found": refusals.version_not_found,
    "worker_dismissed": worker_dismissed,
    "worker_not_found": WorkerNotFound,
}


def refusal(code: str, fields: Sequence[Any] | None = None) -> Exception:
    """Return the exception for a verb that was refused as a whole."""
    return _REFUSALS[code](*(fields or ()))


def item_refusal(row: Sequence[Any] | bool) -> WorkroomError | None:
    """Return the error of one item of a batch, or None if it was accepted."""
    if isinstance(row, bool):
        return None
    error = _REFUSALS[row[0]](*row[1:])
    assert isinstance(error, WorkroomError)
    return error
