"""The model's own decisions, written from the design and not from `workroom.domain.rules`.

Every function takes plain values and returns the plain words that the test vectors use. Nothing here may
import a rule of the domain: two implementations that agree by construction would prove nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

OVER = ("completed", "failed", "cancelled")
MAY_BECOME = {"pending": (), "assigned": ("failed", "cancelled"), "running": OVER}
BACKOFF_S = (1, 2, 4, 8, 16, 32)
MAX_BACKOFF_S = 60
LOST_ASSIGNMENTS = 5
FAILED_JOBS = 5
LAST_ENDS = 20
BREAK_US = 60 * 1_000_000
AGE_US = 5 * 60 * 1_000_000
UNLIMITED = 10**9
EARLY_US = 50_000


def start(status: str, is_current: bool, is_same_nonce: bool, lets_start: bool) -> str:
    if is_current and status == "assigned":
        return "run" if lets_start else "circuit_open"
    return "repeat" if is_current and is_same_nonce and status == "running" else "stale"


def give_back(status: str, is_current: bool, is_live: bool, is_same_nonce: bool, is_recall: bool) -> str:
    may = {"assigned": True, "running": is_same_nonce and not is_recall}
    if is_current and status in may:
        return "requeue" if may[status] else "stale"
    return "stale" if is_recall or not is_live else "late"


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


def after_error(
    status: str, error_type: str, retry_on: str, retries: int, tries: int, has_failed: bool
) -> tuple[str, str]:
    if status == "running" and error_type != "InvalidInput":
        return after_timeout(retry_on, retries, tries, has_failed)
    return "fail", "none"


def after_timeout(retry_on: str, retries: int, tries: int, has_failed: bool) -> tuple[str, str]:
    sign = "again" if has_failed else "failure"
    return (after_lost_try(retries, tries) if retry_on == "error" else "fail"), sign


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


def interval_us(rate: str) -> int:
    number, period = rate.split("/")
    seconds = {"s": 1, "min": 60, "h": 3600}[period]
    whole, rest = divmod(seconds * 1_000_000 + EARLY_US, int(number))
    return whole + 1 if rest else whole


def most_at_once(interval_us: int) -> int:
    return len(range(0, EARLY_US + 1, interval_us))


def capped_us(next_us: int, now_us: int, interval_us: int) -> int:
    latest = now_us + interval_us + EARLY_US
    return latest if next_us > latest else next_us


def free_starts(next_us: int | None, now_us: int, interval_us: int) -> int:
    """Count the starts that fit before a start would be too early."""
    start, found = _planned_us(next_us, now_us, interval_us), 0
    while start <= now_us + EARLY_US:
        start, found = start + interval_us, found + 1
    return found


def opens_us(next_us: int | None, now_us: int, interval_us: int) -> int:
    early = _planned_us(next_us, now_us, interval_us) - EARLY_US
    return early if early > now_us else now_us


def after_start(next_us: int | None, now_us: int, interval_us: int) -> int:
    return _planned_us(next_us, now_us, interval_us) + interval_us


def after_return(next_us: int, taken_us: int, interval_us: int) -> int:
    before = next_us - interval_us
    may = interval_us > EARLY_US and before - taken_us <= EARLY_US
    return before if may else next_us


def _planned_us(next_us: int | None, now_us: int, interval_us: int) -> int:
    if next_us is None or next_us < now_us:
        return now_us
    return capped_us(next_us, now_us, interval_us)


def compare_duplicate(on_duplicate: str, status: str | None, is_recent: bool, states: Sequence[str]) -> str:
    counts = {"pending", "assigned", "running"} | ({"completed"} if is_recent else set())
    if status not in counts & set(states):
        return "take"
    if on_duplicate == "replace":
        return "replace" if status == "pending" else "take"
    return on_duplicate


def judge_hold(phase: str | None, number: int, seen: int, is_awaited: bool) -> str:
    if phase is None:
        return "resend" if is_awaited and seen < number else "lose"
    if not is_awaited:
        return "drop" if phase == "finished" else "cancel"
    return "keep"


def is_reboot(last_boot: str | None, boot: str) -> bool:
    return last_boot not in (None, boot)


def conflict(offered_runner: str, registered_runner: str, is_same_schema: bool) -> str:
    is_server_side = registered_runner in ("local", "celery")
    if is_server_side and offered_runner != registered_runner:
        return "name_reserved"
    return {True: "none", False: "other_schema"}[is_same_schema]


def is_held(runner: str, has_other_offers: bool, is_unfinished: bool) -> bool:
    return any((runner in ("local", "celery"), has_other_offers, is_unfinished))


def register(
    public_conflict: str, own_conflict: str, is_known: bool, is_active: bool, is_held: bool, is_own: bool
) -> str:
    must_join = is_known and is_active and is_held and not is_own
    for found, counts in ((public_conflict, True), (own_conflict, must_join)):
        if counts and found != "none":
            return found
    if must_join:
        return "join"
    if is_known:
        return "replace" if is_active else "revive"
    return "create"


def needs_consent(
    runner: str,
    is_trusted: bool,
    has_consent: bool,
    is_banned: bool,
    is_active: bool,
    is_held: bool,
    is_foreign: bool,
    is_public_active: bool,
    is_public_foreign: bool,
) -> bool:
    may_offer = runner in ("local", "celery") or is_trusted or has_consent
    is_taken_here = is_active and is_held and is_foreign
    is_taken_in_public = not is_active and is_public_active and is_public_foreign
    return not may_offer and (is_banned or is_taken_here or is_taken_in_public)


def approver(
    offered_by: str, owner_here: str | None, owner_in_public: str | None, is_banned: bool
) -> str | None:
    owners = [each for each in (owner_here, owner_in_public) if each and each != offered_by]
    return owners[0] if owners and not is_banned else None


def rank(priority: int) -> int:
    return 10 - priority


def start_tag(virtual_time: float, last_finish: float) -> float:
    return last_finish if last_finish > virtual_time else virtual_time


def finish_tag(start: float) -> float:
    return start + 1


def begins(first: float, tag: float) -> float:
    return tag if tag < first else first


def virtual_time(reached: float, tag: float) -> float:
    return tag if tag > reached else reached


def aged_before(now_us: int) -> int:
    return now_us - AGE_US


def raised(job_rank: int) -> int:
    return job_rank - 1 if job_rank else 0


def lease_of(default: float, leases: Sequence[float | None]) -> float:
    return sorted(each if each else default for each in leases)[-1]


def until_after_disconnect(until: float, now: float, grace: float, lease: float, default: float) -> float:
    is_long = lease > default
    return until if is_long or until < now + grace else now + grace


def leaves_us(now_us: int, linger_us: int, is_withdrawn: bool) -> int:
    return now_us + (0 if is_withdrawn else linger_us)


def is_departure_over(leaves_us: int | None, now_us: int, is_offered: bool, is_unfinished: bool) -> bool:
    if is_offered or is_unfinished or leaves_us is None:
        return False
    return now_us >= leaves_us


def is_outage(since_sweep_us: float, lease_us: float) -> bool:
    return not 0 <= since_sweep_us <= lease_us / 2


def spares(since_sweep_us: float, own_lease_us: float, heartbeat_us: float) -> bool:
    return not 0 <= since_sweep_us <= (own_lease_us / 2 if own_lease_us > 2 * heartbeat_us else heartbeat_us)


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

    ends: list[bool] = field(default_factory=list)  # whether each job failed, the latest last
    opened_us: int | None = None
    trial: str | None = None

    @property
    def is_open(self) -> bool:
        return self.opened_us is not None

    @property
    def has_too_many_failures(self) -> bool:
        return sum(self.ends) >= max(FAILED_JOBS, len(self.ends) / 2)

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
        is_trial = self.is_open and self.trial == token
        if is_trial:
            self._judge(sign, now_us)
        if sign in ("success", "failure"):
            self.ends = [*self.ends, sign == "failure"][-LAST_ENDS:]
        if is_trial:
            return
        if sign == "failure" and not self.is_open and self.has_too_many_failures:
            self.opened_us = now_us

    def _judge(self, sign: str, now_us: int) -> None:
        self.trial = None
        if sign == "success":
            self.opened_us = None
            self.ends = [failed for failed in self.ends if not failed]
        elif sign != "none":
            self.opened_us = now_us


def enqueues_us(now_us: int, run_us: int | None, blockers: int, is_paused: bool) -> int | None:
    is_free = not blockers and not is_paused
    return max([now_us, *([] if run_us is None else [run_us])]) if is_free else None


def join(is_open: bool, is_paused: bool, is_cancelled: bool, is_retry: bool) -> str:
    may = not is_cancelled and (is_open or is_retry)
    return {(True, False): "take", (True, True): "postpone"}.get((may, is_paused), "closed")


def is_group_over(total: int, ended: int, is_open: bool) -> bool:
    return total - ended <= 0 and is_open is False


def follow(status: str | None, on_end: bool) -> str:
    if status not in OVER:
        return "wait"
    return {"completed": "go"}.get(status, "go" if on_end else "skip")


def group_end(failed: int, cancelled: int, retried: int) -> str:
    return "failed" if cancelled or failed - retried > 0 else "completed"


def skip_reason(before: str, status: str, is_group: bool) -> str:
    kind = "group" if is_group else "job"
    end = {"failed": "failed", "cancelled": "was cancelled"}[status]
    return f"{kind} {before} {'did not complete' if is_group else end}"


def set_external(known: str | None, id: str) -> str:
    return {None: "set", id: "repeat"}.get(known, "taken")


def fits_exchange(count: int, size: int, more_size: int, max_count: int, max_size: int) -> bool:
    return not (count + 1 > max_count or size + more_size > max_size)


def answer(is_answered: bool, is_same: bool, has_ended: bool, expires_us: int | None, now_us: int) -> str:
    if is_answered:
        return ("answered", "repeat")[is_same]
    open_until = float("inf") if expires_us is None else expires_us
    return "ended" if has_ended else ("accept" if now_us < open_until else "expired")
