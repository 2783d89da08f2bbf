"""Locks and their queues: steps of the writer."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from workroom.domain.queries import FindExpiredLocks, FindLocks
from workroom.domain.room_data.locks import Acquired, Lock, LockLimits, LockRequest, Writer
from workroom.domain.rules.refusals import data_quota, lock_lost, locked
from workroom.domain.rules.room_data import locks as rules
from workroom.domain.rules.room_data.locks import PLACE_US, AcquireVerdict, LockQuota, WriteVerdict
from workroom.stores.sqlite.directory import require_room
from workroom.stores.sqlite.room_data import job_edits
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.jobs.attempts import running_job


class LockRow(NamedTuple):
    room: str
    target: str
    digest: str
    user: str
    job: str | None
    attempt: int | None
    message: str
    fence: int
    acquired_us: int
    expires_us: int
    ttl_us: int

    def is_live(self, at_us: int) -> bool:
        return rules.is_live(self.expires_us, self.ttl_us, at_us)

    @property
    def lock(self) -> Lock:
        return Lock(
            self.room,
            self.target,
            self.user,
            self.job,
            self.message,
            self.fence,
            self.acquired_us,
            self.expires_us,
        )


class PlaceRow(NamedTuple):
    target: str
    digest: str
    user: str
    expires_us: int


def acquire(connection: sqlite3.Connection, at_us: int, request: LockRequest) -> Acquired:
    require_room(connection, request.room)
    if request.job is not None:
        running_job(connection, None, request.job)
    held = {each.target: each for each in live_locks(connection, at_us, request.room)}
    lock, queue = held.get(request.target), _queue(connection, at_us, request)
    places = [each for each in queue if each.target == request.target]
    digests = [each.digest for each in places]
    own = places[digests.index(request.digest)] if request.digest in digests else None
    ahead = len(places) if own is None else places.index(own)
    verdict = rules.acquire(
        is_held=lock is not None,
        is_own=lock is not None and lock.digest == request.digest,
        ahead=ahead,
        waits=request.waits,
    )
    _check_quota(verdict, request, list(held.values()), queue, len(places), has_place=own is not None)
    if verdict in (AcquireVerdict.GRANT, AcquireVerdict.KEEP):
        return _grant(connection, at_us, request, lock if verdict is AcquireVerdict.KEEP else None)
    if verdict is AcquireVerdict.WAIT and (own is None or rules.is_place_due(own.expires_us, at_us)):
        place = (request.room, request.target, request.digest, request.user, at_us + PLACE_US)
        connection.execute(SQL["take_place"], place)
    return Acquired(False, False, lock and lock.lock, ahead + (lock is not None))


def _grant(
    connection: sqlite3.Connection, at_us: int, request: LockRequest, kept: LockRow | None
) -> Acquired:
    connection.execute(SQL["begin_room_data"], (request.room,))
    connection.execute(SQL["leave_place"], (request.room, request.target, request.digest))
    if kept is None:
        (fence,) = connection.execute(SQL["next_lock_fence"], (request.room,)).fetchone()
        fenced = request.job
        job, attempt = (None, None) if fenced is None else (fenced.job_id, fenced.attempt)
        names = (request.room, request.target, request.digest, request.user, job, attempt)
        row = LockRow(*names, request.message, fence, at_us, at_us + request.ttl_us, request.ttl_us)
        if fenced is not None:
            job_edits.note(connection, request.room, fenced)
    else:
        row = kept._replace(expires_us=at_us + request.ttl_us, ttl_us=request.ttl_us)
    connection.execute(SQL["save_lock"], row)
    return Acquired(True, kept is None, row.lock, 0)


def _check_quota(
    verdict: AcquireVerdict,
    request: LockRequest,
    held: Sequence[LockRow],
    queue: Sequence[PlaceRow],
    waiters: int,
    *,
    has_place: bool,
) -> None:
    limits: LockLimits = request.limits
    users = [each.user for each in held] + [each.user for each in queue]
    own = users.count(request.user)
    quota = rules.exceeded(
        verdict=verdict,
        has_place=has_place,
        locks=len(held),
        own=own,
        waiters=waiters,
        room=limits.room,
        user=limits.user,
        most=limits.waiters,
    )
    if quota is not None:
        limit, used = {
            LockQuota.ROOM: (limits.room, len(held)),
            LockQuota.USER: (limits.user, own),
            LockQuota.WAITERS: (limits.waiters, waiters),
        }[quota]
        raise data_quota(quota, limit, used)


def refresh(
    connection: sqlite3.Connection,
    at_us: int,
    room: str,
    target: str,
    digest: str,
    ttl_us: int | None,
    message: str | None,
) -> Lock:
    row = find_lock(connection, at_us, room, target)
    if row is None or row.digest != digest:
        raise lock_lost(target)
    ttl_us = ttl_us or row.ttl_us
    row = row._replace(expires_us=at_us + ttl_us, ttl_us=ttl_us)
    if message is not None:
        row = row._replace(message=message)
    connection.execute(SQL["save_lock"], row)
    return row.lock


def release(connection: sqlite3.Connection, at_us: int, room: str, target: str, digest: str) -> bool:
    connection.execute(SQL["leave_place"], (room, target, digest))
    row = connection.execute(SQL["find_lock"], (room, target)).fetchone()
    if row is None or LockRow(*row).digest != digest:
        return False
    connection.execute(SQL["delete_lock"], (room, target))
    return True


def break_lock(connection: sqlite3.Connection, at_us: int, room: str, target: str) -> Lock | None:
    row = find_lock(connection, at_us, room, target)
    connection.execute(SQL["delete_lock"], (room, target))
    return row and row.lock


def expire(
    connection: sqlite3.Connection, at_us: int, locks: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    expired = [each for each in locks if find_lock(connection, at_us, *each) is None]
    return [each for each in expired if connection.execute(SQL["delete_lock"], each).rowcount]


def find_lock(connection: sqlite3.Connection, at_us: int, room: str, target: str) -> LockRow | None:
    """The lock, if it is held."""
    found = connection.execute(SQL["find_lock"], (room, target)).fetchone()
    row = None if found is None else LockRow(*found)
    return row if row is not None and _is_held(connection, at_us, row) else None


def check_writer(connection: sqlite3.Connection, at_us: int, room: str, target: str, writer: Writer) -> None:
    """Raise Locked or LockLost if the writer may not change this now."""
    row = find_lock(connection, at_us, room, target)
    verdict = rules.write(
        is_held=row is not None,
        is_own=row is not None and row.digest == writer.digest,
        has_token=writer.digest is not None,
        is_holders_job=row is not None and _is_holders_job(connection, row, writer),
    )
    if verdict is WriteVerdict.LOST:
        raise lock_lost(target)
    if verdict is WriteVerdict.LOCKED and row is not None:
        raise locked(target, row.user, row.job, row.message, at_us - row.acquired_us)


def _is_holders_job(connection: sqlite3.Connection, row: LockRow, writer: Writer) -> bool:
    parent = None
    if writer.job is not None:
        (parent,) = connection.execute(
            SQL["parent_of_job"], (running_job(connection, None, writer.job),)
        ).fetchone()
    return rules.is_holders_job(
        holder=row.user, holder_job=row.job, user=writer.user, job=writer.job_id, parent=parent
    )


def find_locks(connection: sqlite3.Connection, query: FindLocks) -> list[Lock]:
    rows = [LockRow(*row) for row in connection.execute(SQL["locks_of_room"], (query.room,))]
    return [each.lock for each in rows if each.is_live(query.now_us)]


def find_expired_locks(connection: sqlite3.Connection, query: FindExpiredLocks) -> list[tuple[str, str]]:
    found = connection.execute(SQL["expired_locks"], (query.now_us, query.limit))
    return [(room, target) for room, target in found]


def live_locks(connection: sqlite3.Connection, at_us: int, room: str) -> list[LockRow]:
    """The locks of a room that are held, by target."""
    rows = [LockRow(*row) for row in connection.execute(SQL["locks_of_room"], (room,))]
    return [each for each in rows if _is_held(connection, at_us, each)]


def _is_held(connection: sqlite3.Connection, at_us: int, row: LockRow) -> bool:
    """Whether its time is not over, and its job has not completed."""
    if not row.is_live(at_us) or row.job is None or row.attempt is None:
        return row.is_live(at_us)
    job = connection.execute(SQL["attempt_of_job"], (row.job,)).fetchone()
    return job is None or not rules.ends_with_job(attempt=row.attempt, current=job[0], status=job[1])


def _queue(connection: sqlite3.Connection, at_us: int, request: LockRequest) -> list[PlaceRow]:
    """The places in the queues of the room's locks, without those that were left behind."""
    connection.execute(SQL["forget_places"], {"room": request.room, "at": at_us, "life": PLACE_US})
    return [PlaceRow(*row) for row in connection.execute(SQL["places_of_room"], (request.room,))]
