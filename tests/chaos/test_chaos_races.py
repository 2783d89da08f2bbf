"""Many say the same, or the opposite, at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import aiohttp
import pytest

from support.chaos.stage import CALM, PATIENCE, PATIENT, Stage, is_serving
from support.scripted_worker import ScriptedWorker
from workroom.testing.processes import eventually

IDENTICAL = "identical report"
DIFFERENT = "different report refused"
RACERS = 50
RACES = [100, pytest.param(1000, marks=pytest.mark.full)]
pytestmark = pytest.mark.timeout(300)


@pytest.mark.full
async def test_50_identical_reports_at_once_have_one_effect_and_one_answer(stage: Stage) -> None:
    stage.open(PATIENT)
    scripted = stage.scripted()
    for _ in range(3):
        job = stage.submit("Scripted")
        fence = _fence(scripted, scripted.take())
        path = f"/api/jobs/{job}/status"
        for report in ({"status": "running"}, {"status": "completed", "result": {"n": 1}}):
            for status in await _all_at_once(scripted, path, [{**fence, **report}] * 50):
                assert status == 200
                stage.journal.witness(IDENTICAL)
        words = [step["status"] for step in stage.steps(job)]
        assert words == ["pending", "assigned", "running", "completed"]

    stage.verdict({IDENTICAL: 300})


@pytest.mark.full
async def test_of_50_reports_that_differ_one_wins_and_its_repeats_are_welcome(stage: Stage) -> None:
    stage.open(PATIENT)
    scripted = stage.scripted()
    for _ in range(3):
        job = stage.submit("Scripted")
        item = scripted.take()
        assert scripted.start(item) is None
        fence = _fence(scripted, item)
        bodies = [{**fence, "status": "completed", "result": number % 5} for number in range(50)]
        stage.chance.shuffle(bodies)
        statuses = await _all_at_once(scripted, f"/api/jobs/{job}/status", bodies)
        result = stage.job(job)["result"]
        for body, status in zip(bodies, statuses, strict=True):
            assert status == (200 if body["result"] == result else 409)
            if status == 409:
                stage.journal.witness(DIFFERENT)

    stage.verdict({DIFFERENT: 3 * 40})


@pytest.mark.parametrize("races", RACES)
async def test_the_race_of_cancel_and_complete_has_one_winner(stage: Stage, races: int) -> None:
    stage.open({**PATIENT, "read_ahead": 0})  # this worker starts late, and would lose what it has ahead
    scripted = stage.scripted()
    jobs = stage.submit_many("Scripted", races)
    winners: dict[str, str] = {}
    async with aiohttp.ClientSession(stage.server.url) as http:
        for _ in range(races):
            item = scripted.take(PATIENCE)
            assert scripted.start(item) is None
            winners[item["job_id"]] = await _race(stage, scripted, http, item)

    history = stage.verdict({"completed won": 1, "cancelled won": 1})
    assert {job: document["status"] for job, document in history.jobs.items()} == winners
    assert sorted(winners) == sorted(jobs)


async def _soon(request: Awaitable[aiohttp.ClientResponse], stage: Stage) -> aiohttp.ClientResponse:
    """Within a few milliseconds, so that either may be the first."""
    await asyncio.sleep(stage.chance.uniform(0, 0.005))
    return await request


async def _race(
    stage: Stage, scripted: ScriptedWorker, http: aiohttp.ClientSession, item: dict[str, Any]
) -> str:
    path = f"/api/jobs/{item['job_id']}"
    report = {**_fence(scripted, item), "status": "completed"}
    complete = http.put(f"{path}/status", json=report, headers=dict(scripted.http.headers))
    cancel = http.delete(path, headers=dict(stage.http.headers))
    answers = await asyncio.gather(*(_soon(each, stage) for each in (complete, cancel)))
    statuses = {answer.method: answer.status for answer in answers}
    for answer in answers:
        answer.release()
    winner = {200: "completed", 409: "cancelled"}[statuses["PUT"]]
    assert statuses["DELETE"] == (409 if winner == "completed" else 200)
    stage.journal.witness(f"{winner} won")
    return winner


@pytest.mark.full
def test_of_50_workers_that_race_for_fewer_jobs_one_gets_each(stage: Stage) -> None:
    stage.open(CALM)
    processes = [stage.script("racers", str(RACERS // 5)) for _ in range(5)]
    for process in processes:
        is_serving(process)
    for _ in range(4):
        _wait_until_all_idle(stage)
        for job in stage.submit_many("Plain", 30):
            assert stage.wait_for_end(job)["status"] == "completed"

    history = stage.verdict({f"{RACERS} workers wait": 4})
    assert {len(history.runs_of(job)) for job in history.promised} == {1}
    assert {(job["tries"], job["attempt"]) for job in history.jobs.values()} == {(1, 1)}
    assert len({run.pid for run in history.executions}) == len(processes), "all took part"


def _wait_until_all_idle(stage: Stage) -> None:
    def idle() -> int:
        return sum(each["state"] == "idle" for each in stage.fleet())

    eventually(lambda: idle() == RACERS, PATIENCE, f"{RACERS} idle workers")
    stage.journal.witness(f"{RACERS} workers wait")


def _fence(scripted: ScriptedWorker, item: dict[str, Any]) -> dict[str, Any]:
    return {"worker_id": scripted.worker_id, "attempt": item["attempt"], "token": item["token"]}


async def _all_at_once(scripted: ScriptedWorker, path: str, bodies: list[dict[str, Any]]) -> list[int]:
    async with aiohttp.ClientSession(scripted.url, headers=dict(scripted.http.headers)) as http:
        answers = await asyncio.gather(*(http.put(path, json=body) for body in bodies))
        for answer in answers:
            answer.release()
        return [answer.status for answer in answers]
