"""Writes the generated vectors: `PYTHONPATH=src:tests python -m support.vectors.generator`.

Facts are drawn with a fixed seed. The model decides, so the Python and the Lua rules are compared with code
that shares nothing with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from support.vectors.implementations import model_verdict
from support.vectors.table import GENERATED, Vector, write_vectors

SEED = 16
NOW_US = 1_700_000_000_000_000
COUNTED_STATES = ("pending", "assigned", "running", "completed")
STATES = (*COUNTED_STATES, "failed", "cancelled")
ERRORS = ("ValueError", "InvalidInput", "OSError", "Error", "KeyError")
RETRY_ON = ("worker_lost", "error")
RUNNERS = ("local", "celery", "remote")
CONFLICTS = ("none", "name_reserved", "other_schema")
PEOPLE = ("ada", "bob", "cleo")
PHASES = (None, "queued", "begun", "finished")
KINDS = ("change", "change", "undo", "redo", "restore")
STATES_OF_VERSIONS = ("done", "done", "undone", "dropped", "partly")

Facts = dict[str, Any]


def _flag(random: Random) -> bool:
    return random.random() < 0.5


def _retries(random: Random) -> Facts:
    return {
        "retry_on": random.choice(RETRY_ON),
        "retries": random.randrange(5),
        "tries": random.randint(1, 6),
    }


def _policy(random: Random) -> Facts:
    return {**_retries(random), "has_failed": _flag(random)}


def _breaker(random: Random) -> Facts:
    """A state that a breaker can be in: only an open one has a trial."""
    opened = random.choice((None, NOW_US - random.randint(0, 120_000_000)))
    trial = random.choice((None, "a", "b")) if opened is not None else None
    ends = "".join(random.choice("01") for _ in range(random.randint(0, 20)))
    return {"ends": ends, "opened_us": opened, "trial": trial}


def _gate(random: Random) -> Facts:
    breaker = _breaker(random)
    return {"opened_us": breaker["opened_us"], "trial": breaker["trial"]}


def _concurrency(random: Random) -> Facts | None:
    names = ("a", "b", "c#2")
    limits = {name: random.randint(1, 9) for name in names if _flag(random)}
    key = random.choice(("{provider}", "#"))
    return random.choice((None, {"key": key, "limits": limits, "default": random.randint(1, 4)}))


def _start(random: Random) -> Facts:
    """A rate of which something may have started, by a clock that may have been set back."""
    interval = random.choice((11, 10_500, 50_000, 50_001, 600_500, 3_600_050_000))
    next_us = random.choice((None, *(NOW_US + random.randint(-2, 3) * interval // 2 for _ in range(3))))
    return {"next_us": next_us, "now_us": NOW_US + random.randint(-60_000, 60_000), "interval_us": interval}


def _known_start(random: Random) -> Facts:
    return {**_start(random), "next_us": NOW_US + random.randint(-1_000_000, 5_000_000)}


def _token(random: Random) -> str:
    return random.choice(("a", "b", "c"))


def _now(random: Random) -> int:
    return NOW_US + random.randint(-1_000_000, 200_000_000)


def _tag(random: Random) -> int:
    return random.randint(0, 2000)


def _versions(random: Random) -> Facts:
    numbers = sorted(random.sample(range(1, 40), random.randint(0, 6)))
    return {"entries": [[each, random.choice(KINDS), random.choice(STATES_OF_VERSIONS)] for each in numbers]}


_DRAWS: dict[str, tuple[int, Callable[[Random], Facts]]] = {
    "start.decide": (
        20,
        lambda random: {
            "status": random.choice(STATES),
            "is_current": random.random() < 0.8,
            "is_same_nonce": _flag(random),
            "lets_start": _flag(random),
        },
    ),
    "unbegun.decide": (
        30,
        lambda random: {
            "status": random.choice(STATES),
            "is_current": random.random() < 0.7,
            "is_live": _flag(random),
            "is_same_nonce": _flag(random),
            "is_recall": _flag(random),
        },
    ),
    "finish.receive": (
        40,
        lambda random: {
            "status": random.choice(STATES),
            "reported": random.choice(STATES),
            "is_current": random.random() < 0.7,
            "is_live": _flag(random),
        },
    ),
    "finish.is_repeat": (
        25,
        lambda random: {
            "status": (status := random.choice(STATES[3:])),
            "reported": random.choice((status, status, *STATES[3:])),
            "is_current": random.random() < 0.8,
            "same_result": random.random() < 0.8,
            "same_error": _flag(random),
        },
    ),
    "finish.was_retried": (
        8,
        lambda random: {
            "reported": random.choice(STATES[3:]),
            "has_result": _flag(random),
            "same_error": _flag(random),
        },
    ),
    "finish.after_error": (
        30,
        lambda random: {
            "status": random.choice(("assigned", "running", "running")),
            "error_type": random.choice(ERRORS),
            **_policy(random),
        },
    ),
    "finish.after_timeout": (15, _policy),
    "loss.is_awaited": (
        10,
        lambda random: {"status": random.choice(STATES), "is_same_token": _flag(random)},
    ),
    "loss.decide": (
        40,
        lambda random: {
            "is_awaited": random.random() < 0.85,
            "is_started": _flag(random),
            "losses": random.randint(0, 6),
            "is_loss": _flag(random),
            "retries": random.randint(0, 4),
            "tries": random.randint(1, 6),
        },
    ),
    "retry.after_loss": (
        15,
        lambda random: {"retries": random.randint(0, 8), "tries": random.randint(1, 10)},
    ),
    "retry.after_error": (15, _retries),
    "postponing.enqueues_us": (
        25,
        lambda random: {
            "now_us": NOW_US,
            "run_us": random.choice((None, NOW_US + random.randint(-9_000_000, 9_000_000))),
            "blockers": random.choice((0, 0, 1, 3)),
            "is_paused": random.random() < 0.3,
        },
    ),
    "retry.backoff_s": (
        20,
        lambda random: {"tries": random.randint(1, 12), "jitter": round(random.uniform(-1, 1), 3)},
    ),
    "retry.capped_due_us": (
        15,
        lambda random: {
            "due_us": random.randint(0, 200_000_000),
            "now_us": random.randint(0, 100_000_000),
            "tries": random.randint(1, 12),
        },
    ),
    "breaker.admits": (20, lambda random: {**_gate(random), "now_us": _now(random)}),
    "breaker.admits_trial": (15, lambda random: {**_gate(random), "now_us": _now(random)}),
    "breaker.lets_start": (10, lambda random: {**_gate(random), "token": _token(random)}),
    "breaker.opens": (20, lambda random: {"ends": _breaker(random)["ends"]}),
    "breaker.trying": (8, lambda random: {**_breaker(random), "token": _token(random)}),
    "breaker.after": (
        40,
        lambda random: {
            **_breaker(random),
            "sign": random.choice(("success", "failure", "again", "none")),
            "token": _token(random),
            "now_us": _now(random),
        },
    ),
    "limits.limit_of": (
        25,
        lambda random: {
            "concurrency": _concurrency(random),
            "lane": random.choice(("a", "b", "c#2", "c#x", "#7", "7", "d#12#3", "e#", "")),
        },
    ),
    "limits.free_places": (
        10,
        lambda random: {
            "limit": random.randint(1, 12),
            "active": random.randint(0, 12),
            "ready": random.randint(0, 12),
        },
    ),
    "rates.interval_us": (
        10,
        lambda random: {"rate": f"{random.randint(1, 500)}/{random.choice(('s', 'min', 'h'))}"},
    ),
    "rates.most_at_once": (8, lambda random: {"interval_us": random.randint(1, 100_000)}),
    "rates.capped_us": (15, _known_start),
    "rates.free_starts": (25, _start),
    "rates.opens_us": (15, _start),
    "rates.after_start": (15, _start),
    "rates.after_return": (
        20,
        lambda random: {
            "next_us": NOW_US + random.randint(-100_000, 2_000_000),
            "taken_us": NOW_US + random.randint(-100_000, 100_000),
            "interval_us": random.choice((10_500, 50_001, 600_500)),
        },
    ),
    "unique.decide": (
        20,
        lambda random: {
            "on_duplicate": random.choice(("join", "refuse", "replace")),
            "status": random.choice((None, *STATES)),
            "is_recent": _flag(random),
            "states": sorted(random.sample(COUNTED_STATES, random.randint(1, 4))),
        },
    ),
    "fair_share.start_tag": (8, lambda random: {"virtual_time": _tag(random), "last_finish": _tag(random)}),
    "fair_share.begins": (4, lambda random: {"first": _tag(random), "tag": _tag(random)}),
    "fair_share.virtual_time": (8, lambda random: {"reached": _tag(random), "tag": _tag(random)}),
    "fair_share.rank": (4, lambda random: {"priority": random.randint(0, 10)}),
    "fair_share.raised": (4, lambda random: {"job_rank": random.randint(0, 10)}),
    "reconcile.judge": (
        30,
        lambda random: {
            "phase": random.choice(PHASES),
            "number": random.randint(1, 9),
            "seen": random.randint(0, 9),
            "is_awaited": _flag(random),
        },
    ),
    "lease.lease_of": (
        10,
        lambda random: {
            "default": random.choice((10, 30)),
            "leases": [random.choice((False, random.randint(1, 900))) for _ in range(random.randint(1, 4))],
        },
    ),
    "lease.until_after_disconnect": (
        12,
        lambda random: {
            "until": random.randint(990, 1100),
            "now": 1000,
            "grace": random.choice((0, 10)),
            "lease": random.choice((10, 30, 90)),
            "default": 30,
        },
    ),
    "departure.leaves_us": (
        6,
        lambda random: {
            "now_us": _now(random),
            "linger_us": random.choice((0, 1, 60_000_000, 86_400_000_000)),
            "is_withdrawn": _flag(random),
        },
    ),
    "departure.is_over": (
        16,
        lambda random: {
            "leaves_us": random.choice((None, NOW_US, NOW_US + random.randint(-5, 5))),
            "now_us": NOW_US,
            "is_offered": random.random() < 0.2,
            "is_unfinished": random.random() < 0.3,
        },
    ),
    "registration.conflict": (
        10,
        lambda random: {
            "offered_runner": random.choice(RUNNERS),
            "registered_runner": random.choice(RUNNERS),
            "is_same_schema": _flag(random),
        },
    ),
    "registration.is_held": (
        8,
        lambda random: {
            "runner": random.choice(RUNNERS),
            "has_other_offers": _flag(random),
            "is_unfinished": _flag(random),
        },
    ),
    "registration.decide": (
        40,
        lambda random: {
            "public_conflict": random.choice((*CONFLICTS, "none", "none")),
            "own_conflict": random.choice(CONFLICTS),
            "is_known": random.random() < 0.8,
            "is_active": _flag(random),
            "is_held": _flag(random),
            "is_own": random.random() < 0.3,
        },
    ),
    "consent.is_needed": (
        60,
        lambda random: {
            "runner": random.choice((*RUNNERS, "remote", "remote", "remote")),
            "is_trusted": random.random() < 0.2,
            "has_consent": random.random() < 0.2,
            "is_banned": random.random() < 0.3,
            "is_active": _flag(random),
            "is_held": _flag(random),
            "is_foreign": _flag(random),
            "is_public_active": _flag(random),
            "is_public_foreign": _flag(random),
        },
    ),
    "consent.approver": (
        20,
        lambda random: {
            "offered_by": random.choice(PEOPLE),
            "owner_here": random.choice((None, *PEOPLE)),
            "owner_in_public": random.choice((None, *PEOPLE)),
            "is_banned": random.random() < 0.3,
        },
    ),
    "upkeep.is_outage": (
        8,
        lambda random: {"since_sweep_us": random.randint(-10, 60) * 1_000_000, "lease_us": 30_000_000},
    ),
    "upkeep.steady_since_us": (
        15,
        lambda random: {
            "now_us": random.randint(0, 1000),
            "seen_us": random.randint(0, 1000),
            "since_us": random.randint(0, 500),
            "keep_us": random.randint(1, 5000),
        },
    ),
    "upkeep.may_forget": (
        10,
        lambda random: {
            "now_us": random.randint(0, 300) * 1_000_000_000,
            "since_us": random.randint(0, 100) * 1_000_000_000,
            "keep_us": random.randint(1, 2000) * 1_000_000_000,
        },
    ),
    "upkeep.clock_jump_us": (
        12,
        lambda random: {
            "wall_us": random.randint(-8_000_000, 8_000_000),
            "monotonic_us": random.randint(0, 5_000_000),
        },
    ),
    "locks.is_live": (
        15,
        lambda random: {
            "expires_us": NOW_US + random.randint(-20, 80),
            "ttl_us": random.choice((10, 50)),
            "now_us": NOW_US,
        },
    ),
    "locks.ends_with_job": (
        16,
        lambda random: {
            "attempt": random.randint(1, 2),
            "current": random.randint(1, 2),
            "status": random.choice(STATES),
        },
    ),
    "locks.acquire": (
        20,
        lambda random: {
            "is_held": _flag(random),
            "is_own": _flag(random),
            "ahead": random.choice((0, 0, 1, 3)),
            "waits": _flag(random),
        },
    ),
    "locks.exceeded": (
        40,
        lambda random: {
            "verdict": random.choice(("grant", "wait", "keep", "refuse")),
            "has_place": random.random() < 0.3,
            "locks": random.randint(0, 4),
            "own": random.randint(0, 3),
            "waiters": random.randint(0, 3),
            "room": 3,
            "user": 2,
            "most": 2,
        },
    ),
    "locks.is_place_due": (
        8,
        lambda random: {"expires_us": NOW_US + random.randint(-1, 10_000_000), "now_us": NOW_US},
    ),
    "locks.is_holders_job": (
        40,
        lambda random: {
            "holder": random.choice(PEOPLE),
            "holder_job": random.choice((None, "a", "b")),
            "user": random.choice(PEOPLE),
            "job": (job := random.choice((None, "a", "c"))),
            "parent": None if job is None else random.choice((None, "b", "d")),
        },
    ),
    "locks.write": (
        16,
        lambda random: {
            "is_held": _flag(random),
            "is_own": _flag(random),
            "has_token": _flag(random),
            "is_holders_job": _flag(random),
        },
    ),
    "documents.decide": (
        40,
        lambda random: {
            "version": random.randint(0, 3),
            "expected": random.choice((None, -1, 0, 1, 2, 3)),
            "is_repeat": random.random() < 0.2,
            "is_delete": random.random() < 0.3,
        },
    ),
    "documents.exceeded": (
        25,
        lambda random: {
            "documents": random.randint(0, 6),
            "size": random.randint(0, 120),
            "more_documents": random.choice((-1, 0, 1)),
            "more_size": random.randint(-50, 50),
            "most": 5,
            "max_size": 100,
        },
    ),
    "versions.to_undo": (20, _versions),
    "versions.to_redo": (20, _versions),
    "versions.is_over": (
        15,
        lambda random: {
            "edits": random.randint(0, 11),
            "count": random.randint(11, 32),
            "age_us": random.randint(0, 120),
            "size": random.randint(0, 120),
            "most": 10,
            "keep_us": 100,
            "max_size": 100,
        },
    ),
    "versions.after_undo": (4, lambda random: {"state": random.choice(("done", "partly"))}),
    "versions.amends": (
        30,
        lambda random: {
            "number": random.randint(1, 4),
            "state": random.choice(("done", "done", "done", "undone", "dropped", "partly")),
            "changes": random.choice((1, 3, 499, 500, 501)),
            "changed": random.randint(0, 5),
        },
    ),
    "versions.rolls_back": (
        30,
        lambda random: {
            "changes": [[random.randint(0, 2), random.randint(0, 2)] for _ in range(random.randint(0, 4))],
            "current": random.randint(0, 2),
        },
    ),
    "versions.after_rollback": (
        10,
        lambda random: {
            "changes": (changes := random.randint(1, 4)),
            "rolled_back": random.randint(0, changes),
        },
    ),
}


def generate() -> dict[Path, list[Vector]]:
    """The vectors of each generated file."""
    found: dict[Path, list[Vector]] = {}
    for rule, (count, draw) in _DRAWS.items():
        file = GENERATED / f"{rule.partition('.')[0]}.json"
        found.setdefault(file, []).extend(_vectors(rule, count, draw))
    return found


def _vectors(rule: str, count: int, draw: Callable[[Random], Facts]) -> Iterator[Vector]:
    random = Random(f"{SEED} {rule}")
    seen: set[str] = set()
    for _ in range(count * 20):
        facts = draw(random)
        if len(seen) < count and str(facts) not in seen:
            seen.add(str(facts))
            yield Vector(rule, f"drawn {len(seen)}", facts, model_verdict(rule, facts))


if __name__ == "__main__":
    for path, vectors in generate().items():
        write_vectors(path, vectors)
