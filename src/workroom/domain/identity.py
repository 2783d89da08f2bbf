"""Who is asking."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from workroom.domain.job import Fence
from workroom.errors import InvalidName

SERVER = "workroom:server"  # owns what the server itself serves; no account can have a colon in its name
ADMIN = "admin"  # the account that the admin link and WORKROOM_ADMIN_PASSWORD open
_RESERVED = frozenset({"me", "public", "global", "server", "system", "workroom"})
_USER = re.compile(r"[\w.@-]{1,64}")


class Role(StrEnum):
    GUEST = "guest"  # a person who gave a name
    USER = "user"  # a person with a password
    ADMIN = "admin"
    WORKER = "worker"  # a machine: offers extensions and runs their jobs, enters no room
    RUNNER = "runner"  # runs the server's own extensions: its local processes, or a Celery fleet
    JOB = "job"  # a job, while it runs


PEOPLE = frozenset({Role.GUEST, Role.USER, Role.ADMIN})


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a token stands for. `room` binds it to one room, `job` to one attempt in it."""

    user: str
    role: Role
    token_id: str = ""
    epoch: int = 0
    expires: float = float("inf")
    room: str | None = None
    job: Fence | None = None

    @property
    def is_admin(self) -> bool:
        return self.role is Role.ADMIN

    @property
    def is_runner(self) -> bool:
        return self.role is Role.RUNNER


@dataclass(frozen=True, slots=True)
class Account:
    """A name that is taken. Tokens of an older epoch than the account's count no more."""

    name: str
    role: Role
    password_hash: str | None = None
    epoch: int = 0
    disabled: bool = False
    created_at_us: int = 0


class CodeKind(StrEnum):
    ADMIN = "admin"  # the link that `serve` prints
    INVITE = "invite"  # makes whoever has it a member of a room
    PAIR = "pair"  # makes a machine a worker of a room


@dataclass(frozen=True, slots=True)
class Code:
    """Something to hand over once. Only its digest is kept."""

    digest: str
    kind: CodeKind
    user: str
    role: Role
    room: str | None
    expires_us: int
    uses: int = 1


def user_name(text: str) -> str:
    """The name an account is kept under, whatever way it was typed."""
    name = unicodedata.normalize("NFKC", text).casefold()
    if not _USER.fullmatch(name) or not name.strip("."):  # a path that ends in .. is another one
        raise InvalidName("a name is 1 to 64 letters, digits, dots, @, - and _", name=name[:100])
    if name in _RESERVED:
        raise InvalidName(f"nobody can be called '{name}'", name=name)
    return name
