"""Ids of jobs that are submitted as one batch, and the token of a running attempt."""

from __future__ import annotations

from workroom.domain.job import Fence

_HOUR_MS = 3_600_000
_INDEX_DIGITS = 4
_TOKEN_PREFIX = "job"  # noqa: S105 - marks the kind of a token
_ATTEMPT_DIGITS = 15


def first_id(digest: str, at_us: int) -> str:
    """The id of the first job of a batch: a UUIDv7 made from the batch's idempotency key.

    The same batch sent again gets the same ids. The time in the id is the hour of arrival, so two copies of a
    request that arrive together agree on it. `digest` has at least 15 hexadecimal digits.
    """
    at_ms = at_us // 1000
    time = f"{at_ms - at_ms % _HOUR_MS:012x}"
    variant = f"{8 | int(digest[3], 16) & 3:x}"
    return f"{time[:8]}-{time[8:]}-7{digest[:3]}-{variant}{digest[4:7]}-{digest[7:15]}0000"


def item_id(any_id: str, index: int) -> str:
    """The id of another job of the same batch."""
    return f"{any_id[:-_INDEX_DIGITS]}{index:0{_INDEX_DIGITS}x}"


def job_token(fence: Fence) -> str:
    """The fence of a running attempt as one token."""
    return f"{_TOKEN_PREFIX}.{fence.job_id}.{fence.attempt}.{fence.token}"


def fence_in(token: object) -> Fence | None:
    """The attempt that a job's token names; None if it is another kind of token."""
    parts = token.split(".") if isinstance(token, str) else []
    if len(parts) != 4 or parts[0] != _TOKEN_PREFIX or not parts[2].isascii() or not parts[2].isdigit():
        return None
    return Fence(parts[1], int(parts[2][:_ATTEMPT_DIGITS]), parts[3])
