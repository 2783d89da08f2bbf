"""A Valkey that refuses, forgets or is exchanged: a step happens wholly or not at all, in its own store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from structlog.testing import capture_logs

from workroom.domain.extension import Policy, RetryOn
from workroom.domain.job import JobState
from workroom.domain.queries import FindDocument, FindJob, FindJobs, FindLogPosition
from workroom.domain.room_data.documents import Edit
from workroom.domain.room_data.locks import LockRequest, Writer
from workroom.domain.steps import Idempotency, NewJob
from workroom.domain.storage.durability import Durability, Guarantees
from workroom.errors import StoreReplaced, StoreUnavailable, StoreUnsafe
from workroom.ports import Store
from workroom.stores.redis.store import RedisStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage, extension
from workroom.testing.conformance.stage import SMOOTH, completed, failed, furnished, held
from workroom.testing.processes import eventually
from workroom.testing.valkey import Valkey, free_port

KEYED = Idempotency("POST", "key", "body")


@pytest.fixture
def own_valkey(tmp_path: Path) -> Iterator[Valkey]:
    """One that the test may change."""
    server = Valkey(tmp_path / "valkey", port=free_port())
    server.start()
    yield server
    server.kill()


@pytest.fixture
def admin(own_valkey: Valkey) -> Iterator[Any]:
    with Redis.from_url(own_valkey.url, decode_responses=True) as client:
        yield client


@pytest.fixture(params=[True, False], ids=["fast", "published"])
def fast(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@asynccontextmanager
async def staged(valkey: Valkey, **options: Any) -> AsyncIterator[Stage]:
    clock = FakeClock()
    store = RedisStore(valkey.url, LIVENESS, clock=clock, **options)
    try:
        yield Stage(store, clock)
    finally:
        await store.aclose()


class TestFullMemory:
    async def test_a_job_whose_values_are_refused_does_not_exist(
        self, own_valkey: Valkey, admin: Any, fast: bool
    ) -> None:
        """The values do not fit while they arrive, and the script behind them would."""
        async with staged(own_valkey, fast=fast) as stage:
            store = stage.store
            session = await (await furnished(stage)).connect("w1", SMOOTH, slots=500)
            admin.config_set("maxmemory", admin.info("memory")["used_memory"] + 1_200_000)
            values = b'"%s"' % (b"x" * 400_000)
            jobs = [replace(await stage.new_job(SMOOTH), data=values) for _ in range(10)]
            fates = [await _is_accepted(store, job) for job in jobs]
            admin.config_set("maxmemory", 0)

            assert False in fates
            accepted = {job.id for job, is_accepted in zip(jobs, fates, strict=True) if is_accepted}
            assert {job.id for job in (await store.read(FindJobs(limit=1000))).items} == accepted
            assert {each.fence.job_id for each in await stage.claim(session, 500)} == accepted
            await store.aclose()
            refused = [job.id for job in jobs if job.id not in accepted]
            assert not [key for job_id in refused for key in admin.keys(f"*{job_id}*")]

    async def test_a_submit_that_was_refused_can_be_repeated_with_its_key(
        self, own_valkey: Valkey, admin: Any
    ) -> None:
        async with staged(own_valkey) as stage:
            await (await furnished(stage)).connect("w1", SMOOTH)
            new = replace(await stage.new_job(SMOOTH), idempotency=KEYED)
            admin.config_set("maxmemory", 1)
            with pytest.raises(StoreUnavailable, match="maxmemory"):
                await stage.store.submit([new])
            with pytest.raises(StoreUnavailable, match="maxmemory"):
                await stage.store.probe()
            admin.config_set("maxmemory", 0)
            await stage.store.probe()
            again = replace(new, id=(await stage.new_job(SMOOTH)).id)

            assert (await stage.store.submit([again])).known == {}
            assert (await stage.job(again.id)).status is JobState.PENDING
            assert await stage.store.read(FindJob(new.id)) is None

    async def test_workers_keep_their_leases_and_jobs_can_be_cancelled_while_memory_is_full(
        self, own_valkey: Valkey, admin: Any
    ) -> None:
        async with staged(own_valkey) as stage:
            session = await (await furnished(stage)).connect("w1", SMOOTH, slots=2)
            stopped, running = await stage.running(session), await stage.running(session)
            admin.config_set("maxmemory", 1)
            for _ in range(6):
                stage.clock.advance(LIVENESS.lease / 3)
                await stage.store.renew(session, [held(stopped), held(running)], running.number)
                await stage.store.sweep()
            await stage.store.cancel([stopped.fence.job_id], "ada", "no")
            admin.config_set("maxmemory", 0)

            await stage.finish(completed(running))
            assert await stage.status(running) is JobState.COMPLETED
            assert await stage.status(stopped) is JobState.CANCELLED

    async def test_locks_live_on_and_are_released_while_memory_is_full(
        self, own_valkey: Valkey, admin: Any
    ) -> None:
        async with staged(own_valkey) as stage:
            store = (await furnished(stage)).store
            lock = LockRequest("lab", "notes", "digest", "ada", None, "", 30_000_000, False)
            edit = Edit("lab", "notes", b"1", Writer("ada", "digest"))
            await store.acquire_lock(lock)
            admin.config_set("maxmemory", 1)
            with pytest.raises(StoreUnavailable, match="maxmemory"):
                await store.edit_document(edit)
            await store.refresh_lock("lab", "notes", "digest", None, "still here")
            assert await store.release_lock("lab", "notes", "digest")
            admin.config_set("maxmemory", 0)

            assert await store.read(FindDocument("lab", "notes")) is None
            await store.acquire_lock(lock)
            assert (await store.edit_document(edit)).is_new


class TestReplaced:
    async def test_an_emptied_store_is_neither_written_nor_read(
        self, own_valkey: Valkey, admin: Any, fast: bool
    ) -> None:
        async with staged(own_valkey, fast=fast) as stage:
            await (await furnished(stage)).connect("w1", SMOOTH)
            job = await stage.new_job(SMOOTH)
            own_valkey.empty()
            refused = [stage.store.submit([job]), stage.store.sweep(), stage.store.probe()]
            fates = await asyncio.gather(*refused, stage.store.claim([]).durable, return_exceptions=True)

            assert [type(fate) for fate in fates] == [StoreReplaced] * 4
            with pytest.raises(StoreReplaced):
                await stage.store.read(FindJob(job.id))
            await stage.store.aclose()
            assert not [key for key in admin.keys("*") if "replies" not in key]

    async def test_an_empty_server_in_its_place_is_noticed_and_the_right_one_is_taken_back(
        self, own_valkey: Valkey
    ) -> None:
        async with staged(own_valkey) as stage:
            await (await furnished(stage)).connect("w1", SMOOTH)
            job_id = await stage.submit(SMOOTH)
            own_valkey.stop()
            own_valkey.put_data_aside("kept")
            own_valkey.start()
            with pytest.raises(StoreReplaced):
                await stage.store.probe()
            with pytest.raises(StoreReplaced):
                await stage.submit(SMOOTH)
            own_valkey.stop()
            own_valkey.put_data_back("kept")
            own_valkey.start()

            await stage.store.probe()
            assert (await stage.job(job_id)).status is JobState.PENDING
            assert await stage.submit(SMOOTH)

    async def test_a_store_of_another_epoch_is_not_opened(self, own_valkey: Valkey, admin: Any) -> None:
        async with staged(own_valkey) as stage:
            epoch = (await stage.store.read(FindLogPosition())).epoch
        async with staged(own_valkey, epoch=epoch) as stage:
            assert (await stage.store.read(FindLogPosition())).epoch == epoch
        own_valkey.empty()
        async with staged(own_valkey, epoch=epoch) as stage:
            with pytest.raises(StoreReplaced):
                await stage.store.put_extensions([SMOOTH])
            with pytest.raises(StoreReplaced):
                await stage.store.read(FindLogPosition())

            assert admin.keys("*") == []


class TestUnsafe:
    @pytest.mark.parametrize(
        ("setting", "value", "safe"),
        [
            ("maxmemory-policy", "allkeys-lru", "noeviction"),
            ("appendfsync", "everysec", "always"),
            ("appendonly", "no", "yes"),
        ],
    )
    async def test_a_server_that_is_set_to_lose_data_is_stopped_until_it_is_set_back(
        self, own_valkey: Valkey, admin: Any, setting: str, value: str, safe: str
    ) -> None:
        async with staged(own_valkey) as stage:
            await (await furnished(stage)).connect("w1", SMOOTH)
            await stage.store.probe()
            admin.config_set(setting, value)
            with pytest.raises(StoreUnsafe):
                await stage.store.probe()
            with pytest.raises(StoreUnsafe, match="may lose"):
                await stage.submit(SMOOTH)
            admin.config_set(setting, safe)

            await stage.store.probe()
            assert await stage.submit(SMOOTH)

    async def test_what_was_promised_decides(self, own_valkey: Valkey, admin: Any) -> None:
        admin.config_set("appendfsync", "everysec")
        async with staged(own_valkey, guarantees=Guarantees(Durability.EVERYSEC)) as stage:
            await stage.store.probe()
            admin.config_set("appendonly", "no")
            with pytest.raises(StoreUnsafe, match="WORKROOM_DURABILITY=none"):
                await stage.store.probe()


class ServerTime(FakeClock):
    """Valkey has one clock for everything, as without a clock of the test."""

    def monotonic(self) -> float:
        return self.now_us() / 1_000_000


class TestClock:
    async def test_a_clock_of_the_server_that_is_set_back_costs_a_backoff_at_most_itself(
        self, own_valkey: Valkey
    ) -> None:
        retried = extension("Smooth", policy=Policy(retries=2, retry_on=RetryOn.ERROR))
        clock = ServerTime()
        stage = Stage(RedisStore(own_valkey.url, LIVENESS, clock=clock), clock)
        session = await (await furnished(stage)).connect("w1", retried)
        await stage.finish(failed(await stage.running(session, retried)))
        clock.jump(-3600)
        await stage.store.sweep()
        assert await stage.claim(session) == []
        clock.advance(1.3)
        await stage.store.sweep()
        assert len(await stage.claim(session)) == 1
        await stage.store.aclose()


@pytest.fixture
def follower(own_valkey: Valkey, tmp_path: Path) -> Iterator[Valkey]:
    server = Valkey(tmp_path / "follower", replica_of=own_valkey.port)
    server.start()
    with Redis.from_url(server.url, decode_responses=True) as client:
        eventually(lambda: _follows(client), what="a replica that follows")
    yield server
    server.kill()


class TestReplicas:
    async def test_a_promoted_replica_has_all_that_was_acknowledged(
        self, own_valkey: Valkey, follower: Valkey
    ) -> None:
        async with staged(own_valkey, guarantees=Guarantees(replicas=1)) as stage:
            await (await furnished(stage)).connect("w1", SMOOTH)
            first = await stage.submit(SMOOTH)
            _promote(follower)
            with pytest.raises(StoreUnavailable, match="0 of 1 replicas"):
                await stage.submit(SMOOTH)
            own_valkey.kill()
            follower.take_place_of(own_valkey)

            jobs = await _read_again(stage)
            assert jobs == {first}

    async def test_a_promoted_replica_that_lacks_acknowledged_jobs_is_logged(
        self, own_valkey: Valkey, follower: Valkey
    ) -> None:
        async with staged(own_valkey) as stage:
            await (await furnished(stage)).connect("w1", SMOOTH)
            first = await stage.submit(SMOOTH)
            with Redis.from_url(own_valkey.url) as client:
                client.wait(1, 10_000)
            _promote(follower)
            await stage.submit_many(3, SMOOTH)
            own_valkey.kill()
            follower.take_place_of(own_valkey)
            assert await _read_again(stage) == {first}
            with capture_logs() as logs:
                await stage.submit(SMOOTH)

        (line,) = [each for each in logs if each["event"] == "store_went_back"]
        assert (line["log_level"], line["lost_events"]) == ("error", 3)

    async def test_without_enough_replicas_nothing_is_acknowledged(self, own_valkey: Valkey) -> None:
        async with staged(own_valkey, guarantees=Guarantees(replicas=1)) as stage:
            with pytest.raises(StoreUnavailable, match="0 of 1 replicas"):
                await stage.store.probe()


def _follows(replica: Any) -> bool:
    return bool(replica.info("replication")["master_link_status"] == "up")


async def _is_accepted(store: Store, job: NewJob) -> bool:
    try:
        await store.submit([job])
    except StoreUnavailable:
        return False
    return True


def _promote(replica: Valkey) -> None:
    with Redis.from_url(replica.url) as client:
        client.replicaof("NO", "ONE")


async def _read_again(stage: Stage) -> set[str]:
    """The jobs that the server in the place of the other has."""
    return {job.id for job in (await stage.store.read(FindJobs(limit=1000))).items}
