"""The limits and rates of media providers hold over all workers of all servers."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

import pytest

from replicas.conftest import StartReplica
from support.billing_service import PNG
from support.fake_service import Answer, Call, FakeService
from workroom import JobHandle, Room
from workroom.testing.processes import eventually

TASKS = 10
RATE = 4  # a second
PERIOD_S = 1.0
LIMITS = {"leonardo": 3, "midjourney": 1}
LONGEST_S = 120.0
LONG_POLL_S = 20.0


class Services:
    """Leonardo and midjourney-proxy, in one process. A task runs until the test lets it end."""

    def __init__(self) -> None:
        self.http = FakeService(self._handle)
        self.most: Counter[str] = Counter()
        self.accepted: Counter[str] = Counter()
        self._running: dict[str, set[str]] = {name: set() for name in LIMITS}
        self._allowed: Counter[str] = Counter()  # how many tasks may end
        self._changed = threading.Condition()

    @property
    def running(self) -> dict[str, int]:
        with self._changed:
            return {name: len(tasks) for name, tasks in self._running.items()}

    def let_end(self, provider: str, tasks: int) -> None:
        """So many of a provider's tasks may end, counted from its first."""
        with self._changed:
            self._allowed[provider] = tasks
            self._changed.notify_all()

    def _handle(self, call: Call) -> Answer:
        name = call.path.rsplit("/", 1)[-1]
        if call.path == "/pricing-calculator":
            return Answer({"calculateProductionApiServiceCost": {"cost": 7}})
        if call.path == "/generations":
            return Answer({"sdGenerationJob": {"generationId": self._accept("leonardo")}})
        if call.path == "/mj/submit/imagine":
            return Answer({"code": 1, "result": self._accept("midjourney")})
        if call.path.startswith("/generations/"):
            return Answer({"generations_by_pk": self._leonardo_task(name)})
        if call.path.startswith("/mj/task/"):
            is_done = self._is_done("midjourney", call.path.split("/")[-2])
            return Answer({"status": "SUCCESS" if is_done else "IN_PROGRESS", "imageUrl": self._image})
        return Answer(PNG)

    def _leonardo_task(self, id: str) -> dict[str, object]:
        if not self._is_done("leonardo", id):
            return {"status": "PENDING"}
        return {"status": "COMPLETE", "generated_images": [{"id": "i", "url": self._image}]}

    @property
    def _image(self) -> str:
        return f"{self.http.url}/files/1.png"

    def _accept(self, provider: str) -> str:
        with self._changed:
            self.accepted[provider] += 1
            id = f"{provider}-{self.accepted[provider]}"
            self._running[provider].add(id)
            self.most[provider] = max(self.most[provider], len(self._running[provider]))
            return id

    def _is_done(self, provider: str, id: str) -> bool:
        """The answer waits for the end of the task, so that nobody has to look twice."""
        with self._changed:
            number = int(id.rpartition("-")[2])
            is_allowed = self._changed.wait_for(lambda: number <= self._allowed[provider], LONG_POLL_S)
            if is_allowed:
                self._running[provider].discard(id)
            return is_allowed


def most_in(times: Sequence[datetime], seconds: float) -> int:
    return max(sum(0 <= (each - first).total_seconds() < seconds for each in times) for first in times)


def ended(jobs: Iterable[JobHandle]) -> int:
    return sum(job.status == "completed" for job in jobs)


def submitted(rooms: Sequence[Room]) -> dict[str, list[JobHandle]]:
    """Ten orders of each provider, in turn to each room."""
    jobs: dict[str, list[JobHandle]] = {name: [] for name in LIMITS}
    for number in range(TASKS):
        for provider, found in jobs.items():
            values = {"provider": provider, "params": {"prompt": str(number)}}
            found.append(rooms[number % 2].submit_named("media", "Generate", values))
    return jobs


def test_providers_are_never_busier_than_their_limits_over_two_servers(
    start_replica: StartReplica, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = Services()

    def wait_until(check: Callable[[], bool], what: str) -> None:
        eventually(check, LONGEST_S, what)

    with services.http.running():
        for name, value in {
            "LEONARDO_KEY": "key",
            "LEONARDO_URL": services.http.url,
            "MIDJOURNEY_KEY": "key",
            "MIDJOURNEY_URL": services.http.url,
            "RATES": json.dumps({"leonardo": f"{RATE}/s"}),
        }.items():
            monkeypatch.setenv(f"WORKROOM_PACK_MEDIA_{name}", value)
        here, there = (start_replica(name, workers=2, slots=1, packs="media") for name in "ab")
        with Room("demo", here.url, user="ada") as room, Room("demo", there.url, user="bob") as other:
            jobs = submitted([room, other])
            both = [*jobs["leonardo"], *jobs["midjourney"]]
            wait_until(lambda: services.running == LIMITS, "as many tasks as the limits allow")
            busy = {job.document["worker"] for job in both if job.status == "running"}

            services.let_end("leonardo", TASKS // 2)  # they are not held up by midjourney's first task
            wait_until(lambda: ended(jobs["leonardo"]) == TASKS // 2, "the end of half of leonardo's")
            wait_until(lambda: services.running == LIMITS, "the next three of leonardo's tasks")

            services.let_end("midjourney", TASKS)  # then there is a worker for a fourth of leonardo's
            wait_until(lambda: ended(jobs["midjourney"]) == TASKS, "the end of midjourney's")
            assert services.running == {"leonardo": 3, "midjourney": 0}

            services.let_end("leonardo", TASKS)
            wait_until(lambda: ended(both) == 2 * TASKS, "the end of all jobs")
            started = [datetime.fromisoformat(job.document["assigned_at"]) for job in jobs["leonardo"]]

    assert len(busy) == 4
    assert services.accepted == {"leonardo": TASKS, "midjourney": TASKS}
    assert services.most == LIMITS
    assert most_in(started, PERIOD_S) <= RATE
