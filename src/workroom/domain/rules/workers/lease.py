"""For how long a worker keeps its attempts without renewing."""

from __future__ import annotations

from collections.abc import Sequence

STOP_SHARE = 0.8  # leaves the code of a worker time to stop before another one begins


def lease_of(default: float, leases: Sequence[float | None]) -> float:
    """The lease of a worker that offers extensions with these leases: the longest."""
    return max(each or default for each in leases)


def until_after_disconnect(until: float, now: float, grace: float, lease: float, default: float) -> float:
    """When the lease ends after the socket was lost: with the grace, unless a longer lease was requested.

    A laptop that sleeps loses its socket, and is to keep its jobs until it wakes up.
    """
    return until if lease > default else min(until, now + grace)


def stops_after(lease: float) -> float:
    """How long a worker goes without a reply before it stops code that must not overlap with another's."""
    return lease * STOP_SHARE
