"""The whole exception tree: code, HTTP status and message of everything that can go wrong.

WorkroomError
├── MalformedJson 400          ├── StaleAttempt 409         ├── StoreUnavailable 503
├── Unauthenticated 401        ├── StaleSession 409         ├── ServerUnreachable (client)
├── Forbidden 403              ├── IllegalTransition 409    ├── JobFailed (client)
│   └── ForeignOrigin          ├── NameTaken 409            ├── JobCancelled (client, run())
├── NotFound 404               ├── BodyTooLarge 413         └── ResultTimeout (client)
│   ├── RoomNotFound           ├── UnsupportedEncoding 415
│   ├── ExtensionNotFound      ├── UnknownHost 421
│   ├── JobNotFound            ├── InvalidRequest 422
│   ├── WorkerNotFound         ├── InvalidData 422
│   ├── AccountNotFound        ├── InvalidName 422
│   ├── ArtifactNotFound       ├── DigestMismatch 422
│   ├── PreviewNotFound        ├── RangeNotSatisfiable 416
│   └── FileNotFound
├── MethodNotAllowed 405       ├── InvalidSchema 422
├── SchemaConflict 409         ├── UnknownActor 422
└── NameReserved 409           ├── IdempotencyConflict 422
                               └── TooManyRequests 429
"""

from __future__ import annotations

from typing import Any, ClassVar


class WorkroomError(Exception):
    """Something went wrong inside Workroom."""

    code: ClassVar[str] = "internal_error"
    status: ClassVar[int] = 500

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


class Unauthenticated(WorkroomError):
    """A valid token is needed: log in first."""

    code = "unauthenticated"
    status = 401


class Forbidden(WorkroomError):
    """You may see this but not do that."""

    code = "forbidden"
    status = 403


class ForeignOrigin(Forbidden):
    """A page of another site may not do this here."""

    code = "foreign_origin"


class NotFound(WorkroomError):
    """There is nothing here."""

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


class WorkerNotFound(NotFound):
    """There is no such worker: register it first."""

    code = "worker_not_found"


class AccountNotFound(NotFound):
    """There is no such account."""

    code = "account_not_found"


class ArtifactNotFound(NotFound):
    """The job has saved nothing by that name."""

    code = "artifact_not_found"


class PreviewNotFound(NotFound):
    """The job has shown nothing."""

    code = "preview_not_found"


class FileNotFound(NotFound):
    """There is no such file in this room."""

    code = "file_not_found"


class MethodNotAllowed(WorkroomError):
    """This address does not take that method."""

    code = "method_not_allowed"
    status = 405


class SchemaConflict(WorkroomError):
    """An extension of this name is registered with another schema."""

    code = "schema_conflict"
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


class IllegalTransition(WorkroomError):
    """The job cannot go from its status to that one."""

    code = "illegal_transition"
    status = 409


class BodyTooLarge(WorkroomError):
    """The request body is larger than the server accepts."""

    code = "body_too_large"
    status = 413


class UnsupportedEncoding(WorkroomError):
    """Bodies are read as they are: send them without a Content-Encoding."""

    code = "unsupported_encoding"
    status = 415


class RangeNotSatisfiable(WorkroomError):
    """The file has no such part."""

    code = "range_not_satisfiable"
    status = 416


class UnknownHost(WorkroomError):
    """This server does not go by that name."""

    code = "unknown_host"
    status = 421


class InvalidRequest(WorkroomError):
    """The request does not have the expected form."""

    code = "invalid_request"
    status = 422


class InvalidData(WorkroomError):
    """The values do not fit the extension's schema."""

    code = "invalid_data"
    status = 422


class InvalidName(WorkroomError):
    """This name is not allowed."""

    code = "invalid_name"
    status = 422


class UnknownActor(WorkroomError):
    """There is no such actor."""

    code = "unknown_actor"
    status = 422


class DigestMismatch(WorkroomError):
    """What arrived is not what was sent: its digest is another."""

    code = "digest_mismatch"
    status = 422


class IdempotencyConflict(WorkroomError):
    """This Idempotency-Key came before with another request."""

    code = "idempotency_conflict"
    status = 422


class InvalidSchema(WorkroomError):
    """The extension's schema cannot be used."""

    code = "invalid_schema"
    status = 422


class TooManyRequests(WorkroomError):
    """That was too much at once: wait a little."""

    code = "too_many_requests"
    status = 429


class StoreUnavailable(WorkroomError):
    """The store cannot keep this promise right now: nothing was changed, try again."""

    code = "store_unavailable"
    status = 503


class ServerUnreachable(WorkroomError):
    """The server cannot be reached."""

    code = "server_unreachable"
    status = 503


class JobFailed(WorkroomError):
    """The job failed."""

    code = "job_failed"


class JobCancelled(WorkroomError):
    """The job was cancelled."""

    code = "job_cancelled"


class ResultTimeout(WorkroomError):
    """The job is not finished yet."""

    code = "result_timeout"


def _tree(root: type[WorkroomError]) -> list[type[WorkroomError]]:
    return [root, *(leaf for branch in root.__subclasses__() for leaf in _tree(branch))]


def from_code(code: str, detail: str | None = None, **fields: Any) -> WorkroomError:
    """The exception that a problem document of the server stands for."""
    kinds = {kind.code: kind for kind in _tree(WorkroomError)}
    return kinds.get(code, WorkroomError)(detail, **fields)
