"""Reports of finished attempts as scripts receive them: results by name, errors by digest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import orjson

from workroom.domain.job import Fence, JobError, JobState
from workroom.domain.rules.failure import NO_REASON, failure_reason
from workroom.domain.steps import Report
from workroom.stores.redis import keys
from workroom.stores.redis.connection import Command
from workroom.stores.redis.messages.layouts import ReportRow


def fence_row(fence: Fence) -> list[object]:
    return [fence.job_id, fence.attempt, fence.token]


def result_name(report: Report) -> str | None:
    """Return the hash field of a result, which is unique to the attempt and to the value."""
    if report.result is None:
        return None
    digest = hashlib.sha1(report.result, usedforsecurity=False).hexdigest()
    return f"result:{report.fence.token}:{digest}"


def report_row(report: Report) -> ReportRow:
    fence, name = fence_row(report.fence), result_name(report)
    if report.status is not JobState.FAILED:
        return ReportRow(fence, str(report.status), name or False)
    error = report.error or NO_REASON
    return ReportRow(
        fence=fence,
        status=str(report.status),
        result=name or False,
        error_digest=_digest(error),
        error=[error.type, error.message, orjson.dumps(error.details), error.stack_trace],
        reason=failure_reason(error),
    )


def result_writes(
    reports: Sequence[Report], rows: Sequence[ReportRow], rooms: Mapping[str, str]
) -> list[Command]:
    """Return commands that write results. A result counts once `finish` has stored its name in the job."""
    commands: list[Command] = []
    for report, row in zip(reports, rows, strict=True):
        name, room = row.result, rooms.get(report.fence.job_id)
        if name and report.result is not None and room and report.status is not JobState.FAILED:
            commands.append(("HSET", keys.folder(room, report.fence.job_id), name, report.result))
    return commands


def result_deletes(reports: Sequence[Report], rooms: Mapping[str, str]) -> list[Command]:
    """Return commands that delete the results of refused reports."""
    commands: list[Command] = []
    for report in reports:
        name, room = result_name(report), rooms.get(report.fence.job_id)
        if name is not None and room is not None:
            commands.append(("HDEL", keys.folder(room, report.fence.job_id), name))
    return commands


def _digest(error: JobError) -> str:
    return hashlib.sha1(orjson.dumps(asdict(error)), usedforsecurity=False).hexdigest()
