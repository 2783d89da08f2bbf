"""Locks: who may change a part of a room's data while others may not."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from workroom.domain.job import Fence
from workroom.errors import InvalidName

MAX_TTL_S = 300.0
MAX_WAIT_S = 60.0
MAX_LOCK_MESSAGE = 200
MIN_TOKEN, MAX_TOKEN = 16, 200
_TARGET = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


def target_name(text: str) -> str:
    """The name of a lock's target. Raises InvalidName for text that cannot name one."""
    if not _TARGET.fullmatch(text):
        raise InvalidName(
            "the target of a lock is 1 to 64 of letters, digits, - and _, and starts with a letter",
            name=text[:100],
        )
    return text


def digest_of(user: str, token: str) -> str:
    """What is stored of a lock's token. The token of one user is worth nothing to another."""
    return hashlib.sha256(f"{user}\0{token}".encode("utf-8", "backslashreplace")).hexdigest()


@dataclass(frozen=True, slots=True)
class Writer:
    """Who changes room data: a person, or a running job. `digest` is that of the lock token they sent."""

    user: str
    digest: str | None = None
    job: Fence | None = None

    @property
    def job_id(self) -> str | None:
        return None if self.job is None else self.job.job_id


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock as everybody in the room may see it."""

    room: str
    target: str
    user: str
    job_id: str | None
    message: str
    fence: int
    acquired_us: int
    expires_us: int


@dataclass(frozen=True, slots=True)
class LockLimits:
    """How many locks a room has, how many locks and places one user has in a room, and who waits for one."""

    room: int = 200
    user: int = 50
    waiters: int = 100


DEFAULT_LOCK_LIMITS = LockLimits()


@dataclass(frozen=True, slots=True)
class LockRequest:
    """A request for a lock. With `waits`, it takes or keeps a place in the queue if the lock is held."""

    room: str
    target: str
    digest: str
    user: str
    job: Fence | None
    message: str
    ttl_us: int
    waits: bool
    limits: LockLimits = DEFAULT_LOCK_LIMITS


@dataclass(frozen=True, slots=True)
class Acquired:
    """What became of a request: `lock` is the caller's own if it was granted, else the one in the way.

    `ahead` counts those who are before the caller: the holder, and waiters with an earlier place.
    """

    is_granted: bool
    is_new: bool
    lock: Lock | None
    ahead: int
