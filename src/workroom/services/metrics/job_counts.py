"""Counts what happens to jobs on this server. Runs for each step of each job, so it only adds up."""

from __future__ import annotations

from collections.abc import Sequence

from workroom.domain.histogram import SECONDS, Histogram
from workroom.domain.job import JobState, Transition
from workroom.domain.rules.failure import is_retry

_US = 1_000_000


class JobCounts:
    """`waits` lasts from a submit to each start, `executions` from the last start to the end."""

    def __init__(self) -> None:
        self.submitted = 0
        self.started = 0
        self.ended = dict.fromkeys((JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED), 0)
        self.retried = 0
        self.returned = 0  # given back, uncharged
        self.waits = Histogram(SECONDS)
        self.executions = Histogram(SECONDS)

    def count(self, transitions: Sequence[Transition]) -> None:
        for each in transitions:
            if each.status is JobState.RUNNING:
                self.started += 1
                if each.created_at_us is not None:
                    self.waits.observe((each.at_us - each.created_at_us) / _US)
            elif each.status in self.ended:
                self.ended[each.status] += 1
                if each.started_at_us is not None:
                    self.executions.observe((each.at_us - each.started_at_us) / _US)
            elif each.status is JobState.PENDING:
                self._count_pending(each)

    def _count_pending(self, transition: Transition) -> None:
        if transition.version == 1:
            self.submitted += 1
        elif is_retry(transition.reason):
            self.retried += 1
        else:
            self.returned += 1
