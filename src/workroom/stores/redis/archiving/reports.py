"""Which reports of a job were accepted, so that one that is sent again is known when the job has moved."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from workroom.domain.job import JobState
from workroom.domain.steps import Report
from workroom.stores.redis.keys import SEPARATOR
from workroom.stores.redis.records import Record
from workroom.stores.redis.results import report_row

_RETRIED = "retried:"


def accepted_reports(kept: Record, fields: Mapping[str, str]) -> frozenset[str]:
    """The one that ended the job, and those after which it was tried again."""
    said = kept.said if kept.status == JobState.FAILED else False
    last = _digest(kept.token, kept.worker, kept.status, kept.result, said)
    retried = [value.split(SEPARATOR) for name, value in fields.items() if name.startswith(_RETRIED)]
    return frozenset(
        [last, *(_digest(token, worker, JobState.FAILED, False, said) for token, worker, said in retried)]
    )


def report_digest(worker: str, report: Report) -> str:
    _, status, result, said, *_ = report_row(report)
    return _digest(report.fence.token, worker, status, result, said)


def _digest(*parts: object) -> str:
    """Tokens are nobody's business."""
    spelled = SEPARATOR.join(str(part or "") for part in parts)
    return hashlib.sha256(spelled.encode("utf-8", "surrogateescape")).hexdigest()
