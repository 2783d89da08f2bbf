"""What a running attempt shows to act in its room: its fence, as one word."""

from __future__ import annotations

from workroom.domain.job import Fence

_MARK = "job"
_DIGITS = 15


def job_token(fence: Fence) -> str:
    return f"{_MARK}.{fence.job_id}.{fence.attempt}.{fence.token}"


def fence_in(token: object) -> Fence | None:
    """The attempt that a job's token names; None if it is another kind of token."""
    parts = token.split(".") if isinstance(token, str) else []
    if len(parts) != 4 or parts[0] != _MARK or not parts[2].isascii() or not parts[2].isdigit():
        return None
    return Fence(parts[1], int(parts[2][:_DIGITS]), parts[3])
