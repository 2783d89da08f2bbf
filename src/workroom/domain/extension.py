"""An extension, its policy, the hash of its schema, and conflicts between extensions of one name."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from workroom.errors import InvalidName

SETTINGS = "settings"
BY_ACTOR = "#"  # instead of a template: the actor chooses the key and the limit of each job
ACTOR_RETRIES = 3  # after a lost worker

_CATEGORY = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


class Scope(StrEnum):
    ROOM = "room"
    PUBLIC = "public"


class RunnerKind(StrEnum):
    LOCAL = "local"
    CELERY = "celery"
    REMOTE = "remote"

    @property
    def is_server_side(self) -> bool:
        return self is not RunnerKind.REMOTE


@dataclass(frozen=True, slots=True)
class ExtensionKey:
    """Where an extension is found. Without a room it is public."""

    room: str | None
    category: str
    name: str

    @property
    def scope(self) -> Scope:
        return Scope.PUBLIC if self.room is None else Scope.ROOM

    def __str__(self) -> str:
        return f"{self.category}/{self.name}"


class RetryOn(StrEnum):
    """What is retried: only jobs of lost workers, or errors too."""

    WORKER_LOST = "worker_lost"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Concurrency:
    """How many jobs may run at once, per key. The key is a template over the job's data: `{provider}`."""

    key: str
    limits: Mapping[str, int] = field(default_factory=dict)
    default: int = 1


class OnLost(StrEnum):
    """What a worker does with running code at the end of a lease that it cannot renew."""

    STOP = "stop"
    CONTINUE = "continue"


class OnDuplicate(StrEnum):
    """What a submit does whose unique key an earlier job has."""

    JOIN = "join"  # it stands for the earlier job
    REFUSE = "refuse"
    REPLACE = "replace"  # the earlier job is cancelled if it still waits


COUNTED_STATES = ("pending", "assigned", "running", "completed")


@dataclass(frozen=True, slots=True)
class Policy:
    """How the jobs of an extension run. Durations are in seconds; the task API finds it by its `actor`."""

    priority: int = 0
    retries: int = 0
    retry_on: RetryOn = RetryOn.WORKER_LOST
    timeout: float | None = None
    concurrency: Concurrency | None = None
    actor: str | None = None
    on_lost: OnLost | None = None
    lease: float | None = None
    rate: str | None = None  # how many may start in a time: `100/min`
    rate_key: str | None = None  # a template over the job's data; without one, all jobs count together
    rates: Mapping[str, str] = field(default_factory=dict, hash=False)  # of keys with another rate
    unique: str | None = None  # a template over the job's data: equal keys in one room are duplicates
    unique_within: float | None = None  # for how long after its submit a completed job counts too
    on_duplicate: OnDuplicate = OnDuplicate.JOIN
    unique_states: tuple[str, ...] = COUNTED_STATES  # in others, the earlier job does not count

    @property
    def has_rate(self) -> bool:
        """Whether some of its jobs have a rate."""
        return self.rate is not None or bool(self.rates)

    @property
    def continues_when_lost(self) -> bool:
        """By default, code stops where another attempt could run meanwhile."""
        if self.on_lost is not None:
            return self.on_lost is OnLost.CONTINUE
        return self.retries == 0 and self.concurrency is None


def make_policy(values: Mapping[str, Any]) -> Policy:
    """Build a policy from its JSON."""
    concurrency = values.get("concurrency")
    return Policy(
        priority=values.get("priority", 0),
        retries=values.get("retries", 0),
        retry_on=RetryOn(values.get("retry_on", RetryOn.WORKER_LOST)),
        timeout=values.get("timeout"),
        concurrency=Concurrency(**concurrency) if concurrency else None,
        actor=values.get("actor"),
        on_lost=OnLost(values["on_lost"]) if values.get("on_lost") else None,
        lease=values.get("lease"),
        rate=values.get("rate"),
        rate_key=values.get("rate_key"),
        rates=values.get("rates") or {},
        unique=values.get("unique"),
        unique_within=values.get("unique_within"),
        on_duplicate=OnDuplicate(values.get("on_duplicate", OnDuplicate.JOIN)),
        unique_states=tuple(values.get("unique_states", COUNTED_STATES)),
    )


@dataclass(frozen=True, slots=True)
class ExtensionSpec:
    """An extension as it is registered."""

    key: ExtensionKey
    schema: bytes
    schema_hash: str
    runner: RunnerKind
    owner: str
    policy: Policy = field(default_factory=Policy)


@dataclass(frozen=True, slots=True)
class Extension:
    """An extension as the store has it."""

    id: int
    spec: ExtensionSpec
    idle_workers: int = 0
    busy_workers: int = 0
    pending_jobs: int = 0
    paused: int = 0
    opened_us: int | None = None
    left_us: int | None = None  # when its last worker left

    @property
    def key(self) -> ExtensionKey:
        return self.spec.key

    @property
    def is_settings(self) -> bool:
        return self.key.category == SETTINGS


def canonical(schema: Mapping[str, Any]) -> bytes:
    """The canonical JSON of a schema: equal schemas have equal bytes."""
    return json.dumps(
        _plain_numbers(schema), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    ).encode()


def _plain_numbers(value: Any) -> Any:
    """Write 1.0 as 1: they are one number in JSON, and languages differ in which they write."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _plain_numbers(each) for key, each in value.items()}
    return [_plain_numbers(each) for each in value] if isinstance(value, list) else value


def schema_hash(schema: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(schema)).hexdigest()


def check_names(key: ExtensionKey) -> None:
    if not _CATEGORY.fullmatch(key.category):
        raise InvalidName(f"'{key.category}' is not a category: use a-z, 0-9, - and _, at most 64")
    if not _NAME.fullmatch(key.name):
        raise InvalidName(f"'{key.name}' is not an extension name: use letters, digits, - and _, at most 64")
