"""Jobs are submitted, by REST, by socket and as tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workroom import tracing
from workroom.domain.identity import Principal
from workroom.domain.job import Job
from workroom.domain.jobs.group import NewGroup
from workroom.domain.permissions import Permission, may, room_relations
from workroom.domain.room import Room
from workroom.services.identity.access import Access
from workroom.services.jobs.form_values import SavedSettings
from workroom.services.jobs.intake import JobIntake
from workroom.services.jobs.submit_queue import BrieflySubmitted
from workroom.services.jobs.submit_requests import IdempotencyKeys, SubmitRequest

Throttle = Callable[[str, int], None]
"""Counts so many jobs of a user. Raises TooManyRequests."""


class Submission:
    """Checks who may submit and how often, then hands the request to the intake."""

    def __init__(self, access: Access, intake: JobIntake, throttle: Throttle, keys: IdempotencyKeys) -> None:
        self._access = access
        self._intake = intake
        self._throttle = throttle
        self._keys = keys

    async def submit(self, who: Principal, request: SubmitRequest) -> Job | SavedSettings:
        if not tracing.is_on():
            return await self._submit(who, request)
        attributes = {"workroom.room": request.room, "workroom.user": who.user}
        name = f"submit {request.category}/{request.name}"
        with tracing.span(name, "SERVER", request.trace, attributes) as request.trace:
            return await self._submit(who, request)

    async def _submit(self, who: Principal, request: SubmitRequest) -> Job | SavedSettings:
        room = await self._enter(who, request.room, 1)
        request.may_raise = request.priority is not None and _may_raise(who, room)
        if request.key is not None:
            route = f"submit:{request.room}/{request.category}/{request.name}"
            request.idempotency = self._keys.of_request(request, route)
        return await self._intake.submit(who, request)

    async def submit_batch(
        self,
        who: Principal,
        room: str,
        requests: Sequence[SubmitRequest],
        key: str | None = None,
        *,
        brief: bool = False,
        group: NewGroup | None = None,
        route: str | None = None,
    ) -> Sequence[BrieflySubmitted]:
        """`group` is created for the first job that is accepted. `route` is the scope of the key."""
        may_raise = _may_raise(who, await self._enter(who, room, len(requests)))
        batch_key = self._keys.of_batch(who.user, route or f"batch:{room}", requests, key)
        trace = requests[0].trace if requests else None
        attributes: dict[str, str | int] = {"workroom.room": room, "workroom.user": who.user}
        attributes["workroom.jobs"] = len(requests)
        with tracing.span("submit batch", "SERVER", trace, attributes) as trace:
            for request in requests:
                request.may_raise, request.trace = may_raise, trace
            return await self._intake.submit_batch(who, requests, batch_key, brief=brief, group=group)

    def digest(self, user: str, route: str, key: str) -> str:
        return self._keys.digest((user, route, key))

    def throttle(self, who: Principal) -> None:
        """Count one submit that is checked elsewhere: a task's room may not exist yet."""
        self._throttle(who.user, 1)

    async def submit_task(self, who: Principal, request: SubmitRequest, actor: str) -> Job | SavedSettings:
        """Submit what was throttled, to a room that the caller has entered."""
        request.may_raise = await self._access.manages(who, request.room)
        request.idempotency = self._keys.of_request(request, f"task:{actor}")
        return await self._intake.submit(who, request)

    async def _enter(self, who: Principal, room: str, count: int) -> Room:
        found = await self._access.room(who, room, Permission.SUBMIT_JOB)
        self._throttle(who.user, count)
        return found


def _may_raise(who: Principal, room: Room) -> bool:
    return may(Permission.MANAGE_ROOM, room_relations(who, room))
