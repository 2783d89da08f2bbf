"""What administrators see: activity, rooms with what they use, settings, the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from workroom.domain import audit
from workroom.domain import room as domain
from workroom.domain.histogram import Distribution
from workroom.domain.queries import Page
from workroom.server.http.views.room import Room, render_room
from workroom.server.http.views.values import Time, format_time
from workroom.services.admin.activity import Activity, Sample
from workroom.services.admin.settings_view import Setting
from workroom.services.metrics.extension_labels import Label
from workroom.services.metrics.store_figures import ExtensionFigures

_ENDS = ("completed", "failed", "cancelled")


class Percentiles(TypedDict):
    p50: float
    p90: float
    p99: float


class ActivityPoint(TypedDict):
    """What happened in the time that ends at `at`. Wait and execution times are those of this server."""

    at: Time
    duration_ms: float
    completed: int
    failed: int
    cancelled: int
    pending: Annotated[int, Field(description="jobs that waited at `at`")]
    wait_time_ms: Percentiles | None
    execution_time_ms: Percentiles | None


class ExtensionActivity(TypedDict):
    """An extension with its pending jobs now, and its ends for each point. The name `other` is all others."""

    scope: str
    name: str
    pending: int
    oldest_ms: Annotated[float | None, Field(description="age of the oldest job that could run")]
    paused: bool
    circuit_open: bool
    completed: list[int]
    failed: list[int]
    failure_rate: Annotated[float | None, Field(description="of all points, without cancelled jobs")]


class Overview(TypedDict):
    """Figures of the store are null while it does not respond. Those of `workers` are of this server."""

    store_up: bool
    unfinished_jobs: int | None
    files: int | None
    bytes: int | None
    workers: dict[str, int]
    sockets: int
    streams: int
    points: list[ActivityPoint]
    extensions: list[ExtensionActivity]


class RoomUsage(Room):
    unfinished_jobs: int
    files: int
    bytes: int


class RoomUsagePage(TypedDict):
    items: list[RoomUsage]
    next_after: Annotated[str | None, Field(description="`after` of the next page, if there is one")]


class SettingInForce(TypedDict):
    """Passwords and keys are masked, also within URLs."""

    name: str
    value: Any
    is_default: bool
    description: str


class Settings(TypedDict):
    items: list[SettingInForce]


class AuditEntry(TypedDict):
    seq: int
    at: Time
    actor: str
    action: audit.AuditAction
    target: str
    detail: str


class AuditPage(TypedDict):
    items: list[AuditEntry]
    next_cursor: Annotated[int | None, Field(description="`cursor` of the next page, if there is one")]


def render_overview(activity: Activity) -> Overview:
    figures, store = activity.figures, activity.figures.store
    return {
        "store_up": store is not None,
        "unfinished_jobs": None if store is None else store.unfinished,
        "files": None if store is None else store.files,
        "bytes": None if store is None else store.bytes,
        "workers": dict(figures.workers),
        "sockets": figures.sockets,
        "streams": figures.streams,
        "points": [_render_point(each) for each in activity.samples],
        "extensions": []
        if store is None
        else [
            _render_extension(label, each, activity.samples, figures.now_us)
            for label, each in sorted(store.extensions.items())
        ],
    }


def _render_point(sample: Sample) -> ActivityPoint:
    ended = {status: sum(n for (_, found), n in sample.ended.items() if found == status) for status in _ENDS}
    return {
        "at": format_time(sample.at_us),
        "duration_ms": sample.seconds * 1000,
        "completed": ended["completed"],
        "failed": ended["failed"],
        "cancelled": ended["cancelled"],
        "pending": sample.pending,
        "wait_time_ms": _render_percentiles(sample.waits),
        "execution_time_ms": _render_percentiles(sample.executions),
    }


def _render_percentiles(found: Distribution) -> Percentiles | None:
    p50, p90, p99 = (found.quantile(share) for share in (0.5, 0.9, 0.99))
    if p50 is None or p90 is None or p99 is None:
        return None
    return {"p50": p50 * 1000, "p90": p90 * 1000, "p99": p99 * 1000}


def _render_extension(
    label: Label, now: ExtensionFigures, samples: Sequence[Sample], now_us: int
) -> ExtensionActivity:
    completed = [each.ended[label, "completed"] for each in samples]
    failed = [each.ended[label, "failed"] for each in samples]
    ended = sum(completed) + sum(failed)
    return {
        "scope": label.scope,
        "name": label.name,
        "pending": now.waiting.total(),
        "oldest_ms": None if now.oldest_us is None else max(0, now_us - now.oldest_us) / 1000,
        "paused": now.paused > 0,
        "circuit_open": now.broken > 0,
        "completed": completed,
        "failed": failed,
        "failure_rate": sum(failed) / ended if ended else None,
    }


def render_room_usage_page(
    rooms: Sequence[domain.Room], usage: Sequence[tuple[int, int, int]], limit: int
) -> RoomUsagePage:
    """`rooms` has one room more than `limit` if there is a next page."""
    items: list[RoomUsage] = [
        {**render_room(room), "unfinished_jobs": jobs, "files": files, "bytes": size}
        for room, (jobs, files, size) in zip(rooms[:limit], usage, strict=True)
    ]
    return {"items": items, "next_after": items[-1]["name"] if len(rooms) > limit else None}


def render_settings(settings: Sequence[Setting]) -> Settings:
    return {
        "items": [
            {
                "name": each.name,
                "value": each.value,
                "is_default": each.is_default,
                "description": each.description,
            }
            for each in settings
        ]
    }


def render_audit_page(page: Page[audit.AuditEntry]) -> AuditPage:
    items: list[AuditEntry] = [
        {
            "seq": each.sequence,
            "at": format_time(each.at_us),
            "actor": each.actor,
            "action": each.action,
            "target": each.target,
            "detail": each.detail,
        }
        for each in page.items
    ]
    return {"items": items, "next_cursor": page.next_cursor}
