"""What a worker reports to hold, compared with what the store has on record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from workroom.domain.job import Fence
from workroom.domain.worker import Hold, Phase

EVERYTHING_SEEN = 2**53 - 1  # a number that no assignment reaches, exact as a double too


class HoldVerdict(StrEnum):
    """What happens to an attempt that occupies a worker."""

    KEEP = "keep"
    RESEND = "resend"  # its assignment is still on the way, or was lost on the way
    CANCEL = "cancel"  # the job does not wait for it: the worker must stop
    DROP = "drop"  # the job does not wait for it, and the worker has finished
    LOSE = "lose"  # the worker does not have it


@dataclass(frozen=True, slots=True)
class LiveAttempt:
    """An attempt that occupies a worker. It is awaited while the job waits for its outcome."""

    fence: Fence
    number: int
    is_awaited: bool


@dataclass(slots=True)
class Comparison:
    """Attempts by verdict. `drop` also has what the worker holds and the store does not know."""

    keep: list[LiveAttempt] = field(default_factory=list)
    resend: list[LiveAttempt] = field(default_factory=list)
    cancel: list[Fence] = field(default_factory=list)
    drop: list[Fence] = field(default_factory=list)
    lose: list[LiveAttempt] = field(default_factory=list)


def is_reboot(last_boot: str | None, boot: str) -> bool:
    """Whether the worker is a new process, which has lost everything that the old one held."""
    return last_boot is not None and last_boot != boot


def judge(phase: str | None, number: int, seen: int, *, is_awaited: bool) -> HoldVerdict:
    """Absence counts only up to the last assignment that the worker has seen: later ones are on the way."""
    if phase is None:
        return HoldVerdict.RESEND if is_awaited and number > seen else HoldVerdict.LOSE
    if is_awaited:
        return HoldVerdict.KEEP
    return HoldVerdict.DROP if phase == Phase.FINISHED else HoldVerdict.CANCEL


def reconcile(live: Iterable[LiveAttempt], holds: Sequence[Hold], seen: int) -> Comparison:
    found = Comparison()
    held = {hold.fence: hold.phase for hold in holds}
    for attempt in live:
        verdict = judge(held.pop(attempt.fence, None), attempt.number, seen, is_awaited=attempt.is_awaited)
        if verdict is HoldVerdict.KEEP:
            found.keep.append(attempt)
        elif verdict is HoldVerdict.RESEND:
            found.resend.append(attempt)
        elif verdict is HoldVerdict.CANCEL:
            found.cancel.append(attempt.fence)
        else:
            found.lose.append(attempt)
            if verdict is HoldVerdict.DROP:
                found.drop.append(attempt.fence)
    found.drop.extend(held)
    return found
