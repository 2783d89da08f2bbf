"""What the passing of time, and a clock that was set, mean for what is due."""

from __future__ import annotations

DAY_US = 86_400_000_000
KEY_LIFETIME_US = DAY_US  # how long an idempotency key is remembered
UPKEEP_US = 10_000_000  # slow work is done this often
CLOCK_JUMP_US = 2_000_000  # a smaller difference between the clocks is drift

CLOCK_JUMPED = "the clock jumped: nothing is deleted until it has been steady for a while"


def is_outage(since_sweep_us: float, lease_us: float) -> bool:
    """Whether nobody swept for so long that no worker can be blamed for its silence: for half a lease.

    After a shorter gap, what is left of the lease is enough to reconnect. A monotonic clock that stands
    before the last sweep was started anew.
    """
    return 2 * since_sweep_us > lease_us or since_sweep_us < 0


def spares(since_sweep_us: float, own_lease_us: float, heartbeat_us: float) -> bool:
    """Whether a worker whose own lease has ended gets another, because of an outage that others outlast.

    Sweeps are never much rarer than heartbeats, so a lease of less than two of them shows no outage.
    """
    return is_outage(since_sweep_us, max(own_lease_us, 2 * heartbeat_us))


def clock_jump_us(wall_us: float, monotonic_us: float) -> int:
    """By how much the wall clock was set since the last sweep: what is due by it moves along."""
    jump = int(wall_us - monotonic_us)
    return jump if abs(jump) > CLOCK_JUMP_US else 0


def steady_since_us(now_us: int, seen_us: int, since_us: int, keep_us: int) -> int:
    """Since when the wall clock has agreed with the times that the store recorded.

    It begins anew when the clock jumps ahead of the last of them by more than a tenth of the time for which
    history is kept, and when it is set back to before.
    """
    return now_us if now_us - seen_us > keep_us // 10 or now_us < since_us else since_us


def may_forget(now_us: int, since_us: int, keep_us: int) -> bool:
    """Whether the clock has been steady for so long that history may be deleted by it."""
    return now_us - since_us >= min(DAY_US, keep_us // 10)


def is_upkeep_due(since_upkeep_us: float) -> bool:
    return since_upkeep_us >= UPKEEP_US or since_upkeep_us < 0
