"""What administrators and owners did. What happened to jobs is in their own histories."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MAX_TARGET, MAX_DETAIL = 200, 500


class AuditAction(StrEnum):
    USER_ADDED = "user_added"
    USER_CHANGED = "user_changed"
    TOKEN_CREATED = "token_created"  # noqa: S105 - a name
    TOKENS_REVOKED = "tokens_revoked"
    ROOM_CHANGED = "room_changed"
    ROOM_DELETED = "room_deleted"
    MEMBER_ADDED = "member_added"
    MEMBER_REMOVED = "member_removed"
    WORKER_ACCEPTED = "worker_accepted"
    WORKER_DRAINED = "worker_drained"
    WORKER_DISMISSED = "worker_dismissed"
    EXTENSION_PAUSED = "extension_paused"
    EXTENSION_RESUMED = "extension_resumed"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """`detail` states what changed, in a few words and without secrets."""

    sequence: int
    at_us: int
    actor: str
    action: AuditAction
    target: str
    detail: str
