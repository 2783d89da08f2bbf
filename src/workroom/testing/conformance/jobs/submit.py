"""Jobs come in."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from workroom.domain.extension import RunnerKind, Scope
from workroom.domain.job import JobState
from workroom.domain.queries import FindJob, FindJobs, FindRoom, JobHistory, LastSecrets, LastValues
from workroom.domain.schema.masking import carries_secrets
from workroom.domain.steps import Seat, Step
from workroom.errors import ExtensionNotFound, RoomNotFound, SchemaConflict, StoreUnavailable
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import ATTIC, COUNT, LAB, SMOOTH, Conformance, Stage, extension


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

    async def test_each_accepted_job_makes_one_transition_and_requests_dispatch(self, stage: Stage) -> None:
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

    async def test_a_room_that_is_missing_takes_no_jobs(self, stage: Stage, store: Store) -> None:
        public = extension("Smooth", room=None)
        await stage.register("w1", public)
        there = await stage.new_job(public, room=ATTIC)
        missing = [await stage.new_job(public, room="cellar") for _ in range(2)]

        answers = (await store.submit([missing[0], there, missing[1]])).answers
        assert [type(each) for each in answers] == [RoomNotFound, type(None), RoomNotFound]
        assert await store.read(FindRoom("cellar")) is None
        assert await store.read(JobHistory(missing[0].id)) == []

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

    async def test_a_job_that_a_job_submitted_names_it_and_leaves_the_form_alone(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH)
        first = await stage.submit(SMOOTH, user="ada", data=b'{"window":1}')
        child = replace(await stage.new_job(SMOOTH, user="ada", data=b'{"window":2}'), parent=first)
        step = await store.submit([child])
        submitted = (await store.read(JobHistory(child.id)))[0]

        assert (await stage.job(child.id)).parent == first
        assert (await stage.job(first)).parent is None
        assert (submitted.actor, submitted.reason) == ("ada", f"submitted by job {first}")
        assert step.transitions == [submitted]
        assert [job.parent for job in (await store.read(FindJobs())).items] == [first, None]
        assert await store.read(LastValues("ada", LAB, "analysis", "Smooth")) == b'{"window":1}'

    async def test_encrypted_values_go_along_with_their_job(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        secret = replace(await stage.new_job(SMOOTH), secrets=b"\x00\xffsealed")
        large = replace(await stage.new_job(SMOOTH), data=b'"%s"' % (b"x" * 100_000), secrets=b"more")
        bare = await stage.new_job(SMOOTH)
        await store.submit([secret, large, bare])
        given = (await store.claim([Seat(session, 3)]).durable).assignments
        resent = (await store.renew(session, (), 0)).resend

        assert [each.secrets for each in given] == [b"\x00\xffsealed", b"more", None]
        assert [carries_secrets(each.fence.token) for each in given] == [True, True, False]
        assert (given[0].data, given[1].data) == (secret.data, None)
        assert list(resent) == list(given)
        assert (await stage.job(secret.id)).secrets == b"\x00\xffsealed"
        assert [job.secrets for job in (await store.read(FindJobs())).items] == [
            None,
            b"more",
            secret.secrets,
        ]

    async def test_the_secrets_of_settings_are_kept_beside_them(self, stage: Stage, store: Store) -> None:
        form = ("bob", "attic", "settings", "Keys")
        assert await store.read(LastSecrets(*form)) is None
        await store.save_form(*form, b'{"key":"***"}', b"\x00sealed")
        assert await store.read(LastSecrets(*form)) == b"\x00sealed"
        await store.save_form(*form, b'{"key":"***"}', b"anew")
        assert await store.read(LastSecrets(*form)) == b"anew"
        await store.save_form(*form, b'{"key":"***"}')

        assert await store.read(LastSecrets(*form)) is None
        assert await store.read(LastValues(*form)) == b'{"key":"***"}'

    async def test_settings_are_remembered_without_a_job(self, stage: Stage, store: Store) -> None:
        await store.save_form("bob", "attic", "settings", "Theme", b'{"dark":false}')
        await store.save_form("bob", "attic", "settings", "Theme", b'{"dark":true}')

        assert await store.read(LastValues("bob", "attic", "settings", "Theme")) == b'{"dark":true}'
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

    async def test_a_closed_store_refuses_at_once(self, stage: Stage, store: Store) -> None:
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
