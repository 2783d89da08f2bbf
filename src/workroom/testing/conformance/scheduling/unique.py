"""Jobs with the same unique key: the second joins the first, is refused, or replaces it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from workroom.domain.extension import ExtensionSpec, OnDuplicate, Policy
from workroom.domain.job import JobState
from workroom.domain.queries import JobHistory, VisibleExtensions
from workroom.domain.steps import Idempotency, NewJob, Step
from workroom.errors import DuplicateJob
from workroom.ports import Store
from workroom.testing.conformance.stage import (
    ATTIC,
    LAB,
    Conformance,
    Stage,
    cancelled,
    completed,
    extension,
    failed,
)

JOINING = extension("Smooth", policy=Policy(unique="{structure}"))
LASTING = extension("Smooth", policy=Policy(unique="{structure}", unique_within=60))
REFUSING = extension("Smooth", policy=Policy(unique="{structure}", on_duplicate=OnDuplicate.REFUSE))
WAITING = extension("Smooth", policy=Policy(unique="{structure}", unique_states=("pending",)))
REPLACING = extension("Smooth", policy=Policy(unique="{structure}", on_duplicate=OnDuplicate.REPLACE))


async def new_jobs(stage: Stage, spec: ExtensionSpec, keys: Sequence[str], **options: Any) -> list[NewJob]:
    return [replace(await stage.new_job(spec, **options), unique=key) for key in keys]


async def submit(stage: Stage, spec: ExtensionSpec, key: str = "water", **options: Any) -> Step:
    return await stage.store.submit(await new_jobs(stage, spec, [key], **options))


async def first_job(stage: Stage, spec: ExtensionSpec, key: str = "water") -> str:
    step = await submit(stage, spec, key)
    (transition,) = step.transitions
    return transition.job_id


class UniqueConformance(Conformance):
    async def test_a_duplicate_joins_the_job_that_waits(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", JOINING)
        first = await first_job(stage, JOINING)
        (duplicate,) = await new_jobs(stage, JOINING, ["water"], user="bob")
        step = await store.submit([duplicate])

        assert step == Step(answers=[None], known={duplicate.id: first})

    @pytest.mark.parametrize("is_started", [False, True])
    async def test_a_duplicate_joins_the_job_that_runs(self, stage: Stage, is_started: bool) -> None:
        session = await stage.connect("w1", JOINING)
        first = await first_job(stage, JOINING)
        (assignment,) = await stage.claim(session)
        if is_started:
            await stage.start(assignment)
        step = await submit(stage, JOINING)

        assert list(step.known.values()) == [first]

    @pytest.mark.parametrize("end", [completed, failed, cancelled])
    async def test_a_job_that_has_ended_stands_in_nobody_s_way(self, stage: Stage, end: Any) -> None:
        session = await stage.connect("w1", JOINING)
        first = await first_job(stage, JOINING)
        (assignment,) = await stage.claim(session)
        await stage.start(assignment)
        await stage.finish(end(assignment))

        assert await first_job(stage, JOINING) != first

    async def test_a_completed_job_is_joined_within_the_window(self, stage: Stage) -> None:
        session = await stage.connect("w1", LASTING)
        first = await first_job(stage, LASTING)
        (assignment,) = await stage.claim(session)
        await stage.start(assignment)
        await stage.finish(completed(assignment))
        stage.clock.advance(59)
        assert list((await submit(stage, LASTING)).known.values()) == [first]

        stage.clock.advance(1)
        assert await first_job(stage, LASTING) != first

    @pytest.mark.parametrize("end", [failed, cancelled])
    async def test_a_job_without_a_result_is_not_joined_within_the_window(
        self, stage: Stage, end: Any
    ) -> None:
        session = await stage.connect("w1", LASTING)
        first = await first_job(stage, LASTING)
        (assignment,) = await stage.claim(session)
        await stage.start(assignment)
        await stage.finish(end(assignment))

        assert await first_job(stage, LASTING) != first

    async def test_only_jobs_in_the_states_of_the_policy_count(self, stage: Stage) -> None:
        session = await stage.connect("w1", WAITING, slots=2)
        first = await first_job(stage, WAITING)
        assert list((await submit(stage, WAITING)).known.values()) == [first]
        (assignment,) = await stage.claim(session)
        second = await first_job(stage, WAITING)
        assert second != first
        await stage.start(assignment)
        await stage.finish(completed(assignment))

        assert list((await submit(stage, WAITING)).known.values()) == [second]

    async def test_an_unfinished_job_is_joined_after_the_window(self, stage: Stage) -> None:
        await stage.register("w1", LASTING)
        first = await first_job(stage, LASTING)
        stage.clock.advance(3600)

        assert list((await submit(stage, LASTING)).known.values()) == [first]

    async def test_other_keys_rooms_and_extensions_have_jobs_of_their_own(self, stage: Stage) -> None:
        public = replace(JOINING, key=replace(JOINING.key, room=None))
        also = extension("Also", room=None, policy=JOINING.policy)
        await stage.register("w1", public, also)
        made = [
            await submit(stage, public),
            await submit(stage, public, "ice"),
            await submit(stage, public, room=ATTIC),
            await submit(stage, also),
        ]

        assert [step.known for step in made] == [{}] * 4

    async def test_a_duplicate_is_refused_and_names_the_job(self, stage: Stage) -> None:
        await stage.register("w1", REFUSING)
        first = await first_job(stage, REFUSING)
        (refusal,) = (await submit(stage, REFUSING)).answers

        assert isinstance(refusal, DuplicateJob)
        assert refusal.fields == {"job_id": first}

    async def test_a_duplicate_replaces_the_job_that_waits(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", REPLACING, slots=9)
        first = await first_job(stage, REPLACING)
        (later,) = await new_jobs(stage, REPLACING, ["water"], user="bob")
        await store.submit([later])

        end = (await store.read(JobHistory(first)))[-1]
        assert (end.status, end.actor, end.reason) == (
            JobState.CANCELLED,
            "bob",
            f"replaced by job {later.id}",
        )
        assert await stage.claimed_ids(session, 9) == [later.id]

    async def test_a_duplicate_waits_behind_the_job_that_runs_and_replaces_who_waits(
        self, stage: Stage
    ) -> None:
        session = await stage.connect("w1", REPLACING, slots=9)
        await first_job(stage, REPLACING)
        (running,) = await stage.claim(session)
        await stage.start(running)
        second = await first_job(stage, REPLACING)
        third = (await submit(stage, REPLACING)).transitions[-1].job_id
        await stage.finish(completed(running))
        fourth = (await submit(stage, REPLACING)).transitions[-1].job_id

        ends = [(await stage.job(each)).status for each in (running.fence.job_id, second, third, fourth)]
        assert ends == [JobState.COMPLETED, JobState.CANCELLED, JobState.CANCELLED, JobState.PENDING]

    async def test_a_replaced_job_counts_no_more(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", REPLACING)
        for _ in range(3):
            await submit(stage, REPLACING)
        (listed,) = await store.read(VisibleExtensions(LAB))

        assert listed.pending_jobs == 1

    @pytest.mark.parametrize(("spec", "answers"), [(JOINING, [None] * 3), (REPLACING, [None] * 3)])
    async def test_duplicates_of_one_batch_are_compared_in_order(
        self, stage: Stage, store: Store, spec: ExtensionSpec, answers: list[None]
    ) -> None:
        session = await stage.connect("w1", spec, slots=9)
        jobs = await new_jobs(stage, spec, ["water", "ice", "water"])
        step = await store.submit(jobs)
        joins = spec is JOINING

        assert step.answers == answers
        assert step.known == ({jobs[2].id: jobs[0].id} if joins else {})
        left = [jobs[0].id, jobs[1].id] if joins else [jobs[1].id, jobs[2].id]
        assert await stage.claimed_ids(session, 9) == left

    async def test_a_batch_refuses_only_its_duplicates(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", REFUSING)
        step = await store.submit(await new_jobs(stage, REFUSING, ["water", "water", "ice"]))

        assert [answer and type(answer) for answer in step.answers] == [None, DuplicateJob, None]

    async def test_a_repeated_submit_that_joined_leads_to_the_same_job(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", JOINING)
        first = await first_job(stage, JOINING)
        (by_id,) = await new_jobs(stage, JOINING, ["water"])
        (by_key,) = await new_jobs(stage, JOINING, ["water"])
        by_key.idempotency = Idempotency("POST", "key", "body")
        await store.submit([by_id, by_key])
        (assignment,) = await stage.claim(session)
        await stage.start(assignment)
        await stage.finish(completed(assignment))
        again = replace(by_key, id=(await new_jobs(stage, JOINING, ["water"]))[0].id)
        step = await store.submit([by_id, again])

        assert step == Step(answers=[None, None], known={by_id.id: first, again.id: first})

    async def test_a_repeated_submit_replaces_nothing_again(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", REPLACING)
        (first,) = await new_jobs(stage, REPLACING, ["water"])
        (second,) = await new_jobs(stage, REPLACING, ["water"])
        await store.submit([first])
        await store.submit([second])
        step = await store.submit([first, second])

        assert step == Step(answers=[None, None], known={first.id: first.id, second.id: second.id})
