"""An extension, its policy and its usage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import orjson
from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from workroom.domain import extension as domain
from workroom.domain import queries
from workroom.domain.extension import ExtensionKey, OnLost, RetryOn, RunnerKind, Scope
from workroom.server.http.views.values import Object, Time, format_optional_time


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


class ExtensionStats(TypedDict):
    idle_workers: int
    busy_workers: int
    pending_jobs: int


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


class ExtensionUsage(Extension):
    jobs: Annotated[dict[str, int], Field(description="number of jobs by status")]
    last_job_at: Time | None


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


def render_extensions(extensions: Sequence[domain.Extension]) -> Extensions:
    return {"items": [render_extension(each) for each in extensions]}


def render_usages(usages: Sequence[queries.ExtensionUsage]) -> ExtensionUsages:
    return {"items": [_render_usage(each) for each in usages]}


def _render_usage(usage: queries.ExtensionUsage) -> ExtensionUsage:
    return {
        **render_extension(usage.extension),
        "jobs": usage.jobs,
        "last_job_at": format_optional_time(usage.last_job_at_us),
    }


def render_extension_name(key: ExtensionKey) -> ExtensionName:
    return {"scope": key.scope, "room": key.room, "category": key.category, "name": key.name}
