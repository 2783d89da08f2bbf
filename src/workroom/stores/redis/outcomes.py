"""How jobs end that went wrong, spelled by the rules of the domain, with gaps that the scripts fill in."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import orjson

from workroom.domain.chat import failure_line
from workroom.domain.extension import Policy, RetryOn
from workroom.domain.job import JobError, job_timeout
from workroom.domain.retrying import after_error, after_loss

_MANY = 987_654_321  # stands for the retries of a policy that is not known yet
_RETRIES = "@RETRIES@"
_POLICY = Policy(retries=_MANY, retry_on=RetryOn.ERROR)


@dataclass(frozen=True, slots=True)
class Outcome:
    """An error as it is kept, and the line that its room is told."""

    error: bytes
    line: str


def outcome(job_id: str, error: JobError) -> Outcome:
    return Outcome(orjson.dumps(asdict(error)), failure_line(job_id, error.type, error.message))


def outcomes(job_id: str, error: JobError) -> tuple[Outcome, Outcome]:
    """What becomes of a job by this error: by itself, and once it has used up all tries."""
    last = after_error(_POLICY, _MANY + 1, error, 0)
    assert isinstance(last, JobError)
    return outcome(job_id, error), outcome(job_id, _with_gap(last))


def _with_gap(error: JobError) -> JobError:
    return replace(error, message=error.message.replace(str(_MANY), _RETRIES, 1))


def _lost() -> tuple[Outcome, Outcome]:
    found = []
    for policy, tries in ((Policy(), 1), (_POLICY, _MANY + 1)):
        error = after_loss(policy, tries, "@WORKER@", 0)
        assert isinstance(error, JobError)
        found.append(outcome("@JOB@", _with_gap(error)))
    return found[0], found[1]


def _timed_out() -> tuple[Outcome, Outcome]:
    error = job_timeout(None)
    gap = JobError(
        error.type, error.message.replace("None", "@TIMEOUT@"), {"timeout_s": "@TIMEOUT@"}, error.stack_trace
    )
    plain, last = outcomes("@JOB@", gap)
    return _as_number(plain), _as_number(last)


def _as_number(found: Outcome) -> Outcome:
    return Outcome(found.error.replace(b'"@TIMEOUT@"', b"@SECONDS@"), found.line)


LOST = _lost()
TIMED_OUT = _timed_out()
