"""What only a server behind a URL can promise: it outlives stores, serves several, and is kept tidy."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from redis import Redis

from support.stores.redis import RedisConformance, opened
from support.stores.retention import RetentionConformance
from workroom.domain.extension import Concurrency, Policy
from workroom.domain.queries import (
    FindLogPosition,
)
from workroom.domain.steps import Seat, Start
from workroom.domain.storage.durability import Durability, DurabilityConfig, shortfalls, warnings
from workroom.errors import StoreUnsafe
from workroom.stores import open_store
from workroom.stores.redis.durability import read_config
from workroom.stores.redis.store import RedisStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage, extension
from workroom.testing.conformance.records.restart import fill
from workroom.testing.conformance.scheduling.lanes import submit_to
from workroom.testing.conformance.stage import NONCE, completed, furnished
from workroom.testing.valkey import Valkey

SMOOTH = extension("Smooth")
DAYS = 0.5
RETENTION = DAYS * 86_400


class TestRestarts(RedisConformance):
    async def test_what_was_answered_survives_a_crash_of_the_server(
        self, stage: Stage, valkey: Valkey
    ) -> None:
        questions = await fill(stage)
        before = [await stage.store.read(question) for question in questions]
        valkey.kill()
        valkey.start()

        assert [await stage.store.read(question) for question in questions] == before

    @pytest.mark.parametrize(("version", "age"), [("99", "a newer"), ("1", "an older")])
    async def test_a_store_of_another_version_is_refused(
        self, stage: Stage, valkey: Valkey, version: str, age: str
    ) -> None:
        await stage.catch_up()
        with Redis.from_url(valkey.url) as client:
            client.hset("{workroom}:meta", "version", version)

        async with opened(valkey, stage.clock) as again:
            with pytest.raises(RuntimeError, match=f"version {version}, made by {age} Workroom"):
                await again.store.read(FindLogPosition())

    async def test_a_url_names_the_server_and_its_clock_is_used(self, valkey: Valkey) -> None:
        valkey.empty()
        store = open_store(valkey.url, LIVENESS)
        stage = await furnished(Stage(store, FakeClock()))
        session = await stage.connect("w1", SMOOTH)
        running = await stage.running(session)
        await store.sweep()
        await stage.finish(completed(running))
        job = await stage.job(running.fence.job_id)
        with Redis.from_url(valkey.url) as client:
            seconds, micros = client.time()

        assert 0 <= seconds * 1_000_000 + micros - job.created_at_us < 60_000_000
        assert job.execution_time_ms is not None
        await store.aclose()


class TestOneStep(RedisConformance):
    """Jobs of a step are read before and written after it: what it changes on the way, it sees."""

    async def test_an_attempt_that_is_named_twice_starts_and_ends_once(self, stage: Stage) -> None:
        attempt = await stage.assigned(await stage.connect("w1", SMOOTH))
        started = await stage.store.start("w1", [Start(attempt.fence, NONCE), Start(attempt.fence, NONCE)])
        settled = await stage.store.finish("w1", [completed(attempt), completed(attempt)])

        assert [len(step.transitions) for step in (started, settled)] == [1, 1]
        assert started.answers == settled.answers == [None, None]
        assert (await stage.job(attempt.fence.job_id)).tries == 1

    async def test_a_job_that_is_named_twice_is_cancelled_once(self, stage: Stage) -> None:
        await stage.connect("w1", SMOOTH)
        job_id = await stage.submit(SMOOTH)
        step = await stage.store.cancel([job_id, job_id], "ada", "enough")

        assert step.answers == [None, None]
        assert len(step.transitions) == 1


class TestSeveralStores(RedisConformance):
    async def test_a_job_is_submitted_by_one_store_and_run_by_another(
        self, stage: Stage, valkey: Valkey
    ) -> None:
        async with opened(valkey, stage.clock) as other:
            session = await other.connect("w1", SMOOTH)
            job_id = await stage.submit(SMOOTH, data=b'{"window":7}')
            (assignment,) = await other.claim(session)
            await other.start(assignment)
            await other.finish(completed(assignment))

            assert (assignment.fence.job_id, assignment.data) == (job_id, b'{"window":7}')
            assert (await stage.job(job_id)).result == b'{"frames":12}'

    async def test_four_dispatchers_keep_the_limits_of_lanes_and_hand_out_each_job_once(
        self, stage: Stage, valkey: Valkey
    ) -> None:
        limited = extension("Ask", policy=Policy(concurrency=Concurrency("{provider}", {"a": 2, "b": 3})))
        await stage.register("w0", limited)
        jobs = [await submit_to(stage, lane, limited) for lane in "ab" * 20]
        peak: dict[str, int] = {"a": 0, "b": 0}
        under_way: dict[str, int] = {"a": 0, "b": 0}
        lanes = dict(zip(jobs, "ab" * 20, strict=True))
        done: list[str] = []

        async def dispatch(number: int) -> None:
            async with opened(valkey, stage.clock) as own:
                session = await own.connect(f"w{number}", limited, slots=9)
                while len(done) < len(jobs):
                    for each in (await own.store.claim([Seat(session, 4)]).durable).assignments:
                        lane = lanes[each.fence.job_id]
                        under_way[lane] += 1
                        peak[lane] = max(peak[lane], under_way[lane])
                        await own.store.start(each.worker, [Start(each.fence, NONCE)])
                        under_way[lane] -= 1
                        await own.finish(completed(each), each.worker)
                        done.append(each.fence.job_id)

        await asyncio.gather(*(dispatch(number) for number in range(1, 5)))

        assert sorted(done) == sorted(jobs)
        assert peak["a"] <= 2
        assert peak["b"] <= 3


class TestRetention(RetentionConformance, RedisConformance):
    """What is forgotten, if anything is to be forgotten at all."""


class TestKeys(RedisConformance):
    async def test_every_key_belongs_to_the_queue_or_to_a_room(self, stage: Stage, valkey: Valkey) -> None:
        await fill(stage)

        tags = {key.partition("}")[0] + "}" for key in _keys(valkey)}
        assert tags == {"{workroom}", "{room:lab}", "{room:attic}"}

    async def test_what_is_over_leaves_no_key_in_the_queue(
        self, stage: Stage, store: RedisStore, valkey: Valkey
    ) -> None:
        limited = extension("Ask", policy=Policy(timeout=5, concurrency=Concurrency("{provider}")))
        session = await stage.connect("w1", SMOOTH, limited, slots=9)
        await stage.submit_many(5, SMOOTH)
        for _ in range(3):
            await submit_to(stage, "a", limited)
        while claimed := await stage.claim(session, 9):
            for each in claimed:
                await stage.start(each)
                await stage.finish(completed(each))
        await store.close_session("w1", "bye")
        await stage.catch_up()

        left = {key.split(":")[1] for key in _keys(valkey) if key.startswith("{workroom}")}
        kept = {"meta", "rooms", "room", "exts", "ext", "worker", "jobs", "job", "ended", "usage", "forms"}
        counted = {"kept_exts", "workers", "recent"}  # what stays on record for quotas and the overview
        offline = {"offline"}  # workers stay listed for a while
        assert left - {"replies"} == kept | counted | offline | {"log", "shares"}

    async def test_the_replies_of_steps_are_not_piled_up(self, stage: Stage, valkey: Valkey) -> None:
        await stage.register("w1", SMOOTH)
        for _ in range(20):
            await stage.submit(SMOOTH)

        with Redis.from_url(valkey.url) as client:
            replies = client.keys("{workroom}:replies:*")
            assert len(replies) == 1
            assert client.ttl(replies[0]) > 0

    async def test_a_submit_that_is_refused_leaves_no_values_behind(
        self, stage: Stage, store: RedisStore, valkey: Valkey
    ) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        await store.close_session("w1", "bye")
        await store.submit([job])

        assert not [key for key in _keys(valkey) if job.id in key]


class TestDurability:
    @pytest.mark.parametrize(
        ("config", "promised", "words"),
        [
            (DurabilityConfig(True, "always", "noeviction"), Durability.ALWAYS, []),
            (DurabilityConfig(True, "everysec", "noeviction"), Durability.EVERYSEC, []),
            (DurabilityConfig(True, None, "noeviction"), Durability.ALWAYS, []),
            (DurabilityConfig(False, "always", "noeviction"), Durability.NONE, []),
            (DurabilityConfig(True, "no", "noeviction"), Durability.EVERYSEC, ["within half a minute"]),
            (DurabilityConfig(True, "everysec", "noeviction"), Durability.ALWAYS, ["appendfsync always"]),
            (DurabilityConfig(False, "always", "noeviction"), Durability.EVERYSEC, ["set appendonly yes"]),
            (DurabilityConfig(True, "always", "allkeys-lru"), Durability.NONE, ["deletes jobs"]),
            (
                DurabilityConfig(False, "no", "volatile-ttl"),
                Durability.ALWAYS,
                ["deletes jobs", "no append-only file"],
            ),
        ],
    )
    def test_a_configuration_that_keeps_less_than_was_promised_is_refused(
        self, config: DurabilityConfig, promised: Durability, words: Sequence[str]
    ) -> None:
        reasons = shortfalls(config, promised)

        assert len(reasons) == len(words)
        assert all(word in reason for word, reason in zip(words, reasons, strict=True))

    def test_what_may_be_lost_although_it_was_promised_so_is_warned_about(self) -> None:
        assert warnings(DurabilityConfig(True, "always", "noeviction")) == []
        assert "within a second" in warnings(DurabilityConfig(True, "everysec", "noeviction"))[0]
        assert "does not reveal" in warnings(DurabilityConfig(True, None, "noeviction"))[0]

    async def test_the_configuration_is_read_from_the_server(self, tmp_path: Path) -> None:
        server = Valkey(tmp_path / "weak", appendfsync="everysec")
        server.start()
        store = RedisStore(server.url, LIVENESS)
        try:
            with pytest.raises(StoreUnsafe, match="appendfsync is everysec"):
                await store.probe()
            assert await read_config(store.client) == DurabilityConfig(True, "everysec", "noeviction")
        finally:
            await store.aclose()
            server.stop()


def _keys(valkey: Valkey) -> list[str]:
    with Redis.from_url(valkey.url, decode_responses=True) as client:
        return list(client.scan_iter(count=1000))
