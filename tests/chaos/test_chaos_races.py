"""Many say the same, or the opposite, at once."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from chaos.checker import check
from chaos.stage import Stage
from puppet import Puppet

CALM = {"lease": 60, "grace": 60}


async def _all_at_once(puppet: Puppet, requests: list[tuple[str, str, Any]]) -> list[httpx.Response]:
    limits = httpx.Limits(max_connections=len(requests))
    async with httpx.AsyncClient(base_url=puppet.url, headers=puppet.http.headers, limits=limits) as http:
        return await asyncio.gather(
            *(http.request(method, path, json=body, timeout=20) for method, path, body in requests)
        )


@pytest.mark.parametrize("rounds", [3, pytest.param(50, marks=pytest.mark.full)])
async def test_50_identical_reports_at_once_have_one_effect_and_one_answer(stage: Stage, rounds: int) -> None:
    stage.open(**CALM)
    puppet = stage.puppet()
    for _ in range(rounds):
        job = stage.submit("Puppet")
        item = puppet.take()
        path = f"/api/jobs/{job}/status"
        fence = {"worker_id": puppet.worker_id, "attempt": item["attempt"], "token": item["token"]}
        started = await _all_at_once(puppet, [("PUT", path, {**fence, "status": "running"})] * 50)
        ended = await _all_at_once(
            puppet, [("PUT", path, {**fence, "status": "completed", "result": {"n": 1}})] * 50
        )
        assert [answer.status_code for answer in [*started, *ended]] == [200] * 100
        assert [step["status"] for step in stage.steps(job)] == [
            "pending",
            "assigned",
            "running",
            "completed",
        ]
        stage.evidence["identical reports"] += len(ended)
    check(stage.settle(), stage.evidence)


@pytest.mark.parametrize("rounds", [3, pytest.param(50, marks=pytest.mark.full)])
async def test_of_50_reports_that_differ_one_wins_and_its_repeats_are_welcome(
    stage: Stage, rounds: int
) -> None:
    stage.open(**CALM)
    puppet = stage.puppet()
    for _ in range(rounds):
        job = stage.submit("Puppet")
        item = puppet.take()
        assert puppet.start(item) is None
        fence = {"worker_id": puppet.worker_id, "attempt": item["attempt"], "token": item["token"]}
        bodies = [{**fence, "status": "completed", "result": number % 5} for number in range(50)]
        stage.chance.shuffle(bodies)
        answers = await _all_at_once(puppet, [("PUT", f"/api/jobs/{job}/status", body) for body in bodies])
        result = stage.job(job)["result"]
        for body, answer in zip(bodies, answers, strict=True):
            assert answer.status_code == (200 if body["result"] == result else 409), answer.text
            stage.evidence["409"] += answer.status_code == 409
    check(stage.settle(), stage.evidence)


@pytest.mark.parametrize("races", [200, pytest.param(1000, marks=pytest.mark.full)])
async def test_the_race_of_cancel_and_complete_has_one_winner(stage: Stage, races: int) -> None:
    stage.open(**CALM)
    puppet = stage.puppet()
    async with httpx.AsyncClient(base_url=stage.server.url, timeout=20) as http:
        for number in range(races):
            job = stage.submit("Puppet")
            item = puppet.take()
            assert puppet.start(item) is None
            report = {"worker_id": puppet.worker_id, "attempt": item["attempt"], "token": item["token"]}
            complete = http.put(
                f"/api/jobs/{job}/status",
                json={**report, "status": "completed", "result": number},
                headers=puppet.http.headers,
            )
            cancel = http.delete(f"/api/jobs/{job}", headers=stage.http.headers)
            both = [complete, cancel] if stage.chance.random() < 0.5 else [cancel, complete]
            answers = {answer.request.method: answer for answer in await asyncio.gather(*both)}
            winner = {200: "completed", 409: "cancelled"}[answers["PUT"].status_code]
            assert answers["DELETE"].status_code == (409 if winner == "completed" else 200)
            assert stage.job(job)["status"] == winner
            stage.evidence[f"{winner} won"] += 1
    check(stage.settle(), stage.evidence)
