"""Random durations, lies and kills; and what must hold afterwards, by the server's own history."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from time import time
from typing import NamedTuple

from support.chaos.stage import PATIENCE, Stage, is_serving
from support.extensions.pace import begun
from workroom.testing.processes import Process, eventually

SHORTEST_MS = 0.1
_EXTENSION = "support.extensions.pace:Pace"


class Step(NamedTuple):
    at: float
    status: str
    worker: str | None
    actor: str


@dataclass
class Played:
    """What happened: jobs by id with their histories, begins, and when processes were killed."""

    steps: dict[str, list[Step]] = field(default_factory=dict)
    begins: dict[str, int] = field(default_factory=dict)
    killed: dict[int, float] = field(default_factory=dict)

    def lost(self) -> list[str]:
        return [job for job, steps in self.steps.items() if steps[-1].status == "failed"]

    def started_at(self, job: str) -> float:
        return max(step.at for step in self.steps[job] if step.status == "running")

    def unexplained(self, seconds: float) -> list[str]:
        """Lost jobs that had neither begun at a killed worker nor been started right before a kill."""
        return [
            job
            for job in self.lost()
            if self.begins.get(job) not in self.killed
            and not any(0 <= at - self.started_at(job) < seconds for at in self.killed.values())
        ]

    def longest_idle(self) -> float:
        """The longest time for which a worker had nothing while a job waited, there or elsewhere."""
        waits = [span for steps in self.steps.values() for span in _waits(steps)]
        return max((_overlap(gap, wait) for gap in self._gaps() for wait in waits), default=0.0)

    def _gaps(self) -> list[tuple[float, float]]:
        """When a worker had nothing, between its first job and its last."""
        held: dict[str, list[tuple[float, float]]] = defaultdict(list)
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


def _waits(steps: list[Step]) -> list[tuple[float, float]]:
    """When a job waited for its begin. Where it was at a killed worker, nobody could know."""
    return [
        (step.at, following.at)
        for step, following in pairwise(steps)
        if step.status in ("pending", "assigned") and following.actor != "server"
    ]


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> float:
    return min(one[1], other[1]) - max(one[0], other[0])


class Pacing:
    """Five workers, of which three lie about their times."""

    def __init__(self, stage: Stage, longest_ms: float) -> None:
        self._stage = stage
        self._longest_ms = longest_ms
        self._diary = stage.folder / "diary"
        self._honest: dict[Process, bool] = {}
        self._played = Played()
        for is_honest in (True, True, False, False, False):
            self._add_worker(is_honest=is_honest)

    def _add_worker(self, *, is_honest: bool) -> None:
        if is_honest:
            worker: Process = self._stage.launch(_EXTENSION)
        else:
            worker = self._stage.script("liar", str(self._stage.chance.random()))
        is_serving(worker)
        self._honest[worker] = is_honest

    def play(self, jobs: int, kills: int) -> Played:
        """Submit in bursts, the next when few jobs are left, and kill workers in between."""
        chance, submitted = self._stage.chance, list[str]()
        kills_at = set(chance.sample(range(jobs), kills))
        while len(submitted) < jobs:
            burst = min(chance.randint(1, 60), jobs - len(submitted))
            due = [at for at in kills_at if len(submitted) <= at < len(submitted) + burst]
            submitted += self._submit(burst)
            for _ in due:
                self._kill_one()
            self._wait_until_left(chance.randint(0, 10))
        self._wait_until_left(0)
        for job in submitted:
            self._played.steps[job] = [
                Step(_seconds(step["at"]), step["status"], step["worker"], step["actor"])
                for step in self._stage.steps(job)
            ]
        self._played.begins = begun(self._diary)
        return self._played

    def _submit(self, count: int) -> list[str]:
        data = [{"ms": self._duration_ms(), "diary": str(self._diary)} for _ in range(count)]
        jobs = [{"category": "analysis", "name": "Pace", "data": each} for each in data]
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
