"""A submit that is sent again is the same job; a job that is run again is a new one."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from workroom.domain.extension import ExtensionSpec
from workroom.domain.job import JobState
from workroom.domain.queries import FindJob, FindJobs, LastValues
from workroom.domain.steps import Idempotency, NewJob, Step
from workroom.errors import ExtensionNotFound, IdempotencyConflict
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import COUNT, LAB, SMOOTH, Conformance, Stage, completed

DAY = 86_400.0


class RepeatConformance(Conformance):
    async def test_the_same_key_and_body_is_the_same_job(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        first, again = await _keyed(stage), await _keyed(stage)
        assert (await store.submit([first])).known == {}
        step = await store.submit([again])

        assert step == Step(answers=[None], known={again.id: first.id})
        assert await _jobs(store) == [first.id]
        assert await store.read(FindJob(again.id)) is None

    async def test_the_same_key_and_body_in_one_batch_is_one_job(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        first, again, other = await _keyed(stage), await _keyed(stage), await _keyed(stage, key="other")
        step = await store.submit([first, again, other])

        assert (step.answers, step.known) == ([None] * 3, {again.id: first.id})
        assert [each.job_id for each in step.transitions] == [first.id, other.id]
        assert await _jobs(store) == [other.id, first.id]

    async def test_the_same_key_and_body_at_the_same_time_is_one_job(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH)
        jobs = [await _keyed(stage) for _ in range(20)]
        steps = await asyncio.gather(*(store.submit([job]) for job in jobs))

        (made,) = await _jobs(store)
        known = {again: job_id for step in steps for again, job_id in step.known.items()}
        assert known == {job.id: made for job in jobs if job.id != made}

    async def test_the_same_key_with_another_body_is_refused(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await store.submit([await _keyed(stage)])

        assert await stage.refusal(store.submit([await _keyed(stage, body="b")])) is IdempotencyConflict
        assert len(await _jobs(store)) == 1

    async def test_another_body_in_the_same_batch_is_refused_alone(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        jobs = [await _keyed(stage), await _keyed(stage, body="b"), await _keyed(stage, key="other")]
        step = await store.submit(jobs)

        assert [type(answer) for answer in step.answers] == [type(None), IdempotencyConflict, type(None)]
        assert await _jobs(store) == [jobs[2].id, jobs[0].id]

    async def test_a_refusal_does_not_take_the_key_from_its_job(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        first, again = await _keyed(stage), await _keyed(stage)
        await store.submit([first])
        await store.submit([await _keyed(stage, body="b")])

        assert (await store.submit([again])).known == {again.id: first.id}

    async def test_a_key_belongs_to_its_user_and_route(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        jobs = [await _keyed(stage), await _keyed(stage, user="bob"), await _keyed(stage, route="elsewhere")]
        step = await store.submit(jobs)

        assert (step.answers, step.known) == ([None] * 3, {})
        assert len(await _jobs(store)) == 3

    async def test_the_job_is_the_same_even_when_it_has_ended(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        first, again = await _keyed(stage), await _keyed(stage)
        await store.submit([first])
        (assignment,) = await stage.claim(session)
        await stage.start(assignment)
        await stage.finish(completed(assignment))

        assert (await store.submit([again])).known == {again.id: first.id}
        assert await stage.claim(session) == []

    async def test_the_job_is_the_same_even_when_its_extension_has_left(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH)
        first, again, late = await _keyed(stage), await _keyed(stage), await _keyed(stage, key="late")
        await store.submit([first])
        await store.cancel([first.id], "ada", "no")
        await store.close_session("w1", "bye")

        assert (await store.submit([again])).known == {again.id: first.id}
        assert await stage.refusal(store.submit([late])) is ExtensionNotFound

    async def test_a_submit_that_was_refused_can_be_sent_again(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        job = await _keyed(stage)
        await store.close_session("w1", "bye")
        assert await stage.refusal(store.submit([job])) is ExtensionNotFound
        await stage.register("w1", SMOOTH)

        assert (await store.submit([job])).known == {}
        assert await _jobs(store) == [job.id]

    async def test_a_repeat_does_not_touch_the_values_of_the_form(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await store.submit([await _keyed(stage)])
        await stage.submit(SMOOTH, data=b'{"window":9}')
        await store.submit([await _keyed(stage)])

        assert await store.read(LastValues("ada", LAB, "analysis", "Smooth")) == b'{"window":9}'

    async def test_what_is_to_be_replayed_once_is_replayed_once(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        old = await stage.submit(SMOOTH)
        first, second, third = [
            replace(await stage.new_job(SMOOTH), retry_of=old, once=once) for once in (True, True, False)
        ]
        await store.submit([first])

        assert (await store.submit([second])).known == {second.id: first.id}
        assert (await store.submit([third])).known == {}
        assert sorted(await _jobs(store)) == sorted([old, first.id, third.id])

    async def test_a_key_is_kept_for_a_day(self, stage: Stage, store: Store, clock: FakeClock) -> None:
        session = await stage.connect("w1", SMOOTH)
        first, again, new = [await _keyed(stage) for _ in range(3)]
        await store.submit([first])
        clock.advance(DAY - 1)
        await store.sweep()
        assert (await store.submit([again])).known == {again.id: first.id}
        clock.advance(2)

        assert (await store.submit([new])).known == {}
        assert await stage.claimed_ids(session, 2) == [first.id, new.id]

    async def test_after_a_day_the_key_stands_for_the_new_job(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        await stage.register("w1", SMOOTH)
        old, new, again = await _keyed(stage), await _keyed(stage, body="b"), await _keyed(stage, body="b")
        await store.submit([old])
        clock.advance(DAY + 1)
        await store.sweep()
        await store.submit([new])

        assert (await store.submit([again])).known == {again.id: new.id}

    async def test_without_a_key_every_submit_is_a_job(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await stage.submit_many(2, SMOOTH)

        assert len(await _jobs(store)) == 2

    async def test_a_replayed_job_names_the_job_it_repeats(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        first = await stage.running(session)
        await stage.finish(completed(first))
        replay = replace(await stage.new_job(SMOOTH), retry_of=first.fence.job_id)
        await store.submit([replay])

        assert (await stage.job(replay.id)).retry_of == first.fence.job_id
        assert (await stage.job(first.fence.job_id)).retry_of is None
        (again,) = await stage.claim(session)
        assert (again.fence.job_id, again.fence.attempt) == (replay.id, 1)
        assert await stage.status(first) is JobState.COMPLETED

    async def test_the_key_of_one_extension_is_taken_for_another_too(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH, COUNT)
        await store.submit([await _keyed(stage)])

        job = await _keyed(stage, COUNT, body="count")
        assert await stage.refusal(store.submit([job])) is IdempotencyConflict


async def _keyed(
    stage: Stage,
    spec: ExtensionSpec = SMOOTH,
    *,
    key: str = "key",
    body: str = "a",
    route: str = "submit",
    **options: Any,
) -> NewJob:
    return replace(await stage.new_job(spec, **options), idempotency=Idempotency(route, key, body))


async def _jobs(store: Store) -> list[str]:
    return [job.id for job in (await store.read(FindJobs())).items]
