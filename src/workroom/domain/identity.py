"""Principals, accounts, roles, and codes for invites and pairing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workroom.domain.job import Fence

SERVER = "workroom:server"  # owns the server's own extensions; no account name contains a colon
ADMIN = "admin"  # the account behind the admin link and WORKROOM_ADMIN_PASSWORD


class Role(StrEnum):
    GUEST = "guest"  # a person with a name but no password
    USER = "user"  # a person with a password
    ADMIN = "admin"
    WORKER = "worker"  # a machine: offers extensions and runs their jobs, but does not enter rooms
    RUNNER = "runner"  # runs the server's own extensions: its local processes, or a Celery fleet
    JOB = "job"  # a running job
    VIEWER = "viewer"  # a view link: reads one room in the name of who made it, and changes nothing


class MemberRole(StrEnum):
    """What a member may do in a private room."""

    MEMBER = "member"
    VIEWER = "viewer"  # reads, and changes nothing


PEOPLE = frozenset({Role.GUEST, Role.USER, Role.ADMIN})


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of a token. `room` binds it to one room, `job` to one attempt in it.

    Tokens that were renewed from one another belong to one login session and end with it.
    """

    user: str
    role: Role
    session: str = ""
    epoch: int = 0
    expires: float = float("inf")
    session_expires: float = 0.0  # latest expiry among the session's tokens, as far as known
    room: str | None = None
    job: Fence | None = None
    is_identified: bool = False  # by the application around this server; renewing does not prolong the token

    @property
    def is_admin(self) -> bool:
        return self.role is Role.ADMIN

    @property
    def is_runner(self) -> bool:
        return self.role is Role.RUNNER


@dataclass(frozen=True, slots=True)
class Account:
    """A registered id and its display name. Tokens of an older epoch are revoked."""

    name: str
    role: Role
    password_hash: str | None = None
    epoch: int = 0
    disabled: bool = False
    created_at_us: int = 0
    display_name: str = ""


class CodeKind(StrEnum):
    ADMIN = "admin"  # the link that `serve` prints
    INVITE = "invite"  # makes its holder a member or a viewer of a room
    PAIR = "pair"  # makes a machine a worker of a room


@dataclass(frozen=True, slots=True)
class Code:
    """An invite, a pairing code or an admin link. Only its digest is stored.

    An invite has the role of a membership, the others have the role of an account.
    """

    digest: str
    kind: CodeKind
    user: str
    role: Role | MemberRole
    room: str | None
    expires_us: int
    uses: int = 1


def code_role(kind: CodeKind, text: str) -> Role | MemberRole:
    return MemberRole(text) if kind is CodeKind.INVITE else Role(text)
