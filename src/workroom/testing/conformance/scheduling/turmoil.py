"""A limit holds at every instant, whatever happens to the workers."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

import pytest

from workroom.domain.rules.queue.limits import limit_of
from workroom.domain.steps import Assignment, Report, Seat, Start, Step
from workroom.domain.worker import Session
from workroom.ports import Store
from workroom.testing.conformance.scheduling.lanes import CONCURRENCY, RETRIED, submit_to
from workroom.testing.conformance.stage import (
    NONCE,
    Conformance,
    Stage,
    cancelled,
    completed,
    failed,
    held,
)


class TurmoilConformance(Conformance):
    @pytest.mark.parametrize("seed", range(8))
    async def test_a_limit_holds_at_every_instant(self, stage: Stage, store: Store, seed: int) -> None:
        fleet = _Fleet(stage, random.Random(seed))  # noqa: S311 - the same turmoil each time
        await fleet.gather()
        for _ in range(150):
            await fleet.do_something()
            fleet.check()
        await fleet.calm_down()

        assert fleet.most == {"slow": 1, "fast": 3, "other": 2}


@dataclass(slots=True)
class _Fleet:
    """Workers under random events. It counts what they hold from the steps of the store."""

    stage: Stage
    chance: random.Random
    sessions: dict[str, Session] = field(default_factory=dict)
    lanes: dict[str, str] = field(default_factory=dict)
    holding: dict[tuple[str, str, int], Assignment] = field(default_factory=dict)
    most: Counter[str] = field(default_factory=Counter)
    boots: int = 0

    async def gather(self) -> None:
        for number in range(4):
            worker = f"w{number}"
            self.sessions[worker] = await self.stage.connect(worker, RETRIED, slots=4)
        await self.submit(20)

    async def do_something(self) -> None:
        acts: list[Callable[[], Awaitable[None]]] = [
            self.claim,
            self.claim,
            self.start,
            self.end,
            self.end,
            self.cancel,
            self.reboot,
            self.sweep,
        ]
        await self.chance.choice([*acts, self.beat, self.submit, self.claim_all])()

    async def submit(self, count: int = 2) -> None:
        for _ in range(count):
            lane = self.chance.choice(["slow", "fast", "other"])
            job_id = await submit_to(self.stage, lane, RETRIED, priority=self.chance.randrange(3))
            self.lanes[job_id] = lane

    async def claim(self) -> None:
        session = self.chance.choice(list(self.sessions.values()))
        self.take(await self.stage.claim(session, self.chance.randint(1, 4)))

    async def claim_all(self) -> None:
        receipts = [self.stage.store.claim([Seat(session, 2)]) for session in self.sessions.values()]
        for claimed in await asyncio.gather(*(receipt.durable for receipt in receipts)):
            self.take(claimed.assignments)

    def take(self, assignments: Iterable[Assignment]) -> None:
        for each in assignments:
            self.holding[each.worker, each.fence.job_id, each.fence.attempt] = each

    async def start(self) -> None:
        for each in list(self.holding.values()):
            self.drop(await self.stage.store.start(each.worker, [Start(each.fence, NONCE)]))

    async def end(self) -> None:
        if self.holding:
            each = self.chance.choice(list(self.holding.values()))
            ends: list[Callable[[Assignment], Report]] = [completed, completed, failed, cancelled]
            end = self.chance.choice(ends)
            self.drop(await self.stage.store.finish(each.worker, [end(each)]))

    async def cancel(self) -> None:
        job_id = self.chance.choice(list(self.lanes))
        self.drop(await self.stage.store.cancel([job_id], "ada", "no"))

    async def reboot(self) -> None:
        self.boots += 1
        worker = self.chance.choice(list(self.sessions))
        opened = await self.stage.store.open_session(worker, f"boot-{self.boots}", (), 0)
        self.sessions[worker] = opened.session
        self.drop(opened.reconciled.step)

    async def beat(self) -> None:
        """A heartbeat; now and then it has forgotten something."""
        worker, session = self.chance.choice(list(self.sessions.items()))
        holds = [held(each) for each in self.holding.values() if each.worker == worker]
        forgotten = holds[1:] if self.chance.random() < 0.3 else holds
        self.drop((await self.stage.store.renew(session, forgotten, 10_000)).step)

    async def sweep(self) -> None:
        """Time goes by: what is late, timed out or due moves; after the gap nobody is blamed for silence."""
        self.stage.clock.advance(self.chance.choice([1.0, 5.0, 70.0]))
        for session in self.sessions.values():
            holds = [held(each) for each in self.holding.values() if each.worker == session.worker]
            self.drop((await self.stage.store.renew(session, holds, 10_000)).step)
        self.drop(await self.stage.store.sweep())

    async def calm_down(self) -> None:
        """When all is over, every lane is full again: no place has been lost."""
        for each in list(self.holding.values()):
            self.drop(await self.stage.store.finish(each.worker, [cancelled(each)]))
        self.chance = random.Random(0)  # noqa: S311 - the same each time
        await self.close_breaker()
        for lane in ("slow", "fast", "other"):
            for _ in range(3):
                job_id = await submit_to(self.stage, lane, RETRIED)
                self.lanes[job_id] = lane
        self.most.clear()
        for session in self.sessions.values():
            self.take(await self.stage.claim(session, 4))
        self.check()

    async def close_breaker(self) -> None:
        """A success, so that failures of before keep nothing back."""
        self.stage.clock.advance(70)
        await self.stage.store.sweep()
        await submit_to(self.stage, None, RETRIED, priority=10)
        (trial,) = await self.stage.claim(self.sessions["w0"])
        await self.stage.start(trial)
        await self.stage.finish(completed(trial), "w0")

    def drop(self, step: Step) -> None:
        for each in step.released:
            self.holding.pop((each.worker, each.job_id, each.attempt))

    def check(self) -> None:
        active = Counter(self.lanes[job_id] for _, job_id, _ in self.holding)
        for lane, count in active.items():
            assert count <= limit_of(CONCURRENCY, lane), (lane, count)
        self.most |= active
