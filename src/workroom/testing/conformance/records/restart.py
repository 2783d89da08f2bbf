"""A store that is closed and opened again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from workroom.domain.extension import RunnerKind
from workroom.domain.job import JobState
from workroom.domain.jobs.logs import LogLine, Stream
from workroom.domain.queries import (
    ExtensionsOverview,
    FindChat,
    FindExtension,
    FindJobs,
    FindLogPosition,
    FindRooms,
    FindWorker,
    FindWorkers,
    JobHistory,
    JobLogs,
    LastValues,
    Query,
    VisibleExtensions,
)
from workroom.domain.steps import LogBatch, Progress, Step
from workroom.domain.worker import Phase
from workroom.errors import WorkerNotFound
from workroom.testing.conformance.records.annotations import annotating
from workroom.testing.conformance.stage import (
    LIVENESS,
    SMOOTH,
    Conformance,
    Reopen,
    Stage,
    completed,
    extension,
    failed,
    held,
)


class RestartConformance(Conformance):
    async def test_a_store_that_is_opened_again_knows_everything(self, stage: Stage, reopen: Reopen) -> None:
        questions = await fill(stage)
        before = [await stage.store.read(question) for question in questions]
        await stage.store.aclose()

        async with reopen() as again:
            assert [await again.store.read(question) for question in questions] == before

    async def test_a_store_goes_on_where_it_stopped(self, stage: Stage, reopen: Reopen) -> None:
        session = await stage.connect("w1", SMOOTH)
        running = await stage.running(session)
        waiting = await stage.submit(SMOOTH)
        await stage.store.aclose()

        async with reopen() as again:
            resumed = await again.reconnect("w1", held(running), seen=running.number)
            later = await again.submit(SMOOTH)
            await again.finish(completed(running))

            assert resumed.number > session.number
            claimed = await again.claim(resumed, 2)
            assert [each.fence.job_id for each in claimed] == [waiting, later]
            assert claimed[0].number > running.number
            assert claimed[0].fence.token != running.fence.token

    async def test_the_numbers_of_assignments_go_on_growing_after_a_restart(
        self, stage: Stage, reopen: Reopen
    ) -> None:
        before = await stage.assigned(await stage.connect("w1", SMOOTH))
        await stage.store.aclose()

        async with reopen() as again:
            opened = await again.store.open_session("w1", "boot", (), 0)
            assert list(opened.reconciled.resend) == [before]
            assert (await again.assigned(opened.session)).number > before.number

    async def test_what_is_handed_out_after_a_restart_is_not_missed_before_it_arrives(
        self, stage: Stage, reopen: Reopen
    ) -> None:
        before = await stage.assigned(await stage.connect("w1", SMOOTH))
        await stage.store.aclose()

        async with reopen() as again:
            session = await again.reconnect("w1")
            under_way = await again.assigned(session)
            beat = await again.store.renew(session, [held(before, Phase.QUEUED)], before.number)
            assert list(beat.resend) == [under_way]

    async def test_shares_are_remembered_after_a_restart(self, stage: Stage, reopen: Reopen) -> None:
        await stage.register("w1", SMOOTH)
        await stage.submit_many(10, SMOOTH, user="ada")
        await stage.store.aclose()

        async with reopen() as again:
            session = await again.reconnect("w1")
            await again.submit(SMOOTH, user="ada")
            await again.submit(SMOOTH, user="bob")
            assert [each.user for each in await again.claim(session, 2)] == ["ada", "bob"]

    async def test_after_a_restart_everyone_gets_a_full_lease(self, stage: Stage, reopen: Reopen) -> None:
        running = await stage.running(await stage.connect("w1", SMOOTH))
        await stage.store.aclose()
        stage.clock.advance(3600)

        async with reopen() as again:
            assert await again.wait(LIVENESS.lease - 1) == Step()
            assert (await again.wait(1)).offline == ["w1"]
            assert await again.status(running) is JobState.FAILED

    async def test_who_serves_nothing_any_more_is_given_up_after_a_restart_too(
        self, stage: Stage, reopen: Reopen
    ) -> None:
        paint = extension("Paint", room=None)
        session = await stage.connect("w1", paint)
        await stage.store.put_extensions([replace(paint, runner=RunnerKind.LOCAL)])
        await stage.store.aclose()

        async with reopen() as again:
            with pytest.raises(WorkerNotFound):
                await again.store.renew(session, [], 0)
            await again.wait(LIVENESS.lease)
            worker = await again.store.read(FindWorker("w1"))
            assert worker is not None
            assert not worker.online

    async def test_closing_waits_for_earlier_requests(self, stage: Stage) -> None:
        await stage.register("w1", SMOOTH)
        jobs = [await stage.new_job(SMOOTH) for _ in range(50)]
        submits = [stage.store.submit([job]) for job in jobs]
        await stage.store.aclose()

        assert [step.answers for step in await asyncio.gather(*submits)] == [[None]] * 50
        await stage.store.aclose()


async def fill(stage: Stage) -> Sequence[Query[Any]]:
    """Put something of everything into the store. Gives the questions that show it."""
    store = stage.store
    await store.put_extensions([extension("Paint", room=None)])
    session = await stage.connect("w1", SMOOTH, slots=4)
    done, broken = await stage.running(session, user="bob"), await stage.running(session)
    await stage.finish(completed(done))
    await stage.finish(failed(broken))
    running = await stage.running(session)
    await store.append("w1", [Progress(running.fence, b'{"fraction":0.5}')])
    await store.log(
        "w1", [LogBatch(running.fence, [LogLine(1, "2026-01-20T12:00:00Z", Stream.LOG, "hi", "INFO")])]
    )
    stopped = await stage.running(session)
    await store.cancel([stopped.fence.job_id], "ada", "no")
    await stage.assigned(session)
    await stage.submit(SMOOTH, user="bob", data=b'{"window":9}')
    await store.save_form("bob", "attic", "settings", "Theme", b'{"dark":true}')
    await store.annotate([annotating(done.fence.job_id), annotating(running.fence.job_id)])
    histories = [JobHistory(each.fence.job_id) for each in (done, broken, running, stopped)]
    return [
        FindJobs(),
        FindJobs(room="lab", annotated=True),
        FindLogPosition(),
        FindChat("lab"),
        *histories,
        JobLogs(running.fence.job_id),
        VisibleExtensions(),
        ExtensionsOverview(),
        FindExtension("lab", "analysis", "Smooth"),
        FindWorkers(),
        FindRooms(None),
        LastValues("bob", "lab", "analysis", "Smooth"),
        LastValues("bob", "attic", "settings", "Theme"),
    ]
