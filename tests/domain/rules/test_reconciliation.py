"""What a worker holds against what the store says: the verdict on each attempt."""

from __future__ import annotations

from dataclasses import fields

import pytest

from workroom.domain.job import Fence
from workroom.domain.rules.workers.reconcile import Comparison, LiveAttempt, reconcile
from workroom.domain.worker import Hold, Phase

FENCE = Fence("job", 1, "token")
SEEN = 5


def outcome(verdict: Comparison) -> set[str]:
    """The lists of a verdict that name the one attempt there is."""
    named = {field.name: getattr(verdict, field.name) for field in fields(verdict)}
    assert all(len(each) <= 1 for each in named.values())
    return {name for name, each in named.items() if each}


@pytest.mark.parametrize(
    ("phase", "number", "current", "expected"),
    [
        # held, and the job waits for its outcome
        (Phase.QUEUED, SEEN, True, {"keep"}),
        (Phase.BEGUN, SEEN, True, {"keep"}),
        (Phase.FINISHED, SEEN, True, {"keep"}),
        (Phase.QUEUED, SEEN + 1, True, {"keep"}),
        # held, and the job has ended without it
        (Phase.QUEUED, SEEN, False, {"cancel"}),
        (Phase.BEGUN, SEEN, False, {"cancel"}),
        (Phase.FINISHED, SEEN, False, {"drop", "lose"}),
        # not held: absence counts only up to the last assignment seen
        (None, SEEN - 1, True, {"lose"}),
        (None, SEEN, True, {"lose"}),
        (None, SEEN + 1, True, {"resend"}),
        (None, SEEN, False, {"lose"}),
        (None, SEEN + 1, False, {"lose"}),
    ],
)
def test_each_attempt_gets_the_verdict_of_the_table(
    phase: Phase | None, number: int, current: bool, expected: set[str]
) -> None:
    attempt = LiveAttempt(FENCE, number, current)
    holds = [] if phase is None else [Hold(FENCE, phase)]

    assert outcome(reconcile([attempt], holds, SEEN)) == expected


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize(
    "fence", [Fence("other", 1, "token"), Fence("job", 2, "token"), Fence("job", 1, "other")]
)
def test_what_is_held_under_any_other_fence_is_dropped(phase: Phase, fence: Fence) -> None:
    attempt = LiveAttempt(FENCE, SEEN, True)
    verdict = reconcile([attempt], [Hold(FENCE, Phase.BEGUN), Hold(fence, phase)], SEEN)

    assert (verdict.keep, verdict.drop) == ([attempt], [fence])


def test_nothing_held_and_nothing_known_needs_nothing() -> None:
    assert reconcile([], [], 0) == Comparison()


def test_each_attempt_is_judged_for_itself() -> None:
    kept, resent, missing = (
        LiveAttempt(Fence(name, 1, "token"), number, True)
        for name, number in (("kept", 1), ("resent", 9), ("missing", 2))
    )
    verdict = reconcile([kept, resent, missing], [Hold(kept.fence, Phase.QUEUED)], SEEN)

    assert verdict == Comparison(keep=[kept], resend=[resent], lose=[missing])
