"""What workers report and what people cancel. Socket and REST both end here."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence

from workroom.domain.events import JobProgressed
from workroom.domain.identity import Principal
from workroom.domain.steps import LogBatch, Progress, Report, Start, Step
from workroom.errors import BodyTooLarge, WorkroomError
from workroom.ports import EventBus, Store
from workroom.services.dispatch import Dispatcher
from workroom.services.logs import logged
from workroom.services.outflow import Outflow

Answers = list[WorkroomError | None]


class Reporting:
    def __init__(
        self, store: Store, dispatcher: Dispatcher, outflow: Outflow, bus: EventBus, max_result: int
    ) -> None:
        self._max_result = max_result
        self._store = store
        self._dispatcher = dispatcher
        self._outflow = outflow
        self._bus = bus

    async def start(self, worker: str, starts: Sequence[Start]) -> Answers:
        step = await self._store.start(worker, starts)
        accepted = [
            start.fence for start, refusal in zip(starts, step.answers, strict=True) if refusal is None
        ]
        self._dispatcher.started(accepted, worker)
        self._outflow.follow(step)
        return step.answers

    async def finish(self, worker: str, reports: Sequence[Report], run_ms: Mapping[str, float]) -> Answers:
        """The next claim stands right behind the end, so that one commit carries both."""
        sizes = [len(report.result or b"") for report in reports]
        fitting = [report for report, size in zip(reports, sizes, strict=True) if size <= self._max_result]
        committed = self._store.settle(worker, fitting)
        self._dispatcher.ending([report.fence for report in fitting], worker, run_ms)
        step = await committed
        self._outflow.follow(step)
        answers = iter(step.answers)
        return [next(answers) if size <= self._max_result else self._too_large(size) for size in sizes]

    def _too_large(self, size: int) -> WorkroomError:
        return BodyTooLarge(
            f"the result has {size:,} bytes; a result may have {self._max_result:,}",
            max_bytes=self._max_result,
        )

    async def progress(self, worker: str, records: Sequence[Progress]) -> Answers:
        step = await self._store.append(worker, records)
        self._bus.publish(
            [
                JobProgressed(record.fence.job_id, record.document, step.rooms.get(record.fence.job_id))
                for record, refusal in zip(records, step.answers, strict=True)
                if refusal is None
            ]
        )
        return step.answers

    async def log(self, worker: str, batches: Sequence[LogBatch]) -> Answers:
        """What is on record now is told; what came again, or does not fit any more, is not."""
        done = await self._store.log(worker, batches)
        self._bus.publish(
            [logged(batch, lines) for batch, lines in zip(batches, done.kept, strict=True) if lines]
        )
        return list(done.answers)

    async def cancel(self, who: Principal, job_id: str) -> None:
        await self._settled(self._store.cancel([job_id], who.user, "cancelled by a user"))

    async def _settled(self, committed: Awaitable[Step]) -> None:
        step = await committed
        self._outflow.follow(step)
        if step.answers[0] is not None:
            raise step.answers[0]
