"""Registration of workers: limits, access to the rooms, and whether offers need consent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workroom.domain.identity import Principal, Role
from workroom.domain.permissions import Permission
from workroom.domain.steps import Registered
from workroom.errors import InvalidRequest
from workroom.services.identity.access import Access
from workroom.services.json_codec import unfit
from workroom.services.limits.throttles import Throttle
from workroom.services.workers.consent import Consent
from workroom.services.workers.sessions import OfferedExtension, OfferedWorker, WorkerSessions


@dataclass(frozen=True, slots=True)
class RegistrationLimits:
    slots: int
    guest_slots: int
    machine: int  # bytes of the facts about the machine


class Registration:
    def __init__(
        self,
        access: Access,
        consent: Consent,
        sessions: WorkerSessions,
        throttle: Throttle,
        limits: RegistrationLimits,
    ) -> None:
        self._access = access
        self._consent = consent
        self._sessions = sessions
        self._throttle = throttle
        self._limits = limits

    async def register(
        self, who: Principal, worker: OfferedWorker, offered: Sequence[OfferedExtension]
    ) -> Registered:
        self._access.check(who, Permission.SEE_SELF)
        if who.role in (Role.GUEST, Role.USER) or who.room is not None:
            self._throttle.take(who.user)
        self._check_slots(who, worker.slots)
        self._check_machine(worker)
        trusted = {room for room in {each.room for each in offered} if await self._is_trusted(who, room)}
        await self._access.reclaim(who, worker.id)
        return await self._sessions.register(who, worker, offered, trusted)

    async def _is_trusted(self, who: Principal, name: str | None) -> bool:
        """Whether the worker may offer there, without consent, what others offer already."""
        if name is None:
            self._access.check(who, Permission.OFFER_PUBLIC)
            return await self._consent.trusts(who, None)
        return await self._consent.trusts(who, await self._access.room(who, name, Permission.OFFER))

    def _check_slots(self, who: Principal, slots: int) -> None:
        is_small = who.role is Role.GUEST or who.room is not None
        limit = self._limits.guest_slots if is_small else self._limits.slots
        if slots > limit and not who.is_runner:
            whose = "a worker of a guest, or a paired worker," if is_small else "a worker"
            raise InvalidRequest(f"{whose} may have {limit} slots; this one has {slots}", limit=limit)

    def _check_machine(self, worker: OfferedWorker) -> None:
        reason = unfit(worker.machine, self._limits.machine)
        if reason is not None:
            raise InvalidRequest(
                f"the facts under 'machine' cannot be stored: {reason}", max_bytes=self._limits.machine
            )
