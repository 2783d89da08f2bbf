"""Offering what somebody else offers already needs consent."""

from __future__ import annotations

import pytest

from workroom.domain.queries import FindExtension, FindSeating, FindWorkers
from workroom.domain.steps import Offer
from workroom.domain.worker import ConsentRequest
from workroom.errors import SchemaConflict, WorkerDismissed, WorkerNotFound
from workroom.ports import Store
from workroom.testing.conformance.stage import (
    COUNT,
    LAB,
    SMOOTH,
    Conformance,
    Reopen,
    Stage,
    extension,
)

REQUEST = ConsentRequest(SMOOTH.key, "ada")
PUBLIC = extension("Smooth", room=None)


class ConsentConformance(Conformance):
    async def test_offering_what_another_user_offers_awaits_consent(self, stage: Stage) -> None:
        await stage.connect("w1", SMOOTH)
        registered = await stage.register("w2", SMOOTH, COUNT, user="bob")
        worker = await stage.worker("w2")

        assert registered.awaiting == (REQUEST,)
        assert registered.created == (COUNT.key,)
        assert (worker.extensions, worker.awaiting) == ((COUNT.key,), (REQUEST,))

    async def test_a_second_worker_of_the_same_user_needs_no_consent(self, stage: Stage) -> None:
        await stage.connect("w1", SMOOTH)

        assert (await stage.register("w2", SMOOTH)).awaiting == ()

    async def test_a_trusted_worker_needs_no_consent(self, stage: Stage) -> None:
        await stage.connect("w1", SMOOTH)

        assert (await stage.register("w2", SMOOTH, user="bob", trusted={"attic"})).awaiting == (REQUEST,)
        assert (await stage.register("w3", SMOOTH, user="bob", trusted={LAB})).awaiting == ()

    async def test_consent_is_needed_while_jobs_wait_for_a_worker_that_is_away(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.connect("w1", SMOOTH)
        await stage.submit(SMOOTH)
        await store.close_session("w1", "goodbye")

        assert (await stage.register("w2", SMOOTH, user="bob")).awaiting == (REQUEST,)

    async def test_an_extension_that_has_left_is_free(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")

        assert (await stage.register("w2", SMOOTH, user="bob")).awaiting == ()
        found = await store.read(FindExtension(LAB, "analysis", "Smooth"))
        assert found is not None
        assert found.spec.owner == "bob"

    async def test_a_room_s_offer_of_another_user_s_public_name_awaits_consent(self, stage: Stage) -> None:
        await stage.connect("w1", PUBLIC)

        assert (await stage.register("w2", SMOOTH, user="bob")).awaiting == (REQUEST,)
        assert (await stage.register("w3", SMOOTH)).awaiting == ()

    async def test_a_public_extension_of_another_user_awaits_consent(self, stage: Stage) -> None:
        await stage.connect("w1", PUBLIC)
        registered = await stage.register("w2", PUBLIC, user="bob")

        assert registered.awaiting == (ConsentRequest(PUBLIC.key, "ada"),)

    async def test_another_schema_is_a_conflict_before_it_is_a_request(self, stage: Stage) -> None:
        await stage.connect("w1", SMOOTH)
        with pytest.raises(SchemaConflict):
            await stage.register("w2", extension("Smooth", field="width"), user="bob")

    async def test_a_worker_that_waits_is_handed_nothing(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await stage.register("w2", SMOOTH, user="bob")
        opened = await store.open_session("w2", "boot", (), 0)
        await stage.submit(SMOOTH)

        assert (list(opened.offers), tuple(opened.awaiting)) == ([], (REQUEST,))
        assert await stage.claim(opened.session) == []
        assert not (await store.renew(opened.session, (), 0)).drop
        seating = await store.read(FindSeating("w2"))
        assert not seating.offers
        assert seating.waits_in == {LAB}

    async def test_a_worker_that_waits_is_listed_in_its_room(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await stage.register("w2", SMOOTH, user="bob")

        for room, found in ((LAB, {"w1", "w2"}), ("attic", set()), (None, {"w1", "w2"})):
            assert {worker.spec.id for worker in await store.read(FindWorkers(room))} == found

    async def test_an_accepted_worker_is_handed_jobs_at_once(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await stage.register("w2", SMOOTH, user="bob")
        session = await stage.reconnect("w2")
        job_id = await stage.submit(SMOOTH)
        accepted = await store.accept("w2", [SMOOTH.key])

        assert (list(accepted.keys), list(accepted.created)) == ([SMOOTH.key], [])
        assert list(accepted.seating.offers) == [Offer(await stage.extension_id(SMOOTH), LAB)]
        assert accepted.seating.waits_in == frozenset()
        assert await stage.claimed_ids(session) == [job_id]
        assert (await stage.worker("w2")).awaiting == ()

    async def test_accepting_leaves_the_extension_as_it_stands(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await stage.register("w2", SMOOTH, user="bob")
        await store.accept("w2", [SMOOTH.key])
        found = await store.read(FindExtension(LAB, "analysis", "Smooth"))

        assert found is not None
        assert found.spec.owner == "ada"

    async def test_consent_is_remembered_for_the_user(
        self, stage: Stage, store: Store, reopen: Reopen
    ) -> None:
        await stage.register("w1", SMOOTH)
        await stage.register("w2", SMOOTH, user="bob")
        await store.accept("w2", [SMOOTH.key])

        assert (await stage.register("w2", SMOOTH, user="bob")).awaiting == ()
        assert (await stage.register("w3", SMOOTH, user="bob")).awaiting == ()
        assert (await stage.register("w4", SMOOTH, user="eve")).awaiting == (REQUEST,)
        await store.aclose()
        async with reopen() as later:
            assert (await later.register("w5", SMOOTH, user="bob")).awaiting == ()

    async def test_consent_of_one_owner_does_not_count_with_the_next(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH, user="bob")
        await stage.register("w2", SMOOTH, user="eve")
        await store.accept("w2", [SMOOTH.key])
        for worker in ("w1", "w2"):
            await store.close_session(worker, "goodbye")
        await stage.register("w3", SMOOTH)

        assert (await stage.register("w4", SMOOTH, user="eve")).awaiting == (REQUEST,)
        assert (await stage.register("w5", SMOOTH, user="bob")).awaiting == (REQUEST,)

    async def test_accepting_what_has_left_meanwhile_makes_it_anew(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await stage.register("w2", SMOOTH, user="bob")
        await store.close_session("w1", "goodbye")
        accepted = await store.accept("w2", [SMOOTH.key])

        assert list(accepted.created) == [SMOOTH.key]
        assert await stage.is_offered(SMOOTH)

    async def test_accepting_against_another_schema_changes_nothing(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await stage.register("w2", SMOOTH, user="bob")
        await stage.register("w1", extension("Smooth", field="width"))
        await stage.submit(extension("Smooth", field="width"))
        with pytest.raises(SchemaConflict):
            await store.accept("w2", [SMOOTH.key])

        assert (await stage.worker("w2")).awaiting == (REQUEST,)

    async def test_what_does_not_wait_cannot_be_accepted_or_refused(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        for keys in ([SMOOTH.key], []):
            with pytest.raises(WorkerNotFound):
                await store.accept("w1", keys)
            with pytest.raises(WorkerNotFound):
                await store.refuse("w1", keys, "ada", "no")

    async def test_a_worker_that_left_waits_no_more(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await stage.register("w2", SMOOTH, user="bob")
        step = await store.close_session("w2", "goodbye")

        assert step.offline == ["w2"]
        with pytest.raises(WorkerNotFound):
            await store.accept("w2", [SMOOTH.key])

    async def test_a_worker_that_waits_survives_a_restart(
        self, stage: Stage, store: Store, reopen: Reopen
    ) -> None:
        await stage.register("w1", SMOOTH)
        await stage.register("w2", SMOOTH, user="bob")
        await store.aclose()
        async with reopen() as later:
            opened = await later.store.open_session("w2", "boot", (), 0)

            assert tuple(opened.awaiting) == (REQUEST,)

    async def test_a_refused_worker_that_has_nothing_else_is_dismissed(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.register("w1", SMOOTH)
        await stage.register("w2", SMOOTH, user="bob")
        refused = await store.refuse("w2", [SMOOTH.key], "ada", "no thanks")

        assert (list(refused.keys), refused.is_over) == ([SMOOTH.key], True)
        assert refused.step.offline == ["w2"]
        with pytest.raises(WorkerDismissed):
            await stage.register("w2", SMOOTH, user="bob")

    async def test_a_refused_worker_goes_on_with_what_it_has(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await stage.register("w2", SMOOTH, COUNT, user="bob")
        refused = await store.refuse("w2", [SMOOTH.key], "ada", "no thanks")
        worker = await stage.worker("w2")

        assert not refused.is_over
        assert list(refused.seating.offers) == [Offer(await stage.extension_id(COUNT), LAB)]
        assert (worker.extensions, worker.awaiting) == ((COUNT.key,), ())
