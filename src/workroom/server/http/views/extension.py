"""An extension, its policy and its usage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import orjson
from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from workroom.domain import extension as domain
from workroom.domain import queries
from workroom.domain.extension import ExtensionKey, OnDuplicate, OnLost, RetryOn, RunnerKind, Scope
from workroom.domain.storage import recent_ends
from workroom.domain.storage.recent_ends import statistics_of
from workroom.server.http.views.values import Object, Time, format_optional_time, format_time


class Concurrency(TypedDict):
    """How many jobs run at once, per key: a template over the values."""

    key: str
    limits: dict[str, int]
    default: int


class Policy(TypedDict):
    """How jobs of an extension are treated."""

    priority: int
    retries: int
    retry_on: RetryOn
    timeout: Annotated[float | None, Field(description="seconds")]
    concurrency: Concurrency | None
    actor: Annotated[str | None, Field(description="its name for POST /api/task")]
    on_lost: Annotated[OnLost, Field(description="what code does at the end of a lease")]
    lease: Annotated[float | None, Field(description="seconds; the server's if null")]
    rate: Annotated[str | None, Field(description="how many may start in a time, like 100/min")]
    rate_key: Annotated[str | None, Field(description="jobs are counted by this template over the values")]
    rates: Annotated[dict[str, str], Field(description="the rates of keys that have another one")]
    unique: Annotated[str | None, Field(description="jobs with the same values in it are duplicates")]
    unique_within: Annotated[float | None, Field(description="seconds in which a completed job counts too")]
    on_duplicate: OnDuplicate
    unique_states: Annotated[list[str], Field(description="states in which the earlier job counts")]


class ExtensionStats(TypedDict):
    idle_workers: int
    busy_workers: int
    pending_jobs: int


class KeyUse(TypedDict):
    """How many jobs of a key run and wait, over all rooms."""

    limit: int
    running: int
    waiting: int


class DetailedStats(ExtensionStats):
    keys: Annotated[dict[str, KeyUse], Field(description="of keys that have a limit of their own")]


class Extension(ExtensionStats):
    """A typed unit of work; its form is made from `schema`."""

    scope: Scope
    room: str | None
    category: str
    name: str
    schema: Object
    schema_hash: str
    runner: RunnerKind
    owner: str
    policy: Policy
    paused: bool
    circuit_open: bool
    away_since: Annotated[Time | None, Field(description="when its last worker left")]


class Extensions(TypedDict):
    items: list[Extension]


class Percentiles(TypedDict):
    p50: float
    p90: float
    p99: float


class RecentEnds(TypedDict):
    """The last jobs that ended, at most 200. Durations are of those that started."""

    ends: int
    since: Annotated[Time | None, Field(description="when the first of them ended")]
    failure_rate: Annotated[float | None, Field(description="failed jobs among those not cancelled, 0 to 1")]
    wait_time_ms: Percentiles | None
    execution_time_ms: Percentiles | None


class LastFailure(TypedDict):
    job_id: str
    at: Time
    type: str
    message: str


class ExtensionUsage(Extension):
    jobs: Annotated[dict[str, int], Field(description="number of jobs by status")]
    last_job_at: Time | None
    recent: RecentEnds
    last_failure: LastFailure | None


class ExtensionUsages(TypedDict):
    items: list[ExtensionUsage]


class ExtensionName(TypedDict):
    scope: Scope
    room: str | None
    category: str
    name: str


class LastValues(TypedDict):
    data: Annotated[Any, WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "null"}]})]


def render_extension(extension: domain.Extension) -> Extension:
    spec = extension.spec
    return {
        "scope": spec.key.scope,
        "room": spec.key.room,
        "category": spec.key.category,
        "name": spec.key.name,
        "schema": orjson.Fragment(spec.schema),
        "schema_hash": spec.schema_hash,
        "runner": spec.runner,
        "owner": spec.owner,
        "policy": _render_policy(spec.policy),
        "paused": bool(extension.paused),
        "circuit_open": extension.opened_us is not None,
        "away_since": format_optional_time(extension.left_us),
        **render_stats(extension),
    }


def _render_policy(policy: domain.Policy) -> Policy:
    concurrency = policy.concurrency
    return {
        "priority": policy.priority,
        "retries": policy.retries,
        "retry_on": policy.retry_on,
        "timeout": policy.timeout,
        "concurrency": None if concurrency is None else _render_concurrency(concurrency),
        "actor": policy.actor,
        "on_lost": OnLost.CONTINUE if policy.continues_when_lost else OnLost.STOP,
        "lease": policy.lease,
        "rate": policy.rate,
        "rate_key": policy.rate_key,
        "rates": dict(policy.rates),
        "unique": policy.unique,
        "unique_within": policy.unique_within,
        "on_duplicate": policy.on_duplicate,
        "unique_states": list(policy.unique_states),
    }


def _render_concurrency(concurrency: domain.Concurrency) -> Concurrency:
    return {
        "key": concurrency.key,
        "limits": dict(concurrency.limits),
        "default": concurrency.default,
    }


def render_stats(extension: domain.Extension) -> ExtensionStats:
    return {
        "idle_workers": extension.idle_workers,
        "busy_workers": extension.busy_workers,
        "pending_jobs": extension.pending_jobs,
    }


def render_detailed_stats(extension: domain.Extension, lanes: Mapping[str, queries.LaneUse]) -> DetailedStats:
    concurrency = extension.spec.policy.concurrency
    limits = {} if concurrency is None else concurrency.limits
    return {
        **render_stats(extension),
        "keys": {key: _key_use(limits[key], use) for key, use in lanes.items()},
    }


def _key_use(limit: int, use: queries.LaneUse) -> KeyUse:
    return {"limit": limit, "running": use.running, "waiting": use.waiting}


def render_extensions(extensions: Sequence[domain.Extension]) -> Extensions:
    return {"items": [render_extension(each) for each in extensions]}


def render_usages(usages: Sequence[queries.ExtensionUsage]) -> ExtensionUsages:
    return {"items": [_render_usage(each) for each in usages]}


def _render_usage(usage: queries.ExtensionUsage) -> ExtensionUsage:
    return {
        **render_extension(usage.extension),
        "jobs": usage.jobs,
        "last_job_at": format_optional_time(usage.last_job_at_us),
        "recent": _render_recent(statistics_of(usage.recent)),
        "last_failure": None if usage.last_failure is None else _render_failure(usage.last_failure),
    }


def _render_recent(statistics: recent_ends.EndStatistics) -> RecentEnds:
    return {
        "ends": statistics.ends,
        "since": format_optional_time(statistics.since_us),
        "failure_rate": statistics.failure_rate,
        "wait_time_ms": _render_percentiles(statistics.wait_ms),
        "execution_time_ms": _render_percentiles(statistics.execution_ms),
    }


def _render_percentiles(found: recent_ends.Percentiles | None) -> Percentiles | None:
    return None if found is None else {"p50": found.p50, "p90": found.p90, "p99": found.p99}


def _render_failure(failure: queries.LastFailure) -> LastFailure:
    error = orjson.loads(failure.error)
    at = format_time(failure.at_us)
    return {"job_id": failure.job_id, "at": at, "type": error["type"], "message": error["message"]}


def render_extension_name(key: ExtensionKey) -> ExtensionName:
    return {"scope": key.scope, "room": key.room, "category": key.category, "name": key.name}
