"""Tests of retention in a store on Valkey."""

from __future__ import annotations

from dataclasses import replace

from redis import Redis

from workroom.domain.job import JobState
from workroom.domain.jobs.logs import LogLine, Stream
from workroom.domain.queries import (
    ExtensionsOverview,
    FindArtifacts,
    FindChat,
    FindJob,
    FindJobs,
    FindOrphanedBlobs,
    FindPreview,
    JobHistory,
    LastValues,
)
from workroom.domain.quotas import Kind
from workroom.domain.steps import Idempotency, LogBatch, Progress
from workroom.errors import JobNotFound
from workroom.ports import Store
from workroom.testing.conformance import Stage
from workroom.testing.conformance.records.annotations import annotating
from workroom.testing.conformance.records.files import saving, showing
from workroom.testing.conformance.records.usage import used
from workroom.testing.conformance.stage import SMOOTH, Conformance, completed, failed
from workroom.testing.valkey import Valkey

DAYS = 0.5
RETENTION = DAYS * 86_400
_SWEEPS = 40


class RetentionConformance(Conformance):
    """A store that keeps jobs for half a day."""

    days: float | None = DAYS

    async def test_a_job_is_forgotten_so_long_after_its_end(
        self, stage: Stage, store: Store, valkey: Valkey
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        done, broken = await stage.running(session, data=b'{"window":3}'), await stage.running(session)
        await store.append("w1", [Progress(done.fence, b'{"fraction":0.5}')])
        await store.log("w1", [LogBatch(done.fence, [LogLine(1, "2026-01-20", Stream.STDOUT, "hi")])])
        await store.attach(saving(done, "b1"))
        await store.show(showing(done, "b2"))
        await stage.finish(completed(done))
        await stage.finish(failed(broken))
        await store.annotate([annotating(done.fence.job_id)])

        await _wait(stage, RETENTION)
        assert await _known(store) == {done.fence.job_id, broken.fence.job_id}
        await _wait(stage, 1)
        assert await _known(store) == set()
        assert await store.read(JobHistory(done.fence.job_id)) == []
        (usage,) = await store.read(ExtensionsOverview())
        assert (usage.jobs, usage.last_failure) == ({}, None)
        assert (await store.read(FindChat("lab"))).items == []
        assert await store.read(FindOrphanedBlobs()) == ["b1", "b2"]
        assert await used(stage, Kind.BYTES) == await used(stage, Kind.FILES) == (0, 0, 0)
        assert await store.read(FindArtifacts(done.fence.job_id)) == []
        assert await store.read(FindPreview(done.fence.job_id)) is None
        assert await stage.refusal(store.finish("w1", [completed(done)])) is JobNotFound
        assert not [key for key in _lasting_keys(valkey) if done.fence.job_id in key]
        assert not [key for key in _lasting_keys(valkey) if broken.fence.job_id in key]
        assert not [key for key in _lasting_keys(valkey) if "annotated" in key]

    async def test_a_form_keeps_its_values_when_their_job_is_forgotten(
        self, stage: Stage, store: Store
    ) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH), data=b'{"window":3}')
        await stage.finish(completed(running))
        await _wait(stage, RETENTION + 1)

        assert await store.read(FindJob(running.fence.job_id)) is None
        assert await store.read(LastValues("ada", "lab", "analysis", "Smooth")) == b'{"window":3}'

    async def test_a_job_that_has_not_ended_or_takes_up_a_worker_is_not_forgotten(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=3)
        running, stopped = await stage.running(session), await stage.running(session)
        waiting = await stage.submit(SMOOTH)
        await store.cancel([stopped.fence.job_id], "ada", "no")
        await _wait(stage, 3 * RETENTION)

        assert await _known(store) == {running.fence.job_id, stopped.fence.job_id, waiting}

    async def test_a_clock_that_jumps_ahead_deletes_nothing_until_it_is_steady(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        done = await stage.running(session)
        await stage.finish(completed(done))
        last = await stage.submit(SMOOTH)
        known = {done.fence.job_id, last}
        await _wait(stage, RETENTION / 2)
        for jump in (365 * 86_400, -365 * 86_400):
            stage.clock.jump(jump)
            await _wait(stage, RETENTION / 11)
            assert await _known(store) == known
        stage.clock.jump(365 * 86_400)
        await _wait(stage, RETENTION / 5)

        assert await _known(store) == {last}

    async def test_a_submit_that_is_sent_again_after_its_job_was_forgotten_is_a_new_job(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.connect("w1", SMOOTH)
        new = replace(await stage.new_job(SMOOTH), idempotency=Idempotency("POST", "key", "body"))
        await store.submit([new])
        await store.cancel([new.id], "ada", "no")
        await _wait(stage, RETENTION + 1)

        assert (await store.submit([replace(new, id="another")])).known == {}
        assert (await stage.job("another")).status is JobState.PENDING


def _lasting_keys(valkey: Valkey) -> list[str]:
    """Keys without an expiry."""
    with Redis.from_url(valkey.url, decode_responses=True) as client:
        return [key for key in client.scan_iter(count=1000) if client.ttl(key) == -1]


async def _known(store: Store) -> set[str]:
    return {job.id for job in (await store.read(FindJobs(limit=10_000))).items}


async def _wait(stage: Stage, seconds: float) -> None:
    """Let time pass, with sweeps: history is not deleted by a clock that jumps."""
    for _ in range(_SWEEPS):
        stage.clock.advance(seconds / _SWEEPS)
        await stage.store.sweep()
