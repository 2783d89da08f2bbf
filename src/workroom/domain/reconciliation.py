"""What a worker says it holds against what the store says: who must do what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from workroom.domain.job import Fence
from workroom.domain.worker import Hold, Phase


@dataclass(frozen=True, slots=True)
class LiveAttempt:
    """An attempt that takes up a worker. It is current while the job still waits for its outcome."""

    fence: Fence
    number: int
    started: bool
    current: bool


@dataclass(slots=True)
class Verdict:
    keep: list[LiveAttempt] = field(default_factory=list)
    drop: list[Fence] = field(default_factory=list)
    cancel: list[Fence] = field(default_factory=list)
    resend: list[LiveAttempt] = field(default_factory=list)
    missing: list[LiveAttempt] = field(default_factory=list)
    ended: list[LiveAttempt] = field(default_factory=list)


def reconcile(live: Iterable[LiveAttempt], holds: Sequence[Hold], seen: int) -> Verdict:
    """Absence counts only up to the last assignment the worker has seen: later ones are under way."""
    verdict = Verdict()
    held = {hold.fence: hold.phase for hold in holds}
    for attempt in live:
        phase = held.pop(attempt.fence, None)
        _judge(attempt, phase, seen, verdict)
    verdict.drop.extend(held)
    return verdict


def _judge(attempt: LiveAttempt, phase: Phase | None, seen: int, verdict: Verdict) -> None:
    if phase is None and attempt.number > seen:
        (verdict.resend if attempt.current else verdict.ended).append(attempt)
    elif phase is None:
        (verdict.missing if attempt.current else verdict.ended).append(attempt)
    elif attempt.current:
        verdict.keep.append(attempt)
    elif phase is Phase.FINISHED:
        verdict.drop.append(attempt.fence)
        verdict.ended.append(attempt)
    else:
        verdict.cancel.append(attempt.fence)
