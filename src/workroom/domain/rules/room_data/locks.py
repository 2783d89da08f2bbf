"""Who gets a lock, who keeps it, and who may change what it guards."""

from __future__ import annotations

from enum import StrEnum

PLACE_US = 10_000_000
"""How long a place in the queue is kept for a waiter that does not poll again."""


class AcquireVerdict(StrEnum):
    GRANT = "grant"
    KEEP = "keep"  # the caller holds it already
    WAIT = "wait"  # the caller has a place in the queue
    REFUSE = "refuse"


class WriteVerdict(StrEnum):
    WRITE = "write"
    LOCKED = "locked"  # somebody else holds the lock
    LOST = "lost"  # the caller's lock expired or was broken


class LockQuota(StrEnum):
    ROOM = "locks_per_room"
    USER = "locks_per_user"
    WAITERS = "waiters_per_lock"


def is_live(expires_us: int, ttl_us: int, now_us: int) -> bool:
    """A lock that would last longer than its lifetime is over too: the clock was set back."""
    return 0 < expires_us - now_us <= ttl_us


def acquire(*, is_held: bool, is_own: bool, ahead: int, waits: bool) -> AcquireVerdict:
    """`ahead` counts the waiters before the caller: a free lock goes to the first of them."""
    if is_held and is_own:
        return AcquireVerdict.KEEP
    if not is_held and ahead == 0:
        return AcquireVerdict.GRANT
    return AcquireVerdict.WAIT if waits else AcquireVerdict.REFUSE


def exceeded(
    *, verdict: str, has_place: bool, locks: int, own: int, waiters: int, room: int, user: int, most: int
) -> LockQuota | None:
    """The quota that a new lock or place exceeds.

    There are `locks` in the room, the caller has `own` locks and places there, and `waiters` have a place.
    """
    if verdict == AcquireVerdict.GRANT and locks >= room:
        return LockQuota.ROOM
    is_more = verdict in (AcquireVerdict.GRANT, AcquireVerdict.WAIT) and not has_place
    if is_more and own >= user:
        return LockQuota.USER
    if is_more and verdict == AcquireVerdict.WAIT and waiters >= most:
        return LockQuota.WAITERS
    return None


def is_place_due(expires_us: int, now_us: int) -> bool:
    """Whether to extend a place now. A waiter that polls all the time writes every few seconds."""
    return expires_us - now_us < PLACE_US * 2 // 3


def is_holders_job(
    *, holder: str, holder_job: str | None, user: str, job: str | None, parent: str | None
) -> bool:
    """Whether a job was started by the holder: a person, or a job that started it."""
    if job is None or user != holder:
        return False
    return holder_job is None or holder_job in (job, parent)


def write(*, is_held: bool, is_own: bool, has_token: bool, is_holders_job: bool) -> WriteVerdict:
    """A token that holds nothing is one that was lost: its owner believes to be alone."""
    if is_held:
        return WriteVerdict.WRITE if is_own or is_holders_job else WriteVerdict.LOCKED
    return WriteVerdict.LOST if has_token else WriteVerdict.WRITE
