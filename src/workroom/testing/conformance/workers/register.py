"""Workers and their lists of extensions become known."""

from __future__ import annotations

import pytest

from workroom.domain.extension import Policy
from workroom.domain.queries import FindExtension, FindRoom, FindWorker
from workroom.domain.worker import WorkerSpec, WorkerState
from workroom.errors import Forbidden, RoomNotFound, SchemaConflict
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import COUNT, LAB, SMOOTH, Conformance, Stage, completed, extension

WIDER = extension("Smooth", field="width")


class RegisterConformance(Conformance):
    async def test_a_new_worker_and_its_extensions_become_known(self, stage: Stage, clock: FakeClock) -> None:
        registered = await stage.register("w1", SMOOTH, COUNT, slots=4)
        worker = await stage.worker("w1")

        assert (registered.worker, registered.is_new) == ("w1", True)
        assert registered.created == (SMOOTH.key, COUNT.key)
        assert registered.extension_ids == (
            await stage.extension_id(SMOOTH),
            await stage.extension_id(COUNT),
        )
        assert worker.spec == WorkerSpec("w1", "ada", "w1", "remote", 4, b'{"host":"box"}')
        assert set(worker.extensions) == {SMOOTH.key, COUNT.key}
        assert (worker.state, worker.registered_at_us) == (WorkerState.OFFLINE, clock.now_us())

    async def test_an_extension_is_kept_as_it_was_offered(self, stage: Stage, store: Store) -> None:
        spec = extension("Smooth", policy=Policy(priority=3, retries=2, timeout=1.5))
        await stage.register("w1", spec)
        found = await store.read(FindExtension(LAB, "analysis", "Smooth"))

        assert found is not None
        assert found.spec == spec

    async def test_registering_again_is_harmless(self, stage: Stage) -> None:
        first = await stage.register("w1", SMOOTH)
        again = await stage.register("w1", SMOOTH)

        assert (again.is_new, again.created, again.step.removed) == (False, (), [])
        assert again.extension_ids == first.extension_ids

    async def test_registering_again_replaces_the_list(self, stage: Stage) -> None:
        await stage.register("w1", SMOOTH)
        again = await stage.register("w1", COUNT, slots=3)
        worker = await stage.worker("w1")

        assert (again.is_new, again.created, again.step.removed) == (False, (COUNT.key,), [SMOOTH.key])
        assert (worker.extensions, worker.spec.slots) == ((COUNT.key,), 3)
        assert not await stage.is_offered(SMOOTH)

    async def test_an_extension_taken_off_a_list_stays_while_another_worker_offers_it(
        self, stage: Stage
    ) -> None:
        await stage.register("w1", SMOOTH)
        await stage.register("w2", SMOOTH)
        again = await stage.register("w1", COUNT)

        assert again.step.removed == []
        assert await stage.is_offered(SMOOTH)

    async def test_an_extension_taken_off_a_list_stays_while_a_job_of_it_is_unfinished(
        self, stage: Stage
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        assignment = await stage.running(session)
        await stage.register("w1", COUNT)
        assert await stage.is_offered(SMOOTH)
        step = await stage.finish(completed(assignment))

        assert step.removed == [SMOOTH.key]
        assert not await stage.is_offered(SMOOTH)

    async def test_an_extension_that_left_may_come_back(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await store.close_session("w1", "goodbye")
        registered = await stage.register("w2", WIDER)

        assert registered.created == (SMOOTH.key,)
        await stage.submit(WIDER)

    async def test_two_workers_of_a_user_may_offer_the_same(self, stage: Stage) -> None:
        first = await stage.register("w1", SMOOTH)
        second = await stage.register("w2", SMOOTH)

        assert (second.is_new, second.created) == (True, ())
        assert second.extension_ids == first.extension_ids

    async def test_an_extension_that_others_serve_keeps_its_owner_and_its_policy(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH)
        urgent = extension("Smooth", owner="eve", policy=Policy(priority=10))
        await stage.register("w2", urgent, user="eve")
        found = await store.read(FindExtension(LAB, "analysis", "Smooth"))

        assert found is not None
        assert found.spec == SMOOTH

    async def test_another_schema_under_a_name_that_others_serve_is_refused(self, stage: Stage) -> None:
        await stage.register("w1", SMOOTH)
        with pytest.raises(SchemaConflict):
            await stage.register("w2", WIDER)

        await stage.submit(SMOOTH)

    async def test_another_schema_is_refused_while_a_job_of_the_old_one_is_unfinished(
        self, stage: Stage
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        await stage.submit(SMOOTH)
        with pytest.raises(SchemaConflict):
            await stage.register("w1", WIDER)
        (assignment,) = await stage.claim(session)
        await stage.start(assignment)
        with pytest.raises(SchemaConflict):
            await stage.register("w1", WIDER)

        await stage.finish(completed(assignment))
        await stage.register("w1", WIDER)

    async def test_a_schema_may_change_when_nobody_else_depends_on_it(self, stage: Stage) -> None:
        before = await stage.register("w1", SMOOTH)
        after = await stage.register("w1", WIDER)

        assert after.created == (WIDER.key,)
        assert after.step.removed == []
        assert before.extension_ids == after.extension_ids
        await stage.submit(WIDER)

    async def test_the_same_name_may_have_another_schema_in_another_room_or_category(
        self, stage: Stage
    ) -> None:
        elsewhere = extension("Smooth", room="attic", field="width")
        otherwise = extension("Smooth", category="modifiers", field="width")
        registered = await stage.register("w1", SMOOTH, elsewhere, otherwise)

        assert len(set(registered.extension_ids)) == 3

    async def test_extension_names_are_case_sensitive(self, stage: Stage) -> None:
        registered = await stage.register("w1", SMOOTH, extension("smooth", field="width"))

        assert len(set(registered.extension_ids)) == 2

    async def test_a_room_may_not_hide_a_public_extension_behind_another_schema(self, stage: Stage) -> None:
        await stage.register("w1", extension("Smooth", room=None))
        with pytest.raises(SchemaConflict):
            await stage.register("w2", WIDER)

        assert (await stage.register("w2", SMOOTH)).created == (SMOOTH.key,)

    @pytest.mark.parametrize("first", ["public", "room"])
    async def test_a_room_s_and_a_public_extension_that_are_offered_together_have_one_schema(
        self, stage: Stage, store: Store, first: str
    ) -> None:
        public, own = extension("Smooth", room=None), WIDER
        with pytest.raises(SchemaConflict):
            await stage.register("w1", *((public, own) if first == "public" else (own, public)))

        assert await store.read(FindWorker("w1")) is None
        assert len((await stage.register("w1", SMOOTH, public)).created) == 2

    @pytest.mark.parametrize("first", ["public", "room"])
    async def test_a_room_s_and_a_public_extension_may_change_their_schema_together(
        self, stage: Stage, first: str
    ) -> None:
        wider = extension("Smooth", room=None, field="width")
        before = await stage.register("w1", extension("Smooth", room=None), SMOOTH)
        after = await stage.register("w1", *((wider, WIDER) if first == "public" else (WIDER, wider)))

        assert set(after.created) == {wider.key, WIDER.key}
        assert set(after.extension_ids) == set(before.extension_ids)

    async def test_a_public_extension_that_has_left_is_in_nobody_s_way(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", extension("Smooth", room=None))
        await store.close_session("w1", "goodbye")

        assert (await stage.register("w2", WIDER)).created == (WIDER.key,)

    async def test_a_refused_registration_changes_nothing(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        paint = extension("Paint", room="attic")
        with pytest.raises(SchemaConflict):
            await stage.register("w2", paint, WIDER)

        assert await store.read(FindWorker("w2")) is None
        assert await store.read(FindExtension("attic", "analysis", "Paint")) is None

    async def test_a_worker_id_of_somebody_else_is_refused(self, stage: Stage) -> None:
        await stage.register("w1", SMOOTH, user="ada")
        with pytest.raises(Forbidden):
            await stage.register("w1", COUNT, user="bob")

        assert (await stage.worker("w1")).extensions == (SMOOTH.key,)

    async def test_nobody_registers_in_a_room_that_is_missing(self, stage: Stage, store: Store) -> None:
        with pytest.raises(RoomNotFound):
            await stage.register("w1", SMOOTH, extension("Paint", room="cellar"))

        assert await store.read(FindWorker("w1")) is None
        assert not await stage.is_offered(SMOOTH)
        assert await store.read(FindRoom("cellar")) is None
