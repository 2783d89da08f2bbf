"""Jobs that wait are arranged: they take each other's places, and nobody else's."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.extension import Concurrency, Policy
from workroom.domain.jobs.group import GroupChange, NewGroup
from workroom.domain.queries import CountLanes, LaneUse
from workroom.domain.steps import Postponement
from workroom.errors import IllegalTransition, JobNotFound
from workroom.ports import Store
from workroom.testing.conformance.scheduling.lanes import LIMITED, one_by_one, submit_to
from workroom.testing.conformance.stage import LAB, SMOOTH, Conformance, Stage, completed, extension

AGE = 300.0
TEAM = "grp_team"
PACED = extension("Smooth", policy=Policy(rate="6/min", concurrency=Concurrency("{provider}", {}, 9)))


class ArrangeConformance(Conformance):
    async def test_arranged_jobs_start_in_their_new_order(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        first, second, third = [await stage.submit(SMOOTH) for _ in range(3)]
        step = await store.arrange([third, first, second])

        assert step.answers == [None] * 3
        assert (await stage.job(first)).queue_position == 1
        assert await stage.claimed_ids(session, 3) == [third, first, second]

    async def test_the_turns_of_others_stay_as_they_are(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        first, second = [await stage.submit(SMOOTH, user="ada") for _ in range(2)]
        theirs = [await stage.submit(SMOOTH, user="bob") for _ in range(2)]
        await store.arrange([second, first])

        assert await stage.claimed_ids(session, 4) == [second, theirs[0], first, theirs[1]]

    async def test_a_full_lane_opens_for_the_one_that_is_first_now(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", LIMITED)
        jobs = [await submit_to(stage, "slow") for _ in range(4)]
        (running,) = await stage.claim(session)
        await stage.start(running)
        await store.arrange(jobs[:0:-1])
        await stage.finish(completed(running))

        assert await one_by_one(stage, session, 3) == jobs[:0:-1]

    async def test_a_rate_lets_the_one_start_that_is_first_now(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", PACED, slots=9)
        jobs = [await submit_to(stage, "a", PACED) for _ in range(3)]
        await store.arrange(jobs[::-1])

        assert await stage.claimed_ids(session, 9) == jobs[:1:-1]

    async def test_they_take_the_priority_that_waiting_gave_the_others(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        old = await stage.submit(SMOOTH)
        stage.clock.advance(AGE)
        await store.sweep()
        new = await stage.submit(SMOOTH)
        await store.arrange([new, old])
        stage.clock.advance(AGE)
        await store.sweep()

        assert await stage.claimed_ids(session, 2) == [new, old]

    async def test_what_runs_already_is_refused_and_the_others_are_arranged(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        running = (await stage.running(session, SMOOTH)).fence.job_id
        first, second = [await stage.submit(SMOOTH) for _ in range(2)]
        step = await store.arrange([second, running, "unknown", first])

        assert [type(each) for each in step.answers] == [
            type(None),
            IllegalTransition,
            JobNotFound,
            type(None),
        ]
        assert await stage.claimed_ids(session, 2) == [second, first]

    async def test_a_job_that_is_delayed_has_no_place_yet(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        delay = Postponement(stage.clock.now_us() + 5_000_000)
        delayed = replace(await stage.new_job(SMOOTH), postponed=delay)
        await store.submit([delayed])
        other = await stage.submit(SMOOTH)
        step = await store.arrange([delayed.id, other])
        await stage.wait(10.0)

        assert isinstance(step.answers[0], IllegalTransition)
        assert await stage.claimed_ids(session, 2) == [other, delayed.id]

    async def test_a_paused_queue_is_arranged_too(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        await store.create_group(NewGroup(TEAM, LAB, "ada", "", ()))
        before = replace(await stage.new_job(SMOOTH), group=TEAM)
        await store.submit([before])
        await store.change_group(TEAM, GroupChange.PAUSE, "ada", "")
        await store.sweep()
        late = [replace(await stage.new_job(SMOOTH), group=TEAM) for _ in range(2)]
        await store.submit(late)
        wanted = [late[1].id, before.id, late[0].id]
        step = await store.arrange(wanted)
        assert await stage.claimed_ids(session) == []
        await store.change_group(TEAM, GroupChange.RESUME, "ada", "")
        await store.sweep()

        assert step.answers == [None] * 3
        assert await stage.claimed_ids(session, 3) == wanted

    async def test_the_use_of_lanes_is_counted(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", LIMITED, slots=9)
        for _ in range(3):
            await submit_to(stage, "slow")
        await stage.claim(session, 9)
        query = CountLanes(await stage.extension_id(LIMITED), ("slow", "fast"))

        assert await store.read(query) == {"slow": LaneUse(1, 2), "fast": LaneUse(0, 0)}

    async def test_a_repeat_changes_nothing(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        first, second = [await stage.submit(SMOOTH) for _ in range(2)]
        for _ in range(2):
            await store.arrange([second, first])

        assert await stage.claimed_ids(session, 2) == [second, first]
