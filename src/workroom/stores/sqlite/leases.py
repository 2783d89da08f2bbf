"""The leases of workers, in memory, by the monotonic clock.

After a restart or a gap in sweeping every worker gets a full lease.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workroom.domain.rules.upkeep import spares
from workroom.domain.rules.workers.lease import until_after_disconnect
from workroom.domain.worker import Liveness, Session


@dataclass(slots=True, eq=False)
class Lease:
    worker: str
    session: int
    until: float


class Leases:
    def __init__(self, liveness: Liveness) -> None:
        self._liveness = liveness
        self._leases: dict[str, Lease] = {}
        self._own: dict[str, float] = {}  # of workers whose lease is not the server's

    def set_own(self, worker: str, seconds: float | None) -> None:
        """From the next grant on, the worker's lease is this long."""
        if seconds is None:
            self._own.pop(worker, None)
        else:
            self._own[worker] = seconds

    def seconds(self, worker: str) -> float:
        return self._own.get(worker, self._liveness.lease)

    def grant(self, session: Session, now: float) -> None:
        until = now + self.seconds(session.worker)
        self._leases[session.worker] = Lease(session.worker, session.number, until)

    def extend(self, session: Session, now: float) -> bool:
        """Extend the lease if this is the current session of the worker."""
        lease = self._leases.get(session.worker)
        if lease is None or lease.session != session.number:
            return False
        lease.until = now + self.seconds(session.worker)
        return True

    def extend_all(self, now: float) -> None:
        for lease in self._leases.values():
            lease.until = now + self.seconds(lease.worker)

    def shorten(self, session: Session, now: float) -> None:
        """Shorten the lease to the grace period, unless the session is stale."""
        lease = self._leases.get(session.worker)
        if lease is not None and lease.session == session.number:
            lease.until = until_after_disconnect(
                lease.until,
                now,
                self._liveness.grace,
                self.seconds(session.worker),
                self._liveness.lease,
            )

    def workers(self) -> list[str]:
        return list(self._leases)

    def of(self, worker: str) -> list[Lease]:
        lease = self._leases.get(worker)
        return [] if lease is None else [lease]

    def drop(self, leases: Iterable[Lease]) -> None:
        """Drop these leases, except those that were granted again meanwhile."""
        for lease in leases:
            if self._leases.get(lease.worker) is lease:
                del self._leases[lease.worker]
                self._own.pop(lease.worker, None)

    def expire(self, now: float, swept: float) -> list[Lease]:
        """The leases that have ended. Own ones that ended because nobody swept are granted again."""
        ended = [lease for lease in self._leases.values() if lease.until <= now]
        return [lease for lease in ended if not self._spare(lease, now, swept)]

    def _spare(self, lease: Lease, now: float, swept: float) -> bool:
        own = self._own.get(lease.worker)
        if own is None or not spares(now - swept, own, self._liveness.heartbeat):
            return False
        lease.until = now + own
        return True
