"""Random strangers against a real server: whatever they send, it goes on serving everybody else.

`make test` plays a fixed seed for a number of acts; `make fuzz` plays another one for ten minutes.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from support.fuzz.attackers import ATTACKERS, Attacker
from support.fuzz.target import ENDED, MAX_GROWTH, MAX_SILENCE, ROOM, Pulse, Target
from workroom.testing.processes import ServerProcess

SEED = os.environ.get("FUZZ_SEED", "1")
SECONDS = float(os.environ.get("FUZZ_SECONDS", "0"))
ACTS = {"SchemaAttacker": 60, "HttpAttacker": 400, "FrameAttacker": 200, "MessageAttacker": 60}
WARM_UP = 20  # acts of each before the memory is first measured


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Target]:
    settings = {"workers": 1, "sweep": 0.5, "lease": 5, "grace": 1, "heartbeat": 1, "packs": "media"}
    with ServerProcess(tmp_path, "support.extensions.samples:Echo", **settings) as server:
        target = Target(server)
        yield target
        target.http.close()


@pytest.mark.timeout(300 + SECONDS)
async def test_strangers_who_send_random_things_stop_nothing(target: Target) -> None:
    pulse = Pulse(target.server.url)
    attackers = [kind(target, SEED) for kind in ATTACKERS]
    for attacker in attackers:
        for _ in range(WARM_UP):
            await attacker.act()
    before = target.memory()
    async with asyncio.TaskGroup() as group:
        watching = [group.create_task(pulse.run()), group.create_task(_bystander(target))]
        acts = [group.create_task(_attack(attacker)) for attacker in attackers]
        await asyncio.wait(acts)
        for task in watching:
            task.cancel()
    grown = target.memory() - before
    await asyncio.to_thread(target.end_what_waits)
    shown = f"{pulse.asked} pulses, longest {pulse.longest:.2f} s, grown by {grown / 1e6:.0f} MB"
    print(f"fuzz seed {SEED}: {[task.result() for task in acts]} acts, {shown}")
    assert target.server.process.is_alive
    _, found, trace = target.server.log.partition("Traceback")
    assert not found, trace[:3000]
    assert pulse.longest < MAX_SILENCE, shown
    assert grown < MAX_GROWTH, shown


async def _attack(attacker: Attacker) -> int:
    until = time.monotonic() + SECONDS
    acts = 0
    while time.monotonic() < until if SECONDS else acts < ACTS[type(attacker).__name__]:
        await attacker.act()
        acts += 1
    return acts


async def _bystander(target: Target) -> None:
    """Somebody else's jobs end as if nothing happened."""
    token = await asyncio.to_thread(target.log_in, "bystander")
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=target.server.url, headers=headers, timeout=60) as http:
        while True:
            path = f"/api/rooms/{ROOM}/extensions/analysis/Echo/submit?wait=30"
            job = (await http.post(path, json={"data": {"text": "hello"}})).raise_for_status().json()
            assert job["status"] in ENDED, job
            assert job["result"]["text"] == "hello", job
            await asyncio.sleep(0.2)
