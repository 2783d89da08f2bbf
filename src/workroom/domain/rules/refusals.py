"""The errors with which every store refuses a step: one text for each reason."""

from __future__ import annotations

from collections.abc import Sequence

from workroom.domain.extension import ExtensionKey
from workroom.errors import (
    DocumentNotFound,
    DuplicateJob,
    ExternalTaken,
    Forbidden,
    GroupClosed,
    IllegalTransition,
    Locked,
    LockLost,
    NameReserved,
    NothingToRevert,
    PieceNotFound,
    QuestionClosed,
    QuestionNotFound,
    QuotaExceeded,
    RecordNotFound,
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


def duplicate_job(job_id: str) -> DuplicateJob:
    return DuplicateJob(f"job {job_id} has the same unique key", job_id=job_id)


def illegal_transition(status: str, reported: str) -> IllegalTransition:
    return IllegalTransition(f"a job that is {status} cannot become {reported}")


def already_ended(status: str) -> IllegalTransition:
    return IllegalTransition(f"the job is already {status}", job_status=status)


def not_queued() -> IllegalTransition:
    return IllegalTransition("the job is not in the queue yet", job_status="pending")


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


_RECORD_QUOTAS = {
    "documents_per_room": ("records_per_room", "a room may have {limit:,} records"),
    "document_bytes_per_room": ("record_bytes_per_room", "the records of a room may have {limit:,} bytes"),
}


def record_quota(quota: str, limit: int, used: int) -> QuotaExceeded:
    """The rule for documents decides on records too."""
    name, text = _RECORD_QUOTAS[quota]
    detail = f"{text.format(limit=limit)}; there are {used:,} already"
    return QuotaExceeded(detail, quota=name, limit=limit, used=used)


def record_not_found(kind: str, id: str) -> RecordNotFound:
    return RecordNotFound(f"this room has no record '{id}' of kind '{kind}'", kind=kind, id=id)


def data_quota(quota: str, limit: int, used: int) -> QuotaExceeded:
    text = _QUOTAS[quota].format(limit=limit)
    return QuotaExceeded(f"{text}; there are {used:,} already", quota=quota, limit=limit, used=used)


def group_cancelled() -> GroupClosed:
    return GroupClosed("this group was cancelled")


def group_closed() -> GroupClosed:
    return GroupClosed("this group takes no more jobs: submit them as another group")


def external_taken(provider: str, id: str) -> ExternalTaken:
    return ExternalTaken(
        f"'{provider}' has accepted this job as '{id}': the first id counts", provider=provider, id=id
    )


def exchange_quota(entries: int, size: int) -> QuotaExceeded:
    text = f"a job may have {entries:,} external ids, intents and questions, with {size:,} bytes in all"
    return QuotaExceeded(text, quota="exchanges_per_job", limit=entries)


def question_not_found(number: int) -> QuestionNotFound:
    return QuestionNotFound(f"this job has no question {number}", question=number)


_CLOSED = {
    "answered": "{by} has answered this question already",
    "expired": "the time to answer this question is over",
    "ended": "the job is {status}: its questions cannot be answered any more",
}


def question_closed(verdict: str, by: str | None, status: str) -> QuestionClosed:
    """`verdict` is why the question takes no answer."""
    return QuestionClosed(_CLOSED[verdict].format(by=by, status=status), reason=str(verdict), by=by)
