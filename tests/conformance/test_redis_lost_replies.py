"""Steps that are sent again, because their replies were lost, change nothing and are answered as before."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from redis import Redis

from support.stores.lossy_link import LossyLink
from support.stores.redis import RedisConformance
from support.stores.redis_machine import RedisMachine
from workroom.domain.job import JobState
from workroom.domain.queries import FindJobs
from workroom.domain.steps import Seat
from workroom.domain.worker import Liveness
from workroom.errors import StoreUnavailable
from workroom.stores.redis.store import RedisStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage, StoreConformance
from workroom.testing.conformance.stage import SMOOTH, completed
from workroom.testing.machine import BOUNDED
from workroom.testing.machine import LIVENESS as LINGERING
from workroom.testing.valkey import Valkey


class LossyConformance(RedisConformance):
    @pytest.fixture
    async def store(self, link: LossyLink, clock: FakeClock, liveness: Liveness) -> AsyncIterator[RedisStore]:
        store = RedisStore(link.url, liveness, clock=clock)
        yield store
        await store.aclose()


@pytest.mark.full
class TestEveryOtherReplyIsLost(LossyConformance, StoreConformance):
    """The suite that every store passes, with every step sent twice."""

    @pytest.fixture
    async def link(self, valkey: Valkey, tmp_path: Path) -> AsyncIterator[LossyLink]:
        valkey.empty()
        link = LossyLink(Path(valkey.url.removeprefix("unix://")), tmp_path / "lossy.sock")
        await link.open()
        link.lose_every_other()
        yield link
        assert link.lost > 0
        await link.close()


class LinkedStore(RedisStore):
    """Takes its link with it."""

    link: LossyLink

    async def aclose(self) -> None:
        await super().aclose()
        await self.link.close()
        assert self.link.lost > 0


class LossyMachine(RedisMachine):
    async def open_store(self) -> RedisStore:
        link = LossyLink(self.folder / "valkey.sock", self.folder / "lossy.sock")
        await link.open()
        link.lose_every_other()
        store = LinkedStore(link.url, LINGERING, clock=self.clock)
        store.link = link
        return store

    async def reopen_store(self) -> RedisStore:
        await self.store.aclose()
        return await self.open_store()


@pytest.mark.timeout(600)
def test_the_store_does_what_the_model_does_when_replies_are_lost() -> None:
    run_state_machine_as_test(LossyMachine, settings=settings(BOUNDED, max_examples=3))


class TestLostReplies(LossyConformance):
    async def test_a_claim_whose_reply_is_lost_hands_out_each_job_once(
        self, stage: Stage, store: RedisStore, link: LossyLink
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=9)
        jobs = await stage.submit_many(4, SMOOTH)
        link.lose_next()
        first = await stage.claim(session, 2)

        assert link.lost == 1
        assert [each.fence.job_id for each in first] == jobs[:2]
        assert await stage.load("w1") == (2, 0)
        assert await stage.claimed_ids(session, 9) == jobs[2:]

    async def test_a_submit_whose_reply_is_lost_returns_its_result(
        self, stage: Stage, store: RedisStore, link: LossyLink
    ) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        link.lose_next()
        step = await store.submit([job])

        assert (step.answers, step.known) == ([None], {})
        assert [each.status for each in step.transitions] == [JobState.PENDING]

    async def test_steps_keep_their_order_when_replies_are_lost(
        self, stage: Stage, store: RedisStore, link: LossyLink
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        jobs = [await stage.new_job(SMOOTH) for _ in range(50)]
        link.lose_every_other()
        submits = [store.submit([job]) for job in jobs]
        claim = store.claim([Seat(session, 50)])
        await asyncio.gather(*submits)

        assert [each.fence.job_id for each in (await claim.durable).assignments] == [job.id for job in jobs]

    async def test_scripts_that_the_server_has_forgotten_are_loaded_again(
        self, stage: Stage, valkey: Valkey
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        with Redis.from_url(valkey.url) as client:
            client.script_flush()
        running = await stage.running(session)
        with Redis.from_url(valkey.url) as client:
            client.script_flush()

        assert (await stage.store.read(FindJobs())).items[0].status is JobState.RUNNING
        await stage.finish(completed(running))


class TestOutage(LossyConformance):
    async def test_a_missing_reply_is_an_error_within_two_seconds(
        self, stage: Stage, store: RedisStore, link: LossyLink
    ) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        link.is_deaf = True
        before = time.monotonic()
        answers = await asyncio.gather(
            store.submit([job]), store.read(FindJobs()), store.sweep(), return_exceptions=True
        )

        assert [type(answer) for answer in answers] == [StoreUnavailable] * 3
        assert time.monotonic() - before < 2
        link.is_deaf = False
        assert (await store.submit([job])).answers == [None]

    async def test_a_read_behind_a_stuck_one_fails_within_two_seconds_too(
        self, stage: Stage, store: RedisStore, link: LossyLink
    ) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        link.is_deaf = True
        first = asyncio.ensure_future(store.sweep())
        await asyncio.sleep(0.5)
        before = time.monotonic()
        second = await asyncio.gather(store.submit([job]), return_exceptions=True)

        assert [type(answer) for answer in second] == [StoreUnavailable]
        assert time.monotonic() - before < 2
        with pytest.raises(StoreUnavailable):
            await first
        link.is_deaf = False
        assert (await store.submit([job])).answers == [None]

    async def test_a_server_that_comes_back_within_its_time_is_waited_for(
        self, stage: Stage, valkey: Valkey
    ) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        valkey.kill()
        submitted = asyncio.ensure_future(stage.store.submit([job]))
        await asyncio.to_thread(valkey.start)

        assert (await submitted).answers == [None]

    async def test_after_an_outage_everyone_gets_a_full_lease(
        self, stage: Stage, store: RedisStore, link: LossyLink, clock: FakeClock
    ) -> None:
        await stage.connect("w1", SMOOTH)
        link.is_deaf = True
        with pytest.raises(StoreUnavailable):
            await store.sweep()
        link.is_deaf = False
        clock.advance(LIVENESS.lease - 1)
        await store.sweep()
        await store.sweep()
        clock.advance(2)

        assert (await store.sweep()).offline == []
