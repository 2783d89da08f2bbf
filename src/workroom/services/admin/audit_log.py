"""Records what administrators did, and who deleted rooms."""

from __future__ import annotations

import structlog

from workroom.domain.audit import MAX_DETAIL, MAX_TARGET, AuditAction, AuditEntry
from workroom.domain.identity import Principal
from workroom.domain.queries import FindAudit, Page
from workroom.ports import Directory

log = structlog.get_logger()

_ANYBODYS = frozenset({AuditAction.ROOM_DELETED})


class AuditLog:
    """What people do in their own rooms is bounded by nothing, so only its end is recorded."""

    def __init__(self, store: Directory) -> None:
        self._store = store

    async def write(self, who: Principal, action: AuditAction, target: str, detail: str = "") -> None:
        """Called after the action, which has succeeded: it stands even if this fails."""
        if not who.is_admin and action not in _ANYBODYS:
            return
        log.info("audit", actor=who.user, action=str(action), target=target, detail=detail)
        await self._store.write_audit(who.user, action, target[:MAX_TARGET], detail[:MAX_DETAIL])

    async def read(self, before: int | None, limit: int) -> Page[AuditEntry]:
        return await self._store.read(FindAudit(before, limit))
