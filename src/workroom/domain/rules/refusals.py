"""The errors with which every store refuses a step: one text for each reason."""

from __future__ import annotations

from collections.abc import Sequence

from workroom.domain.extension import ExtensionKey
from workroom.errors import (
    DocumentNotFound,
    Forbidden,
    IllegalTransition,
    Locked,
    LockLost,
    NameReserved,
    NothingToRevert,
    PieceNotFound,
    QuotaExceeded,
    RoomNotFound,
    SchemaConflict,
    StaleAttempt,
    VersionConflict,
    VersionNotFound,
    WorkerNotFound,
)


def stale_attempt(status: str) -> StaleAttempt:
    return StaleAttempt(f"this attempt no longer holds the job, which is {status}", job_status=status)


def circuit_open() -> StaleAttempt:
    return StaleAttempt("the extension's circuit is open: the job is pending again", job_status="pending")


def illegal_transition(status: str, reported: str) -> IllegalTransition:
    return IllegalTransition(f"a job that is {status} cannot become {reported}")


def already_ended(status: str) -> IllegalTransition:
    return IllegalTransition(f"the job is already {status}", job_status=status)


def schema_changed() -> SchemaConflict:
    """The extension was registered again after the values were validated."""
    return SchemaConflict("the extension's schema changed while the job was submitted: try again")


def name_reserved(registered: ExtensionKey) -> NameReserved:
    return NameReserved(f"'{registered}' is an extension of the server", extension=str(registered))


def other_schema(registered: ExtensionKey, registered_hash: str, offered_hash: str) -> SchemaConflict:
    return SchemaConflict(
        f"'{registered}' is registered with another schema: stop its workers or choose another name",
        extension=str(registered),
        scope=registered.scope,
        registered_hash=registered_hash,
        offered_hash=offered_hash,
    )


def room_not_found(room: str) -> RoomNotFound:
    return RoomNotFound(f"there is no room '{room}'", room=room)


def foreign_worker() -> Forbidden:
    return Forbidden("this worker belongs to another user")


def no_request() -> WorkerNotFound:
    return WorkerNotFound("this worker has not requested consent for that extension")


def locked(target: str, holder: str, job_id: str | None, message: str, age_us: int) -> Locked:
    who = f"a job of {holder}" if job_id else holder
    note = f": {message}" if message else ""
    age_ms = max(0, age_us // 1000)
    return Locked(
        f"{who} holds the lock on '{target}' since {age_ms / 1000:.0f} s{note}",
        target=target,
        holder=holder,
        job_id=job_id,
        message=message,
        age_ms=age_ms,
    )


def lock_queue(target: str, ahead: int) -> Locked:
    """Nobody holds the lock, but others have waited longer for it."""
    return Locked(
        f"{ahead} others wait for the lock on '{target}'",
        target=target,
        holder=None,
        job_id=None,
        message="",
        age_ms=0,
        ahead=ahead,
    )


def lock_lost(target: str) -> LockLost:
    return LockLost(f"the lock on '{target}' has expired or was broken: acquire it again", target=target)


def version_conflict(key: str, version: int) -> VersionConflict:
    state = f"has version {version}" if version else "does not exist"
    return VersionConflict(f"the document '{key}' {state}: read it again", key=key, version=version)


def document_not_found(key: str) -> DocumentNotFound:
    return DocumentNotFound(f"this room has no document '{key}'", key=key)


def version_not_found(number: int) -> VersionNotFound:
    return VersionNotFound(f"this room keeps no version {number}", number=number)


def nothing_to_revert(what: str) -> NothingToRevert:
    return NothingToRevert(f"there is nothing to {what}")


def piece_not_found(pieces: Sequence[str]) -> PieceNotFound:
    return PieceNotFound(
        f"{len(pieces):,} of the pieces are not stored: upload them again", pieces=list(pieces)
    )


def too_many_frames(limit: int, length: int) -> QuotaExceeded:
    text = f"a room may have {limit:,} frames; with these it would have {length:,}"
    return QuotaExceeded(text, quota="frames_per_room", limit=limit, used=length)


_QUOTAS = {
    "locks_per_room": "a room may have {limit:,} locks",
    "locks_per_user": "a user may hold or await {limit:,} locks in a room",
    "waiters_per_lock": "{limit:,} may wait for a lock",
    "documents_per_room": "a room may have {limit:,} documents",
    "document_bytes_per_room": "the documents of a room may have {limit:,} bytes",
}


def data_quota(quota: str, limit: int, used: int) -> QuotaExceeded:
    text = _QUOTAS[quota].format(limit=limit)
    return QuotaExceeded(f"{text}; there are {used:,} already", quota=quota, limit=limit, used=used)
