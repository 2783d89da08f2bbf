"""The errors with which every store refuses a step: one text for each reason."""

from __future__ import annotations

from workroom.domain.extension import ExtensionKey
from workroom.errors import (
    Forbidden,
    IllegalTransition,
    NameReserved,
    RoomNotFound,
    SchemaConflict,
    StaleAttempt,
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
