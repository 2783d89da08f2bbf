"""How long an extension stays known after its last worker left."""

from __future__ import annotations


def leaves_us(now_us: int, linger_us: int, *, is_withdrawn: bool) -> int:
    """When it leaves. What a worker or a room's owner took off the list does not linger."""
    return now_us if is_withdrawn else now_us + linger_us


def is_over(leaves_us: int | None, now_us: int, *, is_offered: bool, is_unfinished: bool) -> bool:
    """Whether it leaves now: nobody offers it, no job of it is unfinished, and it has lingered."""
    return leaves_us is not None and leaves_us <= now_us and not is_offered and not is_unfinished
