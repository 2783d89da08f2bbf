"""Pushes assignments to workers, with their secret values in clear."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

from workroom import tracing
from workroom.domain.steps import Assignment
from workroom.errors import SecretsUnreadable
from workroom.ports import WorkerChannel
from workroom.services.jobs.secrets import Secrets
from workroom.services.lifecycle.background import BackgroundTasks

FailAssignment = Callable[[Assignment], Coroutine[Any, Any, None]]


class Pushes:
    def __init__(self, channel: WorkerChannel, secrets: Secrets, tasks: BackgroundTasks) -> None:
        self._channel = channel
        self._secrets = secrets
        self._tasks = tasks
        self._fail: FailAssignment | None = None

    def on_unreadable(self, fail: FailAssignment) -> None:
        """Call this for an assignment whose secret values cannot be decrypted."""
        self._fail = fail

    def push(self, worker_id: str, assignments: Sequence[Assignment]) -> None:
        self._channel.push(worker_id, self.decrypt(assignments))

    def decrypt(self, assignments: Sequence[Assignment]) -> Sequence[Assignment]:
        """The assignments as their worker gets them."""
        if tracing.is_on():
            assignments = [_traced(each) for each in assignments]
        if all(each.secrets is None for each in assignments):
            return assignments
        decrypted: list[Assignment] = []
        for assignment in assignments:
            try:
                decrypted.append(self._secrets.open(assignment))
            except SecretsUnreadable:
                if self._fail is not None:
                    self._tasks.start(self._fail(assignment))
        return decrypted


def _traced(assignment: Assignment) -> Assignment:
    """The run of the job belongs to its push, which belongs to its submit."""
    attributes: dict[str, str | int] = {
        "workroom.job": assignment.fence.job_id,
        "workroom.attempt": assignment.fence.attempt,
        "workroom.worker": assignment.worker,
    }
    name = f"push {assignment.extension.category}/{assignment.extension.name}"
    trace = tracing.record(name, "PRODUCER", assignment.trace, tracing.now_ns(), attributes)
    return replace(assignment, trace=trace)
