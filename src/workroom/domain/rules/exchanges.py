"""What may be recorded of a job's exchanges with providers and people."""

from __future__ import annotations

from enum import StrEnum


class ExternalVerdict(StrEnum):
    SET = "set"
    REPEAT = "repeat"  # the id is on record already
    TAKEN = "taken"  # the provider has accepted this job under another id


class AnswerVerdict(StrEnum):
    ACCEPT = "accept"
    REPEAT = "repeat"  # the same person sends the same answer again
    ANSWERED = "answered"
    EXPIRED = "expired"
    ENDED = "ended"  # the job


def set_external(known: str | None, id: str) -> ExternalVerdict:
    """The first id wins: a second one would hide a request that was accepted, and perhaps paid."""
    if known is None:
        return ExternalVerdict.SET
    return ExternalVerdict.REPEAT if known == id else ExternalVerdict.TAKEN


def fits(count: int, size: int, more_size: int, max_count: int, max_size: int) -> bool:
    """Whether one more entry of this size can be recorded."""
    return count < max_count and size + more_size <= max_size


def answer(
    is_answered: bool, is_same: bool, has_ended: bool, expires_us: int | None, now_us: int
) -> AnswerVerdict:
    """The first answer wins. `is_same`: by the same person, with the same content."""
    if is_answered:
        return AnswerVerdict.REPEAT if is_same else AnswerVerdict.ANSWERED
    if has_ended:
        return AnswerVerdict.ENDED
    is_late = expires_us is not None and expires_us <= now_us
    return AnswerVerdict.EXPIRED if is_late else AnswerVerdict.ACCEPT
