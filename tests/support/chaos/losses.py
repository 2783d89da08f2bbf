"""Decides for each job that was lost with a killed worker whether that is documented.

Either its code had begun; or its start was on its way, with nothing before it at the worker; or it was
started together with jobs that the server expected to take 5 ms, one of which began within the last 5 ms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from support.chaos.history import lines
from support.extensions.pace import BEGIN, END, Note, noted
from workroom.domain.rules.estimates import TOGETHER_MS

WORKER, ASSIGNED = "worker", "assigned"  # what workers write into their journals
_ROUNDING_MS = 0.01  # of what the server sends, summed


class Loss(NamedTuple):
    """A job that failed, by the server's history: where it was started last, and when."""

    job: str
    worker: str | None
    started: float | None


class Unbegun(NamedTuple):
    """A lost job whose code never ran, and since when nothing had happened at its worker that was killed."""

    job: str
    since: float
    killed: float


@dataclass(frozen=True)
class Records:
    """What the workers of a test wrote into files."""

    pids: Mapping[str, int]
    expected_ms: Mapping[tuple[int, str], float | None]
    begins: Sequence[Note]
    ends: Sequence[Note]

    @classmethod
    def read(cls, journals: Path, diary: Path) -> Self:
        seen = list(lines(journals))
        return cls(
            {line["worker"]: line["pid"] for line in seen if line["event"] == WORKER},
            {(line["pid"], line["job"]): line["expected_ms"] for line in seen if line["event"] == ASSIGNED},
            noted(diary, BEGIN),
            noted(diary, END),
        )

    def begun_at(self, pid: int) -> dict[str, float]:
        return {each.job: each.at for each in self.begins if each.pid == pid}

    def unfinished_at(self, pid: int) -> set[str]:
        return self.begun_at(pid).keys() - {each.job for each in self.ends if each.pid == pid}

    def shortest_expected_ms(self) -> float:
        """What the server expected of the shortest job; with it, 5 ms are so many jobs and no more."""
        return min((each for each in self.expected_ms.values() if each is not None), default=math.inf)

    def begun_twice(self) -> list[str]:
        jobs = [each.job for each in self.begins]
        return sorted({job for job in jobs if jobs.count(job) > 1})


class Losses:
    def __init__(self, records: Records, killed: Mapping[int, float], losses: Iterable[Loss]) -> None:
        """`killed` has the time right before the signal, by process."""
        self._records = records
        self._killed = killed
        self._losses = list(losses)

    def unexplained(self, is_longer: Callable[[float, float], bool]) -> list[str]:
        """A sentence for each job that should not have been lost.

        `is_longer` decides whether two moments are further apart than a worker takes to give jobs back.
        """
        reasons = [(loss.job, self._fault(loss)) for loss in self._losses]
        reasons += [
            (each.job, f"nothing had begun for {each.killed - each.since:.3f} s")
            for each in self.unbegun()
            if is_longer(each.since, each.killed)
        ]
        return [f"{job}: {reason}" for job, reason in reasons if reason]

    def unbegun(self) -> list[Unbegun]:
        return [
            each
            for loss in self._losses
            if not self._fault(loss) and (each := self._unbegun(loss)) is not None
        ]

    def _unbegun(self, loss: Loss) -> Unbegun | None:
        pid = self._records.pids[loss.worker or ""]
        begun = self._records.begun_at(pid)
        if loss.job in begun or loss.started is None:
            return None
        return Unbegun(loss.job, max(loss.started, *begun.values(), 0.0), self._killed[pid])

    def _fault(self, loss: Loss) -> str:
        """Why this loss is not documented, but for its time."""
        pid = self._records.pids.get(loss.worker or "")
        if loss.started is None or pid is None or pid not in self._killed:
            return f"failed at worker {loss.worker}, which was not killed"
        return "" if loss.job in self._records.begun_at(pid) else self._fault_of_group(pid)

    def _fault_of_group(self, pid: int) -> str:
        """Whether what was started and not ended at this process was more than may be started together."""
        begun = self._records.begun_at(pid)
        lost = {each.job for each in self._losses if self._records.pids.get(each.worker or "") == pid}
        group = (lost - begun.keys()) | self._records.unfinished_at(pid)
        if len(group) == 1:
            return ""  # its start was on its way
        expected = [self._records.expected_ms.get((pid, job)) for job in sorted(group)]
        known = [each for each in expected if each is not None]
        if len(known) < len(expected):
            return (
                f"{len(group)} jobs were started together, of which {len(expected) - len(known)} may be long"
            )
        if sum(known) > TOGETHER_MS + _ROUNDING_MS:
            return f"{len(group)} jobs of {sum(known):.3f} ms were started together"
        return ""
