"""The whole exception tree: code, HTTP status, message and `retryable` of every error.

WorkroomError
├── MalformedJson 400          ├── StaleAttempt 409         ├── StoreUnavailable 503
├── Unauthenticated 401        ├── StaleSession 409         │   ├── StoreReplaced
├── Forbidden 403              ├── IllegalTransition 409    │   ├── StoreUnsafe
│   ├── ForeignOrigin          ├── NameTaken 409            │   └── StoreDamaged
│   ├── QuotaExceeded          ├── StorageFull 507          ├── ServerUnreachable (client)
│   └── WorkerDismissed        │                            ├── JobFailed (client)
├── NotFound 404               ├── BodyTooLarge 413         ├── JobCancelled (client, run())
│   ├── RoomNotFound           ├── UnsupportedEncoding 415  └── ResultTimeout (client)
│   ├── ExtensionNotFound      ├── UnknownHost 421
│   ├── JobNotFound            ├── InvalidRequest 422
│   ├── GroupNotFound          ├── GroupClosed 409, GroupOpen 409
│   ├── WorkerNotFound         ├── InvalidData 422
│   ├── AccountNotFound        ├── InvalidName 422
│   ├── ArtifactNotFound       ├── DigestMismatch 422
│   ├── PreviewNotFound        ├── RangeNotSatisfiable 416
│   ├── FileNotFound
│   └── PresetNotFound         └── NotStarted 503
├── MethodNotAllowed 405       ├── InvalidSchema 422
├── SchemaConflict 409         ├── UnknownActor 422
├── NoSession 409              ├── IdempotencyConflict 422
├── Busy 503                   ├── TooManyRequests 429
├── HeadTooLarge 431           ├── MalformedRequest 400
├── TooManyConnections 503     └── RequestTimeout 408
├── SecretsUnreadable 410      ├── Locked 423
├── NameReserved 409           ├── LockLost 409
├── DuplicateJob 409           │
├── VersionConflict 412        └── NothingToRevert 409
├── ArrayNotFound 409          ├── InvalidFrames 422
├── DocumentNotFound           ├── LengthMismatch 422
├── QuestionNotFound           ├── ExternalTaken 409
├── VersionNotFound            ├── QuestionClosed 409
├── FrameNotFound              └── AnswerTimeout (run())
├── RecordNotFound
└── PieceNotFound (these six: NotFound)
"""

from __future__ import annotations

from typing import Any, ClassVar


class WorkroomError(Exception):
    """Something went wrong inside Workroom."""

    code: ClassVar[str] = "internal_error"
    status: ClassVar[int] = 500
    retryable: bool = False  # True: the same request may succeed later. False: it never will.

    def __init__(self, detail: str | None = None, **fields: Any) -> None:
        self.detail = detail or self.title()
        self.fields = fields
        super().__init__(self.detail)

    @classmethod
    def title(cls) -> str:
        return (cls.__doc__ or cls.__name__).strip().splitlines()[0]


class MalformedJson(WorkroomError):
    """The body is not valid JSON."""

    code = "malformed_json"
    status = 400


class MalformedRequest(WorkroomError):
    """This is not an HTTP request."""

    code = "malformed_request"
    status = 400


class Unauthenticated(WorkroomError):
    """A valid token is required: log in first."""

    code = "unauthenticated"
    status = 401
    retryable = True


class Forbidden(WorkroomError):
    """You do not have permission to do this."""

    code = "forbidden"
    status = 403


class ForeignOrigin(Forbidden):
    """Requests from pages of other sites are not allowed."""

    code = "foreign_origin"


class QuotaExceeded(Forbidden):
    """The quota is used up: delete something, or contact an admin."""

    code = "quota_exceeded"


class WorkerDismissed(Forbidden):
    """This worker was dismissed and may not return."""

    code = "worker_dismissed"


class NotFound(WorkroomError):
    """Not found."""

    code = "not_found"
    status = 404


class RoomNotFound(NotFound):
    """There is no such room."""

    code = "room_not_found"


class ExtensionNotFound(NotFound):
    """There is no such extension in this room."""

    code = "extension_not_found"


class JobNotFound(NotFound):
    """There is no such job."""

    code = "job_not_found"


class GroupNotFound(NotFound):
    """There is no such group."""

    code = "group_not_found"


class WorkerNotFound(NotFound):
    """There is no such worker: register it first."""

    code = "worker_not_found"
    retryable = True


class AccountNotFound(NotFound):
    """There is no such account."""

    code = "account_not_found"


class ArtifactNotFound(NotFound):
    """The job has no artifact of that name."""

    code = "artifact_not_found"


class PreviewNotFound(NotFound):
    """The job has no preview."""

    code = "preview_not_found"


class FileNotFound(NotFound):
    """There is no such file in this room."""

    code = "file_not_found"


class PresetNotFound(NotFound):
    """There is no such preset."""

    code = "preset_not_found"


class DocumentNotFound(NotFound):
    """The room has no document of that key."""

    code = "document_not_found"


class RecordNotFound(NotFound):
    """The room has no record of that kind and id."""

    code = "record_not_found"


class QuestionNotFound(NotFound):
    """The job has no such question."""

    code = "question_not_found"


class FrameNotFound(NotFound):
    """The room has no frame of that index."""

    code = "frame_not_found"


class PieceNotFound(NotFound):
    """A piece is not stored, or not any more: upload it again."""

    code = "piece_not_found"


class VersionNotFound(NotFound):
    """The room does not keep this version, or not any more."""

    code = "version_not_found"


class MethodNotAllowed(WorkroomError):
    """This path does not support that method."""

    code = "method_not_allowed"
    status = 405


class RequestTimeout(WorkroomError):
    """The request did not arrive in time."""

    code = "request_timeout"
    status = 408
    retryable = True


class SchemaConflict(WorkroomError):
    """An extension of this name is registered with another schema."""

    code = "schema_conflict"
    status = 409


class DuplicateJob(WorkroomError):
    """A job with the same unique key exists."""

    code = "duplicate_job"
    status = 409


class NameReserved(WorkroomError):
    """This name belongs to an extension of the server."""

    code = "name_reserved"
    status = 409


class NameTaken(WorkroomError):
    """This name is taken."""

    code = "name_taken"
    status = 409


class StaleAttempt(WorkroomError):
    """This attempt no longer holds the job."""

    code = "stale_attempt"
    status = 409


class StaleSession(WorkroomError):
    """A newer session of this worker has taken over."""

    code = "stale_session"
    status = 409


class NoSession(WorkroomError):
    """Send worker:hello on this connection first."""

    code = "no_session"
    status = 409
    retryable = True


class SecretsUnreadable(WorkroomError):
    """This job's secret values can no longer be decrypted: the server's key has changed. Submit it again."""

    code = "secrets_unreadable"
    status = 410


class IllegalTransition(WorkroomError):
    """The job cannot change from its state to that one."""

    code = "illegal_transition"
    status = 409


class GroupClosed(WorkroomError):
    """This group takes no more jobs."""

    code = "group_closed"
    status = 409


class GroupOpen(WorkroomError):
    """Jobs can wait for a group once it is closed."""

    code = "group_open"
    status = 409


class ExternalTaken(WorkroomError):
    """The provider has accepted this job under another id."""

    code = "external_taken"
    status = 409


class QuestionClosed(WorkroomError):
    """This question cannot be answered any more."""

    code = "question_closed"
    status = 409


class LockLost(WorkroomError):
    """This lock has expired or was broken: acquire it again."""

    code = "lock_lost"
    status = 409


class NothingToRevert(WorkroomError):
    """There is nothing to undo, redo or restore."""

    code = "nothing_to_revert"
    status = 409


class VersionConflict(WorkroomError):
    """The document has changed: read it again."""

    code = "version_conflict"
    status = 412


class Locked(WorkroomError):
    """Somebody else holds a lock on this."""

    code = "locked"
    status = 423
    retryable = True


class BodyTooLarge(WorkroomError):
    """The request body is larger than the server accepts."""

    code = "body_too_large"
    status = 413


class UnsupportedEncoding(WorkroomError):
    """Send the body without a Content-Encoding."""

    code = "unsupported_encoding"
    status = 415


class RangeNotSatisfiable(WorkroomError):
    """The file has no such range."""

    code = "range_not_satisfiable"
    status = 416


class UnknownHost(WorkroomError):
    """This server is not known by that name."""

    code = "unknown_host"
    status = 421


class InvalidRequest(WorkroomError):
    """The request does not have the expected form."""

    code = "invalid_request"
    status = 422


class InvalidData(WorkroomError):
    """The values do not match the extension's schema."""

    code = "invalid_data"
    status = 422


class InvalidFrames(WorkroomError):
    """The body is not a valid message of frames."""

    code = "invalid_frames"
    status = 422


class LengthMismatch(WorkroomError):
    """As many frames must be assigned as the slice has."""

    code = "length_mismatch"
    status = 422


class ArrayNotFound(WorkroomError):
    """A message refers to an array that is not stored: send it whole."""

    code = "array_not_found"
    status = 409


class InvalidName(WorkroomError):
    """This name is not allowed."""

    code = "invalid_name"
    status = 422


class UnknownActor(WorkroomError):
    """There is no such actor."""

    code = "unknown_actor"
    status = 422


class DigestMismatch(WorkroomError):
    """The digest does not match the bytes that arrived."""

    code = "digest_mismatch"
    status = 422
    retryable = True


class IdempotencyConflict(WorkroomError):
    """This Idempotency-Key was used before with another request."""

    code = "idempotency_conflict"
    status = 422


class InvalidSchema(WorkroomError):
    """The extension's schema cannot be used."""

    code = "invalid_schema"
    status = 422


class TooManyRequests(WorkroomError):
    """Too many requests: wait a moment."""

    code = "too_many_requests"
    status = 429
    retryable = True


class Busy(WorkroomError):
    """The server is overloaded: try again shortly."""

    code = "busy"
    status = 503
    retryable = True


class HeadTooLarge(WorkroomError):
    """The first line and headers of the request are larger than the server accepts."""

    code = "head_too_large"
    status = 431


class TooManyConnections(WorkroomError):
    """The server has reached its limit of connections: try again later."""

    code = "too_many_connections"
    status = 503
    retryable = True


class StoreUnavailable(WorkroomError):
    """The store is not available: nothing was changed. Try again."""

    code = "store_unavailable"
    status = 503
    retryable = True


class NotStarted(WorkroomError):
    """Workroom is mounted in an application that did not start it."""

    code = "not_started"
    status = 503


class StoreReplaced(StoreUnavailable):
    """This is not the store that the server worked on before: nothing was changed. Contact an admin."""

    code = "store_replaced"


class StoreUnsafe(StoreUnavailable):
    """The store may lose what it accepts: nothing was changed. Contact an admin."""

    code = "store_unsafe"


class StoreDamaged(StoreUnavailable):
    """The store is damaged: nothing was changed. Contact an admin."""

    code = "store_damaged"


class StorageFull(WorkroomError):
    """The server's disk is almost full: nothing was stored. Contact an admin."""

    code = "storage_full"
    status = 507
    retryable = True


class ServerUnreachable(WorkroomError):
    """The server cannot be reached."""

    code = "server_unreachable"
    status = 503
    retryable = True


class JobFailed(WorkroomError):
    """The job failed."""

    code = "job_failed"


class JobCancelled(WorkroomError):
    """The job was cancelled."""

    code = "job_cancelled"


class ResultTimeout(WorkroomError):
    """The job is not finished yet."""

    code = "result_timeout"
    retryable = True


class AnswerTimeout(WorkroomError):
    """Nobody answered the question in time."""

    code = "answer_timeout"


class StartRefused(RuntimeError):
    """The server cannot start. The message states why and what to do; it is printed and never sent."""


class BackupFailed(RuntimeError):
    """A backup cannot be made or restored. The message states why; it is printed and never sent."""


def _tree(root: type[WorkroomError]) -> list[type[WorkroomError]]:
    return [root, *(leaf for branch in root.__subclasses__() for leaf in _tree(branch))]


def from_code(code: str, detail: str | None = None, **fields: Any) -> WorkroomError:
    """The exception for a problem document of the server."""
    kinds = {kind.code: kind for kind in _tree(WorkroomError)}
    return kinds.get(code, WorkroomError)(detail, **fields)
