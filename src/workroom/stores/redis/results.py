"""How attempts end, as the scripts are told: results by name, errors by digest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson

from workroom.domain.job import REFUSED_INPUT, Fence, JobError, JobState
from workroom.domain.steps import Report
from workroom.stores.redis import keys
from workroom.stores.redis.outcomes import outcomes
from workroom.stores.redis.wire import Command

NO_REASON = JobError("Error", "the worker gave no reason", {}, "")


ReportRow = list[Any]
_RESULT = 2


def fence_row(fence: Fence) -> list[object]:
    return [fence.job_id, fence.attempt, fence.token]


def result_name(report: Report) -> str | None:
    """Under which a result is kept. Another result, or another attempt, has another name."""
    if report.result is None:
        return None
    digest = hashlib.sha1(report.result, usedforsecurity=False).hexdigest()
    return f"result:{report.fence.token}:{digest}"


def report_row(report: Report) -> ReportRow:
    fence, name = fence_row(report.fence), result_name(report)
    if report.status is not JobState.FAILED:
        return [fence, str(report.status), name or False, False, False, False, False]
    error = report.error or NO_REASON
    rows = [[each.error, each.line] for each in outcomes(report.fence.job_id, error)]
    reason = f"{error.type}: {error.message[:200]}"
    is_refused = error.type == REFUSED_INPUT
    return [fence, str(report.status), name or False, _said(error), rows, reason, is_refused]


def writes(reports: Sequence[Report], rows: Sequence[ReportRow], rooms: Mapping[str, str]) -> list[Command]:
    """A result is written before its attempt is settled, and counts only if that names it."""
    found: list[Command] = []
    for report, row in zip(reports, rows, strict=True):
        name, room = row[_RESULT], rooms.get(report.fence.job_id)
        if name and report.result is not None and room and report.status is not JobState.FAILED:
            found.append(("HSET", keys.folder(room, report.fence.job_id), name, report.result))
    return found


def drops(reports: Sequence[Report], rooms: Mapping[str, str]) -> list[Command]:
    """Results that do not count."""
    found: list[Command] = []
    for report in reports:
        name, room = result_name(report), rooms.get(report.fence.job_id)
        if name is not None and room is not None:
            found.append(("HDEL", keys.folder(room, report.fence.job_id), name))
    return found


def _said(error: JobError) -> str:
    return hashlib.sha1(orjson.dumps(asdict(error)), usedforsecurity=False).hexdigest()
