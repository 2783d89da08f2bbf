"""The model's own decisions, written from the design and not from `workroom.domain.rules`.

Every function takes plain values and returns the plain words that the test vectors use. Nothing here may
import a rule of the domain: two implementations that agree by construction would prove nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

OVER = ("completed", "failed", "cancelled")
MAY_BECOME = {"pending": (), "assigned": ("failed", "cancelled"), "running": OVER}
BACKOFF_S = (1, 2, 4, 8, 16, 32)
MAX_BACKOFF_S = 60
LOST_ASSIGNMENTS = 5
FAILURES_IN_A_ROW = 5
BREAK_US = 60 * 1_000_000
AGE_US = 5 * 60 * 1_000_000
UNLIMITED = 10**9


def start(status: str, is_current: bool, is_same_nonce: bool, lets_start: bool) -> str:
    if is_current and status == "assigned":
        return "run" if lets_start else "circuit_open"
    return "repeat" if is_current and is_same_nonce and status == "running" else "stale"


def receive(status: str, reported: str, is_current: bool, is_live: bool) -> str:
    if not is_current and not is_live:
        return "not_held"
    if not is_current or status in OVER:
        return "late"
    return "accepted" if reported in MAY_BECOME[status] else "illegal"


def is_repeat(status: str, reported: str, is_current: bool, same_result: bool, same_error: bool) -> bool:
    needed = [is_current, status == reported, same_result]
    if reported == "failed":
        needed.append(same_error)
    return all(needed)


def was_retried(reported: str, has_result: bool, same_error: bool) -> bool:
    return (reported, has_result, same_error) == ("failed", False, True)


def after_report(reported: str) -> tuple[str, str]:
    return {"completed": ("complete", "success"), "cancelled": ("cancel", "none")}[reported]


def after_error(status: str, error_type: str, retry_on: str, retries: int, tries: int) -> tuple[str, str]:
    if status == "running" and error_type != "InvalidInput":
        return after_timeout(retry_on, retries, tries)
    return "fail", "none"


def after_timeout(retry_on: str, retries: int, tries: int) -> tuple[str, str]:
    return (after_lost_try(retries, tries) if retry_on == "error" else "fail"), "failure"


def after_lost_try(retries: int, tries: int) -> str:
    left = 1 + retries - tries
    if left > 0:
        return "retry"
    return "give_up" if retries else "fail"


def backoff_s(tries: int, jitter: float) -> float:
    seconds = BACKOFF_S[tries - 1] if tries <= len(BACKOFF_S) else MAX_BACKOFF_S
    return seconds * (1 + jitter / 5)


def capped_due_us(due_us: int, now_us: int, tries: int) -> int:
    longest = now_us + round(backoff_s(tries, 1) * 1_000_000)
    return longest if due_us > longest else due_us


def cancel(status: str) -> str:
    if status == "cancelled":
        return "repeat"
    return "already_ended" if status in OVER else "cancel"


def is_awaited(status: str, is_same_token: bool) -> bool:
    return is_same_token and status in MAY_BECOME


def lose(is_awaited: bool, is_started: bool, losses: int, is_loss: bool, retries: int, tries: int) -> str:
    if not is_awaited:
        return "unchanged"
    if is_started:
        return after_lost_try(retries, tries)
    counted = losses + 1 if is_loss else losses
    return "requeue" if counted < LOST_ASSIGNMENTS else "fail"


def limit_of(concurrency: Mapping[str, Any] | None, lane: str) -> int:
    if concurrency is None:
        return UNLIMITED
    default: int = concurrency["default"]
    if concurrency["key"] != "#":
        limit: int = concurrency["limits"].get(lane, default)
        return limit
    parts = lane.split("#")
    digits = parts[-1]
    is_number = len(parts) > 1 and digits != "" and all(each in "0123456789" for each in digits)
    return int(digits) if is_number else default


def free_places(limit: int, active: int, ready: int) -> int:
    return limit - (active + ready)


def judge_hold(phase: str | None, number: int, seen: int, is_awaited: bool) -> str:
    if phase is None:
        return "resend" if is_awaited and seen < number else "lose"
    if not is_awaited:
        return "drop" if phase == "finished" else "cancel"
    return "keep"


def is_reboot(last_boot: str | None, boot: str) -> bool:
    return last_boot not in (None, boot)


def rank(priority: int) -> int:
    return 10 - priority


def start_tag(virtual_time: float, last_finish: float) -> float:
    return last_finish if last_finish > virtual_time else virtual_time


def finish_tag(start: float) -> float:
    return start + 1


def virtual_time(reached: float, tag: float) -> float:
    return tag if tag > reached else reached


def aged_before(now_us: int) -> int:
    return now_us - AGE_US


def raised(job_rank: int) -> int:
    return job_rank - 1 if job_rank else 0


def is_outage(since_sweep_us: float, lease_us: float) -> bool:
    return not 0 <= since_sweep_us <= lease_us


def clock_jump_us(wall_us: float, monotonic_us: float) -> int:
    jump = wall_us - monotonic_us
    return 0 if -2_000_000 <= jump <= 2_000_000 else int(jump)


def steady_since_us(now_us: int, seen_us: int, since_us: int, keep_us: int) -> int:
    is_steady = now_us <= seen_us + keep_us // 10 and since_us <= now_us
    return since_us if is_steady else now_us


def may_forget(now_us: int, since_us: int, keep_us: int) -> bool:
    return not now_us - since_us < min(86_400_000_000, keep_us // 10)


def is_upkeep_due(since_upkeep_us: float) -> bool:
    return not 0 <= since_upkeep_us < 10_000_000


@dataclass(slots=True)
class ModelBreaker:
    """A breaker that changes in place."""

    failures: int = 0
    opened_us: int | None = None
    trial: str | None = None

    @property
    def is_open(self) -> bool:
        return self.opened_us is not None

    def admits(self, now_us: int) -> bool:
        if self.opened_us is None:
            return True
        return self.trial is None and now_us - self.opened_us >= BREAK_US

    def lets_start(self, token: str) -> bool:
        return self.trial == token if self.is_open else True

    def assign(self, token: str) -> None:
        """An open breaker takes the attempt as its trial."""
        if self.is_open:
            self.trial = token

    def end(self, sign: str, token: str, now_us: int) -> None:
        if self.is_open and self.trial != token:
            return  # began before things went wrong
        self.trial = None
        if sign == "success":
            self.failures, self.opened_us = 0, None
        elif sign == "failure" and self.is_open:
            self.opened_us = now_us
        elif sign == "failure":
            self.failures += 1
            self.opened_us = now_us if self.failures >= FAILURES_IN_A_ROW else None
