"""How long each worker is still believed to be there, by a clock that never jumps.

Leases live in memory: after a restart, and after any gap in sweeping, everyone gets a full one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workroom.domain.worker import Liveness, Session


@dataclass(slots=True)
class _Lease:
    session: int
    until: float


class Leases:
    def __init__(self, liveness: Liveness) -> None:
        self._liveness = liveness
        self._leases: dict[str, _Lease] = {}

    def grant(self, session: Session, now: float) -> None:
        self._leases[session.worker] = _Lease(session.number, now + self._liveness.lease)

    def grant_all(self, sessions: Iterable[Session], now: float) -> None:
        for session in sessions:
            self.grant(session, now)

    def extend(self, session: Session, now: float) -> bool:
        """Extend the lease of a session if it is the one that speaks for its worker."""
        lease = self._leases.get(session.worker)
        if lease is None or lease.session != session.number:
            return False
        lease.until = now + self._liveness.lease
        return True

    def extend_all(self, now: float) -> None:
        for lease in self._leases.values():
            lease.until = now + self._liveness.lease

    def shorten(self, session: Session, now: float) -> None:
        """The socket is gone. A late word about an older session changes nothing."""
        lease = self._leases.get(session.worker)
        if lease is not None and lease.session == session.number:
            lease.until = min(lease.until, now + self._liveness.grace)

    def drop(self, *workers: str) -> None:
        for worker in workers:
            self._leases.pop(worker, None)

    def expired(self, now: float) -> list[str]:
        return [worker for worker, lease in self._leases.items() if lease.until <= now]
