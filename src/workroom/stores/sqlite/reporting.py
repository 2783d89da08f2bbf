"""Workers report: start, progress, end; people cancel."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import NamedTuple, TypeVar

import orjson

from workroom.domain.breaker import Breaker
from workroom.domain.job import REFUSED_INPUT, TERMINAL, Fence, JobError, JobState, may_follow
from workroom.domain.retrying import MAX_RETRIES, TryAgain, after_error
from workroom.domain.steps import Progress, Release, Report, Revocation, Start, Step
from workroom.errors import IllegalTransition, JobNotFound, StaleAttempt, WorkroomError
from workroom.stores.sqlite.breakers import breaker_of, change_breaker, end_trial
from workroom.stores.sqlite.ending import Stopped, conclude, fail, jitter, requeue
from workroom.stores.sqlite.lanes import waiting
from workroom.stores.sqlite.ledger import Ledger
from workroom.stores.sqlite.statements import SQL

_Named = TypeVar("_Named", Start, Report)

NO_REASON = JobError("Error", "the worker gave no reason", {}, "")


class _Held(NamedTuple):
    """A job as somebody who names a fence finds it."""

    job: int
    room: str
    user: str
    status: str
    version: int
    attempt: int
    token: str | None
    nonce: str | None
    extension: int
    worker: str | None
    tries: int
    lane: str | None
    live_token: str | None

    def is_current(self, worker: str, fence: Fence) -> bool:
        """Is this the attempt that the job waits for, or ended with?"""
        return (self.worker, self.attempt, self.token) == (worker, fence.attempt, fence.token)

    def is_live(self, fence: Fence) -> bool:
        """Does the attempt still take up its worker?"""
        return self.live_token == fence.token


def start(connection: sqlite3.Connection, at_us: int, worker: str, starts: Sequence[Start]) -> Step:
    ledger = Ledger(connection, at_us)
    for held, start in _each_held(ledger, worker, starts):
        ledger.step.answers.append(_start(ledger, worker, held, start))
    return ledger.close()


def settle(connection: sqlite3.Connection, at_us: int, worker: str, reports: Sequence[Report]) -> Step:
    ledger = Ledger(connection, at_us)
    ended: set[int] = set()
    for held, report in _each_held(ledger, worker, reports):
        ledger.step.answers.append(_settle(ledger, worker, held, report, ended))
    ledger.retire(ended)
    return ledger.close()


def append(connection: sqlite3.Connection, worker: str, records: Sequence[Progress]) -> Step:
    step = Step()
    for record in records:
        held = find_held(connection, worker, record.fence)
        if held is None or not held.is_current(worker, record.fence) or held.status != JobState.RUNNING:
            step.answers.append(stale(held))
        else:
            connection.execute(SQL["save_progress"], (held.job, record.document))
            step.answers.append(None)
            step.rooms[record.fence.job_id] = held.room
    return step


def running_job(connection: sqlite3.Connection, worker: str | None, fence: Fence) -> int:
    """The row of the job whose running attempt this is; without a worker, its token alone tells."""
    held = find_held(connection, worker or "", fence)
    if held is None:
        raise JobNotFound()
    is_current = held.is_current(worker or held.worker or "", fence)
    if not is_current or held.status != JobState.RUNNING:
        raise stale(held)
    return held.job


def cancel(
    connection: sqlite3.Connection, at_us: int, job_ids: Sequence[str], actor: str, reason: str
) -> Step:
    ledger = Ledger(connection, at_us)
    ended: set[int] = set()
    ledger.step.answers.extend(_cancel(ledger, job_id, actor, reason, ended) for job_id in job_ids)
    ledger.retire(ended)
    return ledger.close()


def _each_held(ledger: Ledger, worker: str, items: Sequence[_Named]) -> Iterator[tuple[_Held | None, _Named]]:
    """Each item with the job it names as it stands. They are found together, unless one job comes twice."""
    for part in _apart(items):
        yield from zip(_find_all(ledger.connection, worker, [item.fence for item in part]), part, strict=True)
        ledger.flush()


def _apart(items: Sequence[_Named]) -> Iterator[list[_Named]]:
    part: dict[str, _Named] = {}
    for item in items:
        if item.fence.job_id in part:
            yield list(part.values())
            part = {}
        part[item.fence.job_id] = item
    yield list(part.values())


def _find_all(connection: sqlite3.Connection, worker: str, fences: list[Fence]) -> list[_Held | None]:
    if len(fences) == 1:
        return [find_held(connection, worker, fences[0])]
    named = orjson.dumps([(fence.job_id, fence.attempt) for fence in fences])
    rows = connection.execute(SQL["attempts_by_fences"], (named, worker))
    found = {place: _Held(*row) for place, *row in rows}
    return [found.get(place) for place in range(len(fences))]


def find_held(connection: sqlite3.Connection, worker: str, fence: Fence) -> _Held | None:
    row = connection.execute(SQL["attempt_by_fence"], (worker, fence.attempt, fence.job_id)).fetchone()
    return None if row is None else _Held(*row)


def stale(held: _Held | None) -> WorkroomError:
    if held is None:
        return JobNotFound()
    return StaleAttempt(
        f"this attempt no longer holds the job, which is {held.status}", job_status=held.status
    )


def _start(ledger: Ledger, worker: str, held: _Held | None, start: Start) -> WorkroomError | None:
    fence = start.fence
    if held is None or not held.is_current(worker, fence):
        return stale(held)
    if held.status == JobState.RUNNING and held.nonce == start.nonce:
        return None
    if held.status != JobState.ASSIGNED:
        return stale(held)
    if not breaker_of(ledger, held.extension).lets_start(fence.token):
        _release(ledger, worker, held, fence)
        requeue(ledger, _stopped(held, fence), "server", "circuit open")
        return StaleAttempt("the extension's circuit is open: the job is pending again", job_status="pending")
    ledger.later("start_job", start.nonce, ledger.at_us, held.job)
    ledger.later("start_attempt", ledger.policy(held.extension).timeout, worker, held.job, fence.attempt)
    _record(ledger, held, fence, JobState.RUNNING, f"worker:{held.worker}")
    return None


def _settle(
    ledger: Ledger, worker: str, held: _Held | None, report: Report, ended: set[int]
) -> WorkroomError | None:
    fence = report.fence
    if held is None:
        return JobNotFound()
    if not (held.is_current(worker, fence) or held.is_live(fence)):
        return None if _was_retried(ledger, worker, held, report) else stale(held)
    is_over = not held.is_current(worker, fence) or held.status in TERMINAL
    if not is_over and not _may_end(held, report):
        return IllegalTransition(f"a job that is {held.status} cannot become {report.status}")
    if is_over:
        end_trial(ledger, held.extension, fence.token)
    else:
        _end(ledger, worker, held, report)
    _release(ledger, worker, held, fence)
    ended.add(held.extension)
    return stale(held) if is_over and not _is_repeat(ledger, worker, held, report) else None


def _may_end(held: _Held, report: Report) -> bool:
    return report.status.is_terminal and may_follow(JobState(held.status), report.status)


def _is_repeat(ledger: Ledger, worker: str, held: _Held, report: Report) -> bool:
    """The very report that ended the job, sent again because its answer was lost."""
    if not held.is_current(worker, report.fence) or held.status != report.status:
        return False
    outcome = ledger.connection.execute(SQL["read_outcome"], (held.job,)).fetchone()
    result, error = outcome or (None, None)
    return result == report.result and (error is None or _tells(error, report.error or NO_REASON))


def _was_retried(ledger: Ledger, worker: str, held: _Held, report: Report) -> bool:
    """The very report after which the job was tried again."""
    fence = report.fence
    row = ledger.connection.execute(
        SQL["read_retried"], (held.job, fence.attempt, fence.token, worker)
    ).fetchone()
    is_failure = report.status is JobState.FAILED and report.result is None
    return row is not None and is_failure and _tells(row[0], report.error or NO_REASON)


def _tells(encoded: bytes, error: JobError) -> bool:
    """Is this the error on record, or the one that used up the last try?"""
    told = orjson.loads(encoded)
    last = told["details"].get("last_error") if told["type"] == MAX_RETRIES else None
    return told == asdict(error) or last == {"type": error.type, "message": error.message}


def _end(ledger: Ledger, worker: str, held: _Held, report: Report) -> None:
    if report.status is JobState.FAILED:
        _fail(ledger, worker, held, report)
        return
    rule = Breaker.after_success if report.status is JobState.COMPLETED else Breaker.after_no_verdict
    if change_breaker(ledger, held.extension, partial(rule, token=report.fence.token)):
        ledger.step.arrive(held.extension, waiting(ledger.connection, held.extension))
    ledger.later("end_job", report.status, ledger.at_us, held.job)
    if report.result is not None:
        ledger.later("save_outcome", held.job, report.result, None)
    _record(ledger, held, report.fence, report.status, f"worker:{worker}")


def _fail(ledger: Ledger, worker: str, held: _Held, report: Report) -> None:
    """Errors of the code count against the extension and may be tried again.

    Neither is so for input that was refused, nor for an attempt that never began.
    """
    error = report.error or NO_REASON
    stopped = _stopped(held, report.fence)
    reason = f"{error.type}: {error.message[:200]}"
    if error.type == REFUSED_INPUT or held.status == JobState.ASSIGNED:
        end_trial(ledger, held.extension, report.fence.token)
        fail(ledger, stopped, error, worker, f"worker:{worker}", reason)
        return
    change = partial(Breaker.after_failure, token=report.fence.token, now_us=ledger.at_us)
    change_breaker(ledger, held.extension, change)
    verdict = after_error(ledger.policy(held.extension), held.tries, error, jitter(-1, 1))
    if isinstance(verdict, TryAgain):
        ledger.connection.execute(
            SQL["save_retried"],
            (held.job, report.fence.attempt, report.fence.token, worker, orjson.dumps(asdict(error))),
        )
    conclude(ledger, stopped, verdict, worker, f"worker:{worker}", reason)


def _stopped(held: _Held, fence: Fence) -> Stopped:
    return Stopped(
        held.job, fence.job_id, held.room, held.user, held.version, fence.attempt, held.extension, held.lane
    )


def _release(ledger: Ledger, worker: str, held: _Held, fence: Fence) -> None:
    if held.is_live(fence):
        ledger.later("end_attempt", worker, held.job, fence.attempt)
        ledger.step.released.append(Release(worker, fence.job_id, fence.attempt))
        ledger.touch(held.extension, held.lane)


def _record(ledger: Ledger, held: _Held, fence: Fence, status: JobState, actor: str) -> None:
    ledger.record(
        held.job,
        fence.job_id,
        held.room,
        held.user,
        held.version + 1,
        status,
        fence.attempt,
        held.worker,
        actor,
    )


def _cancel(ledger: Ledger, job_id: str, actor: str, reason: str, ended: set[int]) -> WorkroomError | None:
    row = ledger.connection.execute(SQL["job_by_id"], (job_id,)).fetchone()
    if row is None:
        return JobNotFound()
    job, room, user = row
    status, version, attempt, worker, extension, lane = ledger.connection.execute(
        SQL["state_of_job"], (job,)
    ).fetchone()
    if status == JobState.CANCELLED:
        return None
    if JobState(status).is_terminal:
        return IllegalTransition(f"the job is already {status}", job_status=status)
    ledger.connection.execute(SQL["end_job"], (JobState.CANCELLED, ledger.at_us, job))
    ledger.record(job, job_id, room, user, version + 1, JobState.CANCELLED, attempt, worker, actor, reason)
    if worker is not None:
        ledger.step.revoked.append(Revocation(worker, job_id, attempt, reason))
    ledger.touch(extension, lane)
    ended.add(extension)
    return None
