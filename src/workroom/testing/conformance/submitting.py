"""Jobs come in."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from workroom.domain.extension import RunnerKind, Scope
from workroom.domain.job import JobState
from workroom.domain.queries import FindJob, FindJobs, FindRoom, JobHistory, LastValues
from workroom.domain.room import Room
from workroom.domain.steps import Seat, Step
from workroom.errors import ExtensionNotFound, SchemaConflict, StoreUnavailable
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import COUNT, LAB, SMOOTH, Conformance, Stage, extension


class SubmitConformance(Conformance):
    async def test_a_submitted_job_is_pending_and_can_be_read_at_once(
        self, stage: Stage, clock: FakeClock
    ) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.job(await stage.submit(SMOOTH, user="bob", data=b'{"window":9}', priority=3))

        assert job.status is JobState.PENDING
        assert (job.version, job.attempt, job.worker, job.queue_position) == (1, 0, None, 0)
        assert (job.room, job.scope, job.category, job.name) == (LAB, Scope.ROOM, "analysis", "Smooth")
        assert (job.user, job.data, job.priority) == ("bob", b'{"window":9}', 3)
        assert (job.schema_hash, job.runner, job.extension_owner) == (SMOOTH.schema_hash, "remote", "ada")
        assert job.created_at_us == clock.now_us()
        assert (job.assigned_at_us, job.started_at_us, job.completed_at_us) == (None, None, None)
        assert (job.progress, job.result, job.error) == (None, None, None)

    async def test_a_job_of_a_public_extension_belongs_to_the_room_it_was_submitted_in(
        self, stage: Stage
    ) -> None:
        public = extension("Smooth", room=None)
        await stage.register("w1", public)
        job = await stage.job(await stage.submit(public, room="attic"))

        assert (job.room, job.scope) == ("attic", Scope.PUBLIC)

    async def test_each_accepted_job_brings_one_transition_and_asks_for_dispatch(self, stage: Stage) -> None:
        await stage.register("w1", SMOOTH)
        jobs = [await stage.new_job(SMOOTH) for _ in range(3)]
        step = await stage.store.submit(jobs)

        assert [transition.job_id for transition in step.transitions] == [job.id for job in jobs]
        assert {(t.status, t.version, t.actor) for t in step.transitions} == {(JobState.PENDING, 1, "ada")}
        assert step.requeued == {await stage.extension_id(SMOOTH)}

    async def test_a_refused_job_does_not_keep_out_the_others_of_its_batch(self, stage: Stage) -> None:
        await stage.register("w1", SMOOTH)
        first, last = await stage.new_job(SMOOTH), await stage.new_job(SMOOTH)
        refused = replace(await stage.new_job(SMOOTH), schema_hash="another")
        step = await stage.store.submit([first, refused, last])

        assert [type(answer) for answer in step.answers] == [type(None), SchemaConflict, type(None)]
        assert [transition.job_id for transition in step.transitions] == [first.id, last.id]
        assert await stage.store.read(FindJob(refused.id)) is None
        assert (await stage.job(last.id)).queue_position == 1

    async def test_submitting_the_same_job_again_changes_nothing(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        await store.submit([job])

        assert await store.submit([job]) == Step(answers=[None], known={job.id: job.id})
        assert await stage.statuses(job.id) == [JobState.PENDING]

    async def test_a_job_submitted_again_does_no_harm_to_what_is_submitted_beside_it(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH)
        many = [await stage.new_job(SMOOTH) for _ in range(300)]
        job, other = await stage.new_job(SMOOTH), await stage.new_job(SMOOTH)
        await store.submit([job])
        busy = store.submit(many)  # while it runs the others gather
        repeat, beside = await asyncio.gather(store.submit([job]), store.submit([other]))
        await busy

        assert (repeat.answers, beside.answers) == ([None], [None])
        assert (await stage.job(other.id)).status is JobState.PENDING

    async def test_a_refused_job_leaves_no_trace(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", extension("Smooth", room=None))
        job = await stage.new_job(extension("Smooth", room=None), user="bob", room="attic")
        refused = replace(job, schema_hash="another")

        assert await stage.refusal(store.submit([refused])) is SchemaConflict
        assert await store.read(JobHistory(refused.id)) == []
        assert await store.read(FindRoom("attic")) is None
        assert await store.read(LastValues("bob", "attic", "analysis", "Smooth")) is None

    async def test_an_unknown_extension_takes_no_jobs(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        job = replace(await stage.new_job(SMOOTH), extension_id=4711)

        assert await stage.refusal(store.submit([job])) is ExtensionNotFound

    async def test_an_extension_that_has_left_takes_no_jobs(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        await store.close_session("w1", "goodbye")

        assert await stage.refusal(store.submit([job])) is ExtensionNotFound

    async def test_a_job_checked_against_a_schema_that_has_changed_since_is_refused(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        await stage.register("w1", extension("Smooth", field="width"))

        assert await stage.refusal(store.submit([job])) is SchemaConflict

    async def test_having_no_worker_never_stops_a_known_extension_from_being_submitted(
        self, stage: Stage, store: Store
    ) -> None:
        server_side = extension("Smooth", room=None, runner=RunnerKind.LOCAL)
        await store.put_extensions([server_side])

        assert (await stage.job(await stage.submit(server_side))).status is JobState.PENDING

    async def test_submitting_creates_the_room_and_the_submitter_owns_it(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        public = extension("Smooth", room=None)
        await stage.register("w1", public)
        await stage.submit(public, user="bob", room="attic")
        room = await store.read(FindRoom("attic"))

        assert room is not None
        assert (room.name, room.owner, room.created_at_us) == ("attic", "bob", clock.now_us())

    async def test_the_first_of_a_batch_owns_the_room_that_it_creates(
        self, stage: Stage, store: Store
    ) -> None:
        public = extension("Smooth", room=None)
        await stage.register("w1", public)
        await store.submit([await stage.new_job(public, user=user, room="attic") for user in ("bob", "eve")])
        room = await store.read(FindRoom("attic"))

        assert room is not None
        assert room.owner == "bob"

    async def test_a_room_that_is_there_keeps_its_owner(self, stage: Stage, store: Store) -> None:
        await store.create_room(Room(LAB, "eve"))
        await stage.register("w1", SMOOTH)
        await stage.submit(SMOOTH, user="bob")
        await store.create_room(Room(LAB, "bob"))
        room = await store.read(FindRoom(LAB))

        assert room is not None
        assert room.owner == "eve"

    async def test_the_values_of_a_form_are_remembered_for_each_user_and_form(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH, COUNT)
        await stage.submit(SMOOTH, user="ada", data=b'{"window":1}')
        await stage.submit(SMOOTH, user="ada", data=b'{"window":2}')
        await stage.submit(COUNT, user="ada", data=b'{"window":3}')
        await stage.submit(SMOOTH, user="bob", data=b'{"window":4}')

        assert await store.read(LastValues("ada", LAB, "analysis", "Smooth")) == b'{"window":2}'
        assert await store.read(LastValues("ada", LAB, "analysis", "Count")) == b'{"window":3}'
        assert await store.read(LastValues("bob", LAB, "analysis", "Smooth")) == b'{"window":4}'
        assert await store.read(LastValues("bob", LAB, "analysis", "Count")) is None
        assert await store.read(LastValues("ada", "attic", "analysis", "Smooth")) is None

    async def test_settings_are_remembered_without_a_job(self, store: Store) -> None:
        await store.remember("bob", "attic", "settings", "Theme", b'{"dark":false}')
        await store.remember("bob", "attic", "settings", "Theme", b'{"dark":true}')
        room = await store.read(FindRoom("attic"))

        assert await store.read(LastValues("bob", "attic", "settings", "Theme")) == b'{"dark":true}'
        assert room is not None
        assert room.owner == "bob"
        assert (await store.read(FindJobs())).items == []

    async def test_an_empty_batch_changes_nothing(self, store: Store) -> None:
        assert await store.submit([]) == Step()

    async def test_a_verb_takes_its_place_when_it_is_called_not_when_it_is_awaited(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        submitted = store.submit([job])
        claimed = store.claim([Seat(session, 1)])

        assert [each.fence.job_id for each in (await claimed.applied).assignments] == [job.id]
        assert (await submitted).answers == [None]

    async def test_a_closed_store_says_so_at_once(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        await store.aclose()

        async with asyncio.timeout(5):
            with pytest.raises(StoreUnavailable):
                await store.submit([job])

    async def test_the_same_job_twice_in_one_batch_is_one_job(self, stage: Stage) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        step = await stage.store.submit([job, job])

        assert step.answers == [None, None]
        assert len(step.transitions) == 1

    async def test_a_repeat_is_known_after_its_extension_has_left(self, stage: Stage) -> None:
        await stage.register("w1", SMOOTH)
        job = await stage.new_job(SMOOTH)
        await stage.store.submit([job])
        await stage.store.cancel([job.id], "ada", "no")
        await stage.store.close_session("w1", "bye")

        assert (await stage.store.submit([job])).answers == [None]
