"""The counter where jobs are ordered, by REST and by socket alike."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import orjson

from workroom.domain.identity import Principal
from workroom.domain.job import Job
from workroom.domain.policy import Act, in_room, may
from workroom.domain.room import Room
from workroom.domain.steps import Idempotency
from workroom.errors import WorkroomError
from workroom.server.throttle import Throttle
from workroom.server.wire import BatchBody
from workroom.services.access import Access
from workroom.services.submission import Accepted, Order, Saved, Submission


@dataclass(slots=True)
class Wish:
    """The values of a job that somebody wants."""

    data: dict[str, Any]
    priority: int | None = None


class Ordering:
    def __init__(self, access: Access, submission: Submission, throttle: Throttle) -> None:
        self._access = access
        self._submission = submission
        self._throttle = throttle

    async def submit(
        self, who: Principal, room: str, category: str, name: str, wish: Wish, key: str | None = None
    ) -> Job | Saved:
        found = await self._entered(who, room)
        may_raise = wish.priority is not None and _may_raise(who, found)
        order = Order(
            room,
            category,
            name,
            wish.data,
            wish.priority,
            _idempotency(key, f"submit:{room}/{category}/{name}", wish),
            may_raise=may_raise,
        )
        return await self._submission.submit(who, order)

    async def submit_batch(
        self, who: Principal, room: str, body: BatchBody
    ) -> list[Accepted | WorkroomError]:
        may_raise = _may_raise(who, await self._entered(who, room, len(body.jobs)))
        orders = [
            Order(room, each.category, each.name, each.data, each.priority, may_raise=may_raise)
            for each in body.jobs
        ]
        return await self._submission.submit_batch(who, orders)

    async def _entered(self, who: Principal, room: str, count: int = 1) -> Room:
        """If they may submit so many here."""
        found = await self._access.enter(who, room, Act.SUBMIT)
        self._throttle.take(who.user, count)
        return found


def _may_raise(who: Principal, room: Room) -> bool:
    return may(Act.MANAGE_ROOM, in_room(who, room))


def _idempotency(key: str | None, route: str, wish: Wish) -> Idempotency | None:
    if key is None:
        return None
    what = {"data": wish.data, "priority": wish.priority}
    digest = hashlib.sha256(orjson.dumps(what, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return Idempotency(route, key, digest)
