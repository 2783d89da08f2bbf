"""How many jobs of a lane may be handed out at once."""

from __future__ import annotations

from workroom.domain.extension import BY_ACTOR, Concurrency

NO_LIMIT = 1_000_000_000


def limit_of(concurrency: Concurrency | None, lane: str) -> int:
    """An actor's lane carries its own limit behind its name: `midjourney#1`."""
    if concurrency is None:
        return NO_LIMIT
    if concurrency.key == BY_ACTOR:
        _, mark, limit = lane.rpartition(BY_ACTOR)
        return int(limit) if mark and limit.isascii() and limit.isdigit() else concurrency.default
    return concurrency.limits.get(lane, concurrency.default)


def free_places(limit: int, active: int, ready: int) -> int:
    """How many more jobs the lane may show to the queue; below zero, how many it must take back.

    `active` counts attempts that occupy a worker, `ready` the lane's jobs that may be handed out already.
    """
    return limit - active - ready
