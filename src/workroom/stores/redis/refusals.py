"""What the scripts refuse, as errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from workroom.errors import (
    ExtensionNotFound,
    Forbidden,
    IdempotencyConflict,
    IllegalTransition,
    JobNotFound,
    RoomNotFound,
    SchemaConflict,
    StaleAttempt,
    StaleSession,
    WorkerNotFound,
    WorkroomError,
)


class Conflict(Exception):
    """An extension stands in the way of one that is to be registered; the domain says how."""

    def __init__(self, index: int, key: Sequence[str], schema_hash: str, runner: str) -> None:
        self.index = index - 1
        self.key = key
        self.schema_hash = schema_hash
        self.runner = runner
        super().__init__()


_REFUSALS: dict[str, Callable[..., Exception]] = {
    "already_ended": lambda status: IllegalTransition(f"the job is already {status}", job_status=status),
    "circuit_open": lambda: StaleAttempt(
        "the extension's circuit is open: the job is pending again", job_status="pending"
    ),
    "conflict": Conflict,
    "extension_not_found": ExtensionNotFound,
    "forbidden": lambda: Forbidden("this worker belongs to somebody else"),
    "idempotency_conflict": IdempotencyConflict,
    "illegal_transition": lambda status, wanted: IllegalTransition(
        f"a job that is {status} cannot become {wanted}"
    ),
    "job_not_found": JobNotFound,
    "no_archive": lambda: RuntimeError(
        "jobs of this store are in an archive: set WORKROOM_ARCHIVE to it, as for its other servers"
    ),
    "other_archive": lambda: RuntimeError(
        "the archive of this store is another one than WORKROOM_ARCHIVE names: all its servers share one"
    ),
    "other_version": lambda version, known: RuntimeError(
        f"the store is of version {version}, made by {'a newer' if version > known else 'an older'} Workroom;"
        f" this one knows {known}"
    ),
    "room_not_found": lambda room: RoomNotFound(f"there is no room '{room}'", room=room),
    "schema_conflict": lambda: SchemaConflict(
        "the extension's schema changed while the job was submitted: try again"
    ),
    "stale_attempt": lambda status: StaleAttempt(
        f"this attempt no longer holds the job, which is {status}", job_status=status
    ),
    "stale_session": StaleSession,
    "worker_not_found": WorkerNotFound,
}


def refusal(code: str, fields: Sequence[Any] | None = None) -> Exception:
    """Why a verb was refused as a whole."""
    return _REFUSALS[code](*(fields or ()))


def answer(told: Sequence[Any] | bool) -> WorkroomError | None:
    """Why one item of a batch was refused, if it was."""
    if isinstance(told, bool):
        return None
    error = _REFUSALS[told[0]](*told[1:])
    assert isinstance(error, WorkroomError)
    return error
