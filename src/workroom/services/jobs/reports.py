"""What workers report about their attempts, over a socket or REST; and cancelling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workroom import tracing
from workroom.domain.identity import Principal
from workroom.domain.job import Job, JobError, JobState
from workroom.domain.schema.masking import carries_secrets
from workroom.domain.steps import (
    Assignment,
    LogBatch,
    Progress,
    Report,
    ReportLimits,
    Start,
    Suspension,
    Unbegun,
)
from workroom.errors import BodyTooLarge, InvalidRequest, SecretsUnreadable, WorkroomError
from workroom.services.jobs.secrets import Secrets
from workroom.services.json_codec import unfit
from workroom.services.steps import Steps

Answers = list[WorkroomError | None]
_CANCELLED = "cancelled by a user"


class Reports:
    """Every method returns, for each item, None or the error with which it was refused."""

    def __init__(self, steps: Steps, limits: ReportLimits, secrets: Secrets) -> None:
        self._steps = steps
        self._secrets = secrets
        self._max_result = limits.result
        self._max_details = limits.details

    async def start(self, worker: str, starts: Sequence[Start]) -> Answers:
        return (await self._steps.start(worker, starts)).answers

    async def release(self, worker: str, unbegun: Sequence[Unbegun]) -> Answers:
        return (await self._steps.release(worker, unbegun)).answers

    async def finish(self, worker: str, reports: Sequence[Report], run_ms: Mapping[str, float]) -> Answers:
        secret = [report.fence for report in reports if carries_secrets(report.fence.token)]
        if secret:
            reports = [await self._secrets.masked_report(report) for report in reports]
        answers = await self._finish(worker, reports, run_ms)
        for fence in secret:
            self._secrets.forget(fence.job_id)
        return answers

    async def fail_unreadable(self, assignment: Assignment) -> None:
        """End an attempt that cannot start because its secret values cannot be decrypted."""
        error = JobError(SecretsUnreadable.__name__, SecretsUnreadable.title(), {}, "")
        await self._finish(assignment.worker, [Report(assignment.fence, JobState.FAILED, error=error)], {})

    async def _finish(self, worker: str, reports: Sequence[Report], run_ms: Mapping[str, float]) -> Answers:
        sizes = [len(report.result or b"") for report in reports]
        fitting = [
            report if report.error is None else self._with_fitting_details(report, report.error)
            for report, size in zip(reports, sizes, strict=True)
            if size <= self._max_result
        ]
        since_ns = tracing.now_ns()
        answers = iter((await self._steps.finish(worker, fitting, run_ms)).answers)
        for report in fitting:
            if report.trace is not None and tracing.is_on():
                ended = {"workroom.job": report.fence.job_id, "workroom.status": str(report.status)}
                tracing.record("finish", "SERVER", report.trace, since_ns, ended)
        return [next(answers) if size <= self._max_result else self._too_large(size) for size in sizes]

    def _with_fitting_details(self, report: Report, error: JobError) -> Report:
        """Drop error details that are too large: they must not prevent the job from ending."""
        reason = unfit(error.details, self._max_details)
        if reason is None:
            return report
        note: dict[str, object] = {"note": f"the details were left out: {reason}"}
        return replace(report, error=replace(error, details=note))

    def _too_large(self, size: int) -> WorkroomError:
        return BodyTooLarge(
            f"the result has {size:,} bytes; a result may have {self._max_result:,}",
            max_bytes=self._max_result,
        )

    async def suspend(self, worker: str, suspensions: Sequence[Suspension]) -> tuple[Answers, list[bool]]:
        """Also returns for each whether its slot is free now."""
        step, freed = await self._steps.suspend(worker, suspensions)
        return step.answers, freed

    async def progress(self, worker: str, records: Sequence[Progress]) -> Answers:
        if any(carries_secrets(record.fence.token) for record in records):
            records = [await self._secrets.masked_progress(record) for record in records]
        return (await self._steps.append(worker, records)).answers

    async def log(self, worker: str, batches: Sequence[LogBatch]) -> Answers:
        if any(carries_secrets(batch.fence.token) for batch in batches):
            batches = [await self._secrets.masked_lines(batch) for batch in batches]
        return list((await self._steps.log(worker, batches)).answers)

    async def cancel(self, who: Principal, job_id: str) -> None:
        step = await self._steps.cancel([job_id], who.user, _CANCELLED)
        if step.answers[0] is not None:
            raise step.answers[0]

    async def arrange(self, jobs: Sequence[Job]) -> list[Job | WorkroomError]:
        """Let jobs of one person start in this order. Each job, or why it has no place in the queue."""
        if len({job.user for job in jobs}) > 1:
            raise InvalidRequest("only jobs of one person can be arranged together")
        step = await self._steps.arrange([job.id for job in jobs])
        return [job if refusal is None else refusal for job, refusal in zip(jobs, step.answers, strict=True)]

    async def cancel_all(self, who: Principal, jobs: Sequence[Job]) -> list[Job | WorkroomError]:
        """Each job as it is now, or why it cannot be cancelled."""
        step = await self._steps.cancel([job.id for job in jobs], who.user, _CANCELLED)
        return [
            replace(job, status=JobState.CANCELLED) if refusal is None else refusal
            for job, refusal in zip(jobs, step.answers, strict=True)
        ]
