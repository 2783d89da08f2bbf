"""Digests of accepted reports: a repeated report is recognised after its job has moved."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from workroom.domain.job import JobState
from workroom.domain.steps import Report
from workroom.stores.redis.keys import SEPARATOR
from workroom.stores.redis.messages.layouts import JobRecord
from workroom.stores.redis.messages.reports import report_row

_RETRIED = "retried:"


def accepted_reports(record: JobRecord, fields: Mapping[str, str]) -> frozenset[str]:
    """Return the digests of the report that ended the job and of those that led to a retry."""
    error = record.error_digest if record.status == JobState.FAILED else False
    last = _digest(record.token, record.worker, record.status, record.result, error)
    retried = [value.split(SEPARATOR) for name, value in fields.items() if name.startswith(_RETRIED)]
    return frozenset(
        [last, *(_digest(token, worker, JobState.FAILED, False, error) for token, worker, error in retried)]
    )


def report_digest(worker: str, report: Report) -> str:
    row = report_row(report)
    return _digest(report.fence.token, worker, row.status, row.result, row.error_digest)


def _digest(*parts: object) -> str:
    """Hash the parts, so that the archive holds no tokens."""
    text = SEPARATOR.join(str(part or "") for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
