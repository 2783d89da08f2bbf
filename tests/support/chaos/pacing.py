"""Random durations, lies and kills; and what must hold afterwards, by the server's own history."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from time import time
from typing import NamedTuple

from support.chaos.losses import Loss, Losses, Records
from support.chaos.stage import PATIENCE, Stage, is_serving
from support.chaos.stalls import Stalls
from workroom.testing.processes import Process, eventually

SHORTEST_MS = 0.1
NOTEWORTHY_SECONDS = 0.01
SHORT_BURST, SHORT_MS = 150, 0.5  # enough to prove that jobs are short, just before long ones arrive


class Step(NamedTuple):
    at: float
    status: str
    worker: str | None
    actor: str


Span = tuple[float, float]


class Worst(NamedTuple):
    """The longest of some spans: by the times of the store, and without what the machine may have caused."""

    measured: float = 0.0
    own: float = 0.0


@dataclass
class Played:
    """What happened: the histories of jobs, the workers' records, and when processes were killed."""

    stalls: Stalls
    urgent: set[str] = field(default_factory=set)
    steps: dict[str, list[Step]] = field(default_factory=dict)
    records: Records = field(default_factory=lambda: Records({}, {}, [], []))
    killed: dict[int, float] = field(default_factory=dict)

    def ends(self) -> Counter[str]:
        return Counter(steps[-1].status for steps in self.steps.values())

    def taken_back(self) -> int:
        """How often a job that was handed out ahead went back to the queue."""
        return sum(
            step.status == "assigned" and following.status == "pending" and following.actor != "server"
            for steps in self.steps.values()
            for step, following in pairwise(steps)
        )

    def losses(self) -> Losses:
        failed = {job: steps for job, steps in self.steps.items() if steps[-1].status == "failed"}
        return Losses(self.records, self.killed, (_loss(job, steps) for job, steps in failed.items()))

    def own_seconds(self, begin: float, end: float) -> float:
        """The time between, without what the machine may have caused."""
        return max(0.0, end - begin - self.stalls.between(begin, end)) if end > begin else 0.0

    def longest_idle(self) -> Worst:
        """For how long a worker had nothing while a job waited, there or elsewhere."""
        waits = [span for steps in self.steps.values() for span in _waits(steps)]
        gaps = self._gaps()
        return self.worst((max(gap[0], wait[0]), min(gap[1], wait[1])) for gap in gaps for wait in waits)

    def longest_overtaken(self) -> Worst:
        """For how long jobs still began although a more urgent one waited."""
        starts = sorted(
            step.at
            for job, steps in self.steps.items()
            if job not in self.urgent
            for step in steps
            if step.status == "running"
        )
        waits = [span for job in self.urgent for span in _joined(_waits(self.steps[job]))]
        return self.worst((begin, at) for begin, end in waits for at in starts if begin < at < end)

    def worst(self, spans: Iterable[Sequence[float]]) -> Worst:
        """The longest of these spans, of those that are not too short to be looked at."""
        long = [span for span in spans if span[1] - span[0] > NOTEWORTHY_SECONDS]
        if not long:
            return Worst()
        measured = max(end - begin for begin, end in long)
        return Worst(measured, max(self.own_seconds(begin, end) for begin, end in long))

    def _gaps(self) -> list[Span]:
        """When a worker had nothing, between its first job and its last."""
        held: dict[str, list[Span]] = defaultdict(list)
        for steps in self.steps.values():
            for step, following in pairwise(steps):
                if step.worker is not None:
                    held[step.worker].append((step.at, following.at))
        gaps = []
        for spans in held.values():
            until = min(begin for begin, _ in spans)
            for begin, end in sorted(spans):
                if begin > until:
                    gaps.append((until, begin))
                until = max(until, end)
        return gaps


def _loss(job: str, steps: list[Step]) -> Loss:
    """Where it was started last; nowhere if it failed otherwise than by the loss of its worker."""
    last = steps[-2]
    is_lost = last.status == "running" and steps[-1].actor == "server"
    return Loss(job, last.worker if is_lost else None, last.at if is_lost else None)


def _waits(steps: list[Step]) -> list[Span]:
    """When a job waited for its begin. Where it was at a killed worker, nobody could know."""
    return [
        (step.at, following.at)
        for step, following in pairwise(steps)
        if step.status in ("pending", "assigned") and following.actor != "server"
    ]


def _joined(spans: list[Span]) -> list[Span]:
    """Spans that follow one another as one."""
    joined: list[Span] = []
    for begin, end in spans:
        if joined and joined[-1][1] == begin:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
    return joined


class Pacing:
    """Five workers, of which three lie about their times."""

    def __init__(self, stage: Stage, longest_ms: float, stalls: Stalls) -> None:
        """`stalls` knows the servers; workers are added to it."""
        self._stage = stage
        self._longest_ms = longest_ms
        self._stalls = stalls
        self._diary = stage.folder / "diary"
        self._honest: dict[Process, bool] = {}
        self._played = Played(stalls)
        for is_honest in (True, True, False, False, False):
            self._add_worker(is_honest=is_honest)

    def _add_worker(self, *, is_honest: bool) -> None:
        if is_honest:
            worker = self._stage.script("honest")
        else:
            worker = self._stage.script("liar", str(self._stage.chance.random()))
        is_serving(worker)
        self._stalls.watch(worker.pid)
        self._honest[worker] = is_honest

    def play(self, jobs: int, kills: int) -> Played:
        """Submit in bursts, the next when few jobs are left, and kill workers in between."""
        chance, submitted = self._stage.chance, list[str]()
        kills_at = set(chance.sample(range(jobs), kills))
        while len(submitted) < jobs:
            is_short = chance.random() < 1 / 4
            burst = min(SHORT_BURST if is_short else chance.randint(1, 60), jobs - len(submitted))
            due = [at for at in kills_at if len(submitted) <= at < len(submitted) + burst]
            submitted += self._submit_data([SHORT_MS] * burst, 0) if is_short else self._submit(burst)
            for _ in due:
                self._kill_one()
            self._wait_until_left(chance.randint(0, 10))
        self._wait_until_left(0)
        for job in submitted:
            self._played.steps[job] = [
                Step(_seconds(step["at"]), step["status"], step["worker"], step["actor"])
                for step in self._stage.steps(job)
            ]
        self._played.records = Records.read(self._stage.journals, self._diary)
        return self._played

    def _submit(self, count: int) -> list[str]:
        """Two batches, of which the second is more urgent and arrives when the first is being worked off."""
        urgent = self._stage.chance.randint(0, min(3, count - 1))
        ids = self._submit_batch(count - urgent, priority=0)
        if urgent:
            chosen = self._submit_batch(urgent, priority=10)
            self._played.urgent.update(chosen)
            ids += chosen
        return ids

    def _submit_batch(self, count: int, priority: int) -> list[str]:
        return self._submit_data([self._duration_ms() for _ in range(count)], priority)

    def _submit_data(self, durations_ms: list[float], priority: int) -> list[str]:
        data = [{"ms": each, "diary": str(self._diary)} for each in durations_ms]
        what = {"category": "analysis", "name": "Pace", "priority": priority}
        jobs = [{**what, "data": each} for each in data]
        answer = self._stage.http.post("/api/rooms/demo/jobs/batch", json={"jobs": jobs}).json()
        return [item["job"]["id"] for item in answer["items"]]

    def _duration_ms(self) -> float:
        """As many between 0.1 and 1 ms as between 1 and 10."""
        low, high = math.log(SHORTEST_MS), math.log(self._longest_ms)
        return math.exp(self._stage.chance.uniform(low, high))

    def _wait_until_left(self, count: int) -> None:
        def is_reached() -> bool:
            stats = self._stage.http.get("/api/rooms/demo/extensions/room/analysis/Pace/stats").json()
            busy = sum(each["running_jobs"] + each["assigned_jobs"] for each in self._stage.fleet())
            return bool(stats["pending_jobs"] + busy <= count)

        eventually(is_reached, 3 * PATIENCE, f"{count} jobs being left")

    def _kill_one(self) -> None:
        victim = self._stage.chance.choice(sorted(self._honest, key=lambda each: each.pid))
        is_honest = self._honest.pop(victim)
        self._played.killed[victim.pid] = time()
        victim.kill()
        self._add_worker(is_honest=is_honest)


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
