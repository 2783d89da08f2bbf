"""Start, progress and end of attempts, and cancelling jobs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import NamedTuple, TypeVar

import orjson

from workroom.domain.job import Fence, JobState
from workroom.domain.rules import cancel as cancel_rules
from workroom.domain.rules import finish as finish_rules
from workroom.domain.rules import start as start_rules
from workroom.domain.rules import unbegun as unbegun_rules
from workroom.domain.rules.breaker import Sign
from workroom.domain.rules.cancel import CancelVerdict
from workroom.domain.rules.failure import NO_REASON, failure_reason, was_caused_by
from workroom.domain.rules.finish import ReportVerdict
from workroom.domain.rules.queue.fair_share import begins
from workroom.domain.rules.refusals import already_ended, circuit_open, illegal_transition, stale_attempt
from workroom.domain.rules.retry import Fate
from workroom.domain.rules.start import StartVerdict
from workroom.domain.rules.unbegun import ReleaseVerdict
from workroom.domain.steps import Progress, Release, Report, Revocation, Start, Step, Unbegun
from workroom.errors import JobNotFound, WorkroomError
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.jobs.breakers import breaker_of, change_breaker
from workroom.stores.sqlite.verbs.jobs.ending import Stopped, conclude, requeue, return_start
from workroom.stores.sqlite.verbs.queue.lanes import waiting
from workroom.stores.sqlite.verbs.queue.postponing import POSTPONED
from workroom.stores.sqlite.verbs.step_builder import StepBuilder

_Named = TypeVar("_Named", Start, Report, Unbegun)


class Held(NamedTuple):
    """A job and the attempt that a fence names."""

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
    created_us: int
    started_us: int | None
    has_failed: int
    rank: int
    tag: float
    group: str | None
    is_followed: int
    place: int  # in the list of requested fences

    def is_current(self, worker: str, fence: Fence) -> bool:
        """Whether this is the attempt that the job waits for or ended with."""
        return (self.worker, self.attempt, self.token) == (worker, fence.attempt, fence.token)

    def is_live(self, fence: Fence) -> bool:
        """Whether the attempt still occupies its worker."""
        return self.live_token == fence.token


_held = partial(tuple.__new__, Held)  # `Held(*row)`, without a call of Python for each of many rows


def start(connection: sqlite3.Connection, at_us: int, worker: str, starts: Sequence[Start]) -> Step:
    builder = StepBuilder(connection, at_us)
    served: dict[int, float] = {}
    for held, start in _each_held(builder, worker, starts):
        builder.step.answers.append(_start(builder, worker, held, start, served))
    connection.executemany(SQL["save_share"], [(rank, "", tag) for rank, tag in served.items()])
    return builder.build()


def finish(connection: sqlite3.Connection, at_us: int, worker: str, reports: Sequence[Report]) -> Step:
    builder = StepBuilder(connection, at_us)
    ended: set[int] = set()
    for held, report in _each_held(builder, worker, reports):
        builder.step.answers.append(_finish(builder, worker, held, report, ended))
    builder.retire(ended)
    return builder.build()


def release(
    connection: sqlite3.Connection,
    at_us: int,
    worker: str,
    unbegun: Sequence[Unbegun],
    actor: str,
    reason: str,
) -> Step:
    builder = StepBuilder(connection, at_us)
    ended: set[int] = set()
    for held, each in _each_held(builder, worker, unbegun):
        builder.step.answers.append(_give_back(builder, worker, held, each, actor, reason, ended))
    builder.retire(ended)
    return builder.build()


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
    """The row of the job that this attempt runs; without a worker, the token alone identifies it."""
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
    builder = StepBuilder(connection, at_us)
    builder.step.answers.extend(cancel_jobs(builder, job_ids, actor, reason))
    return builder.build()


def cancel_jobs(
    builder: StepBuilder, job_ids: Sequence[str], actor: str, reason: str
) -> list[WorkroomError | None]:
    ended: set[int] = set()
    answers = [cancel_job(builder, job_id, actor, reason, ended) for job_id in job_ids]
    builder.retire(ended)
    return answers


def _each_held(
    builder: StepBuilder, worker: str, items: Sequence[_Named]
) -> Iterator[tuple[Held | None, _Named]]:
    """Each item with its job. Jobs are read together, unless one occurs twice in the batch."""
    for part in _apart(items):
        yield from zip(
            _find_all(builder.connection, worker, [item.fence for item in part]), part, strict=True
        )
        builder.flush()


def _apart(items: Sequence[_Named]) -> Iterator[list[_Named]]:
    part: dict[str, _Named] = {}
    for item in items:
        if item.fence.job_id in part:
            yield list(part.values())
            part = {}
        part[item.fence.job_id] = item
    yield list(part.values())


def _find_all(connection: sqlite3.Connection, worker: str, fences: list[Fence]) -> list[Held | None]:
    if len(fences) == 1:
        return [find_held(connection, worker, fences[0])]
    named = orjson.dumps([(fence.job_id, fence.attempt) for fence in fences])
    rows = connection.execute(SQL["attempts_by_fences"], (named, worker))
    found = {held.place: held for held in map(_held, rows)}
    return [found.get(place) for place in range(len(fences))]


def find_held(connection: sqlite3.Connection, worker: str, fence: Fence) -> Held | None:
    row = connection.execute(SQL["attempt_by_fence"], (worker, fence.attempt, fence.job_id)).fetchone()
    return None if row is None else _held(row)


def stale(held: Held | None) -> WorkroomError:
    return JobNotFound() if held is None else stale_attempt(held.status)


def _start(
    builder: StepBuilder, worker: str, held: Held | None, start: Start, served: dict[int, float]
) -> WorkroomError | None:
    fence = start.fence
    if held is None:
        return JobNotFound()
    verdict = start_rules.decide(
        held.status,
        is_current=held.is_current(worker, fence),
        is_same_nonce=held.nonce == start.nonce,
        lets_start=breaker_of(builder, held.extension).lets_start(fence.token),
    )
    if verdict is StartVerdict.RUN:
        _run(builder, worker, held, start)
        served[held.rank] = begins(served.get(held.rank, held.tag), held.tag)
        return None
    if verdict is StartVerdict.CIRCUIT_OPEN:
        _release(builder, worker, held, fence)
        requeue(builder, _stopped(held, fence), "server", "circuit open")
        return circuit_open()
    return None if verdict is StartVerdict.REPEAT else stale(held)


def _run(builder: StepBuilder, worker: str, held: Held, start: Start) -> None:
    builder.defer("start_job", start.nonce, builder.at_us, held.job)
    timeout = builder.policy(held.extension).timeout
    builder.defer("start_attempt", timeout, worker, held.job, start.fence.attempt)
    builder.step.wake_in(timeout)
    _record(builder, held, start.fence, JobState.RUNNING, f"worker:{held.worker}")


def _give_back(
    builder: StepBuilder,
    worker: str,
    held: Held | None,
    unbegun: Unbegun,
    actor: str,
    reason: str,
    ended: set[int],
) -> WorkroomError | None:
    if held is None:
        return JobNotFound()
    fence = unbegun.fence
    verdict = unbegun_rules.decide(
        held.status,
        is_current=held.is_current(worker, fence),
        is_live=held.is_live(fence),
        is_same_nonce=held.nonce == unbegun.nonce,
        is_recall=unbegun.nonce is None,
    )
    if verdict is ReleaseVerdict.STALE:
        return stale(held)
    _release(builder, worker, held, fence)
    change_breaker(builder, held.extension, Sign.NONE, fence.token)
    if verdict is ReleaseVerdict.LATE:
        ended.add(held.extension)
        return stale(held)
    is_started = held.status == JobState.RUNNING
    requeue(builder, _stopped(held, fence), actor, reason, refunds=is_started)
    return None


def _finish(
    builder: StepBuilder, worker: str, held: Held | None, report: Report, ended: set[int]
) -> WorkroomError | None:
    if held is None:
        return JobNotFound()
    fence, is_current = report.fence, held.is_current(worker, report.fence)
    verdict = finish_rules.receive(
        held.status, report.status, is_current=is_current, is_live=held.is_live(fence)
    )
    if verdict is ReportVerdict.NOT_HELD:
        return None if _was_retried(builder, worker, held, report) else stale(held)
    if verdict is ReportVerdict.ILLEGAL:
        return illegal_transition(held.status, report.status)
    _release(builder, worker, held, fence)
    ended.add(held.extension)
    if verdict is ReportVerdict.ACCEPTED:
        _end(builder, worker, held, report)
        return None
    change_breaker(builder, held.extension, Sign.NONE, fence.token)
    return None if _is_repeat(builder, held, report, is_current=is_current) else stale(held)


def _is_repeat(builder: StepBuilder, held: Held, report: Report, *, is_current: bool) -> bool:
    outcome = builder.connection.execute(SQL["read_outcome"], (held.job,)).fetchone()
    result, error = outcome or (None, None)
    return finish_rules.is_repeat(
        held.status,
        report.status,
        is_current=is_current,
        same_result=result == report.result,
        same_error=error is not None and was_caused_by(orjson.loads(error), report.error or NO_REASON),
    )


def _was_retried(builder: StepBuilder, worker: str, held: Held, report: Report) -> bool:
    fence = report.fence
    row = builder.connection.execute(
        SQL["read_retried"], (held.job, fence.attempt, fence.token, worker)
    ).fetchone()
    return finish_rules.was_retried(
        report.status,
        has_result=report.result is not None,
        same_error=row is not None and was_caused_by(orjson.loads(row[0]), report.error or NO_REASON),
    )


def _end(builder: StepBuilder, worker: str, held: Held, report: Report) -> None:
    if report.status is JobState.FAILED:
        _fail(builder, worker, held, report)
        return
    sign = finish_rules.after_report(report.status).sign
    if change_breaker(builder, held.extension, sign, report.fence.token):
        builder.step.arrive(held.extension, waiting(builder.connection, held.extension))
    builder.defer("end_job", report.status, builder.at_us, held.job)
    builder.count_end(held.extension, held.job, report.status, held.created_us, held.started_us)
    if held.group is not None or held.is_followed:
        builder.link_end(held.job, report.fence.job_id, report.status, held.group, held.is_followed)
    if report.result is not None:
        builder.defer("save_outcome", held.job, report.result, None)
    _record(builder, held, report.fence, report.status, f"worker:{worker}")


def _fail(builder: StepBuilder, worker: str, held: Held, report: Report) -> None:
    error, fence = report.error or NO_REASON, report.fence
    policy = builder.policy(held.extension)
    ending = finish_rules.after_error(
        held.status,
        error.type,
        policy.retry_on,
        policy.retries,
        held.tries,
        has_failed=bool(held.has_failed),
    )
    change_breaker(builder, held.extension, ending.sign, fence.token)
    if ending.fate is Fate.RETRY:
        builder.connection.execute(
            SQL["save_retried"], (held.job, fence.attempt, fence.token, worker, orjson.dumps(asdict(error)))
        )
    reason = failure_reason(error)
    conclude(
        builder,
        _stopped(held, fence),
        ending.fate,
        error,
        worker,
        f"worker:{worker}",
        reason,
        is_failure=True,
    )


def _stopped(held: Held, fence: Fence) -> Stopped:
    return Stopped(
        held.job,
        fence.job_id,
        held.room,
        held.user,
        held.version,
        fence.attempt,
        held.extension,
        held.lane,
        held.tries,
        held.created_us,
        held.started_us,
        held.group,
        held.is_followed,
    )


def _release(builder: StepBuilder, worker: str, held: Held, fence: Fence) -> None:
    if held.is_live(fence):
        builder.defer("end_attempt", worker, held.job, fence.attempt)
        builder.step.released.append(Release(worker, fence.job_id, fence.attempt))
        builder.recheck_lane(held.extension, held.lane)


def _record(builder: StepBuilder, held: Held, fence: Fence, status: JobState, actor: str) -> None:
    builder.record(
        held.job,
        fence.job_id,
        held.room,
        held.user,
        held.version + 1,
        status,
        fence.attempt,
        held.worker,
        actor,
        created_us=held.created_us,
        started_us=held.started_us,
    )


def cancel_job(
    builder: StepBuilder, job_id: str, actor: str, reason: str, ended: set[int] | None = None
) -> WorkroomError | None:
    """Cancel a job within a step, and note its extension in `ended`."""
    row = builder.connection.execute(SQL["job_by_id"], (job_id,)).fetchone()
    if row is None:
        return JobNotFound()
    job, room, user, created_us, group = row
    status, version, attempt, worker, extension, lane, started_us, ready, is_followed = (
        builder.connection.execute(SQL["state_of_job"], (job,)).fetchone()
    )
    verdict = cancel_rules.decide(status)
    if verdict is not CancelVerdict.CANCEL:
        return None if verdict is CancelVerdict.REPEAT else already_ended(status)
    if status == JobState.ASSIGNED:
        return_start(builder, extension, lane, job)
    builder.connection.execute(SQL["end_job"], (JobState.CANCELLED, builder.at_us, job))
    if ready == POSTPONED:
        builder.connection.execute(SQL["end_postponement"], (job,))
    builder.count_end(extension, job, JobState.CANCELLED, created_us, started_us)
    builder.link_end(job, job_id, JobState.CANCELLED, group, is_followed)
    builder.record(
        job,
        job_id,
        room,
        user,
        version + 1,
        JobState.CANCELLED,
        attempt,
        worker,
        actor,
        reason,
        created_us=created_us,
        started_us=started_us,
    )
    if worker is not None:
        builder.step.revoked.append(Revocation(worker, job_id, attempt, reason))
    builder.recheck_lane(extension, lane)
    if ended is not None:
        ended.add(extension)
    return None
