"""The limits and rates of media providers hold over all workers of all servers."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import pytest

from replicas.conftest import StartReplica
from support.billing_service import PNG
from support.fake_service import Answer, Call, FakeService
from workroom import Room
from workroom.testing.processes import eventually

TASKS = 10
RATE = 4  # a second
PERIOD_S = 1.0
SECONDS = {"leonardo": 0.3, "midjourney": 0.8}


class Services:
    """Leonardo and midjourney-proxy, in one process. A task takes a while from its acceptance on."""

    def __init__(self) -> None:
        self.http = FakeService(self._handle)
        self.most: Counter[str] = Counter()
        self.accepted: Counter[str] = Counter()
        self._running: Counter[str] = Counter()
        self._lock = threading.Lock()

    def _handle(self, call: Call) -> Answer:
        if call.path == "/pricing-calculator":
            return Answer({"calculateProductionApiServiceCost": {"cost": 7}})
        if call.path == "/generations":
            return Answer({"sdGenerationJob": {"generationId": self._accept("leonardo")}})
        if call.path == "/mj/submit/imagine":
            return Answer({"code": 1, "result": self._accept("midjourney")})
        if call.path.startswith("/generations/"):
            image = {"id": "i", "url": self._finish("leonardo")}
            return Answer({"generations_by_pk": {"status": "COMPLETE", "generated_images": [image]}})
        if call.path.startswith("/mj/task/"):
            return Answer({"status": "SUCCESS", "imageUrl": self._finish("midjourney")})
        return Answer(PNG)

    def _accept(self, provider: str) -> str:
        with self._lock:
            self.accepted[provider] += 1
            self._running[provider] += 1
            self.most[provider] = max(self.most[provider], self._running[provider])
            return f"{provider}-{self.accepted[provider]}"

    def _finish(self, provider: str) -> str:
        """The answer to the first look takes as long as the task."""
        self.http.released.wait(SECONDS[provider])
        with self._lock:
            self._running[provider] -= 1
        return f"{self.http.url}/files/1.png"


def most_in(times: Sequence[datetime], seconds: float) -> int:
    return max(sum(0 <= (each - first).total_seconds() < seconds for each in times) for first in times)


def test_providers_are_never_busier_than_their_limits_over_two_servers(
    start_replica: StartReplica, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = Services()
    with services.http.running():
        for name, value in {
            "LEONARDO_KEY": "key",
            "LEONARDO_URL": services.http.url,
            "MIDJOURNEY_KEY": "key",
            "MIDJOURNEY_URL": services.http.url,
            "RATES": json.dumps({"leonardo": f"{RATE}/s"}),
        }.items():
            monkeypatch.setenv(f"WORKROOM_PACK_MEDIA_{name}", value)
        here, there = (start_replica(name, workers=2, slots=4, packs="media") for name in "ab")
        with Room("demo", here.url, user="ada") as room, Room("demo", there.url, user="bob") as other:
            jobs = [
                (room, other)[number % 2].submit_named(
                    "media", "Generate", {"provider": provider, "params": {"prompt": str(number)}}
                )
                for number in range(TASKS)
                for provider in ("midjourney", "leonardo")
            ]
            eventually(lambda: all(job.status == "completed" for job in jobs), 90, "the end of all jobs")
            documents = [job.document for job in jobs]

    of = {name: [each for each in documents if each["data"]["provider"] == name] for name in services.most}
    assert services.accepted == {"midjourney": TASKS, "leonardo": TASKS}
    assert services.most["midjourney"] == 1
    assert services.most["leonardo"] <= 3
    assert most_in([datetime.fromisoformat(each["assigned_at"]) for each in of["leonardo"]], PERIOD_S) <= RATE
    ends = {name: max(each["completed_at"] for each in found) for name, found in of.items()}
    assert ends["leonardo"] < ends["midjourney"]
    assert len({each["worker"] for each in documents}) == 4
