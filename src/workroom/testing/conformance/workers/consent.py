"""Offering what somebody else offers already needs consent; who was dismissed stays out."""

from __future__ import annotations

import pytest

from workroom.domain.job import JobState
from workroom.domain.queries import FindExtension, FindRoom, FindSeating, FindWorkers
from workroom.domain.room import Room, WorkersFrom
from workroom.domain.steps import Offer
from workroom.domain.worker import DISMISSED_US, ConsentRequest
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
    held,
)

REQUEST = ConsentRequest(SMOOTH.key, "ada")
PUBLIC = extension("Smooth", room=None)
DAY = DISMISSED_US / 1_000_000


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


class DismissConformance(Conformance):
    async def test_a_dismissed_worker_may_not_come_back(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SMOOTH)
        dismissed = await store.dismiss("w1", None, "root", "too slow", bans=False)

        assert (dismissed.is_over, dismissed.step.offline) == (True, ["w1"])
        assert dismissed.step.removed == [SMOOTH.key]
        for verb in (
            lambda: stage.register("w1", SMOOTH),
            lambda: store.open_session("w1", "boot", (), 0),
            lambda: store.renew(session, (), 0),
        ):
            with pytest.raises(WorkerDismissed, match="root dismissed this worker: too slow") as refusal:
                await verb()
            assert refusal.value.fields == {"by": "root", "reason": "too slow"}

    async def test_a_dismissal_outlives_a_restart_and_is_forgotten_after_a_day(
        self, stage: Stage, store: Store, reopen: Reopen
    ) -> None:
        await stage.connect("w1", SMOOTH)
        await store.dismiss("w1", None, "root", "too slow", bans=False)
        await store.aclose()
        async with reopen() as later:
            later.clock.advance(DAY - 1)
            with pytest.raises(WorkerDismissed):
                await later.register("w1", SMOOTH)
            later.clock.advance(2)
            assert (await later.register("w1", SMOOTH)).awaiting == ()

    async def test_a_new_worker_of_the_same_user_may_come(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.dismiss("w1", None, "ada", "it was mine", bans=False)

        assert (await stage.register("w2", SMOOTH)).awaiting == ()

    async def test_what_a_dismissed_worker_held_is_given_back_or_lost(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=2)
        running, waiting = await stage.running(session), await stage.assigned(session)
        await store.dismiss("w1", None, "root", "too slow", bans=False)

        assert await stage.status(running) is JobState.FAILED
        assert await stage.status(waiting) is JobState.PENDING
        assert await stage.load("w1") == (0, 0)

    async def test_a_banned_user_needs_consent_for_every_offer(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.dismiss("w1", {LAB}, "owner", "spam", bans=True)
        elsewhere = extension("Smooth", room="attic")
        registered = await stage.register("w2", SMOOTH, COUNT, elsewhere)

        assert registered.awaiting == (ConsentRequest(COUNT.key, None), ConsentRequest(SMOOTH.key, None))
        assert not await stage.is_offered(SMOOTH)
        assert (await stage.register("w3", COUNT, user="bob")).awaiting == ()

    async def test_a_banned_user_may_request_to_change_a_public_extension_that_only_they_offer(
        self, stage: Stage, store: Store
    ) -> None:
        await stage.connect("w1", PUBLIC)
        await stage.connect("w2", extension("Count", room=None))
        await store.dismiss("w2", {None}, "root", "spam", bans=True)
        registered = await stage.register("w1", extension("Smooth", room=None, field="width"))

        assert registered.awaiting == (ConsentRequest(PUBLIC.key, None),)

    async def test_accepting_a_banned_user_lifts_the_ban(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.dismiss("w1", {LAB}, "owner", "spam", bans=True)
        await stage.register("w2", SMOOTH)
        await store.accept("w2", [SMOOTH.key])

        assert await stage.is_offered(SMOOTH)
        assert (await stage.register("w3", SMOOTH, COUNT)).awaiting == ()

    async def test_a_bar_is_forgotten_after_a_day(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.dismiss("w1", {LAB}, "owner", "spam", bans=True)
        stage.clock.advance(DAY + 1)

        assert (await stage.register("w2", SMOOTH)).awaiting == ()

    async def test_a_bar_withdraws_what_was_consented_to(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        await stage.register("w2", SMOOTH, user="bob")
        await store.accept("w2", [SMOOTH.key])
        await store.dismiss("w2", {LAB}, "owner", "spam", bans=True)
        stage.clock.advance(DAY + 1)

        assert (await stage.register("w3", SMOOTH, user="bob")).awaiting == (REQUEST,)

    async def test_a_worker_dismissed_from_one_room_goes_on_in_the_other(
        self, stage: Stage, store: Store
    ) -> None:
        elsewhere = extension("Smooth", room="attic")
        session = await stage.connect("w1", SMOOTH, elsewhere, slots=4)
        running, waiting = await stage.running(session), await stage.assigned(session)
        there = await stage.running(session, elsewhere, room="attic")
        dismissed = await store.dismiss("w1", {LAB}, "owner", "not here", bans=True)

        assert (list(dismissed.keys), dismissed.is_over) == ([SMOOTH.key], False)
        assert [offer.room for offer in dismissed.seating.offers] == ["attic"]
        revoked = {(each.worker, each.job_id, each.reason) for each in dismissed.step.revoked}
        assert revoked == {("w1", each.fence.job_id, "not here") for each in (running, waiting)}
        assert await stage.status(running) is JobState.FAILED
        assert await stage.status(waiting) is JobState.PENDING
        assert await stage.status(there) is JobState.RUNNING
        reconciled = await store.renew(session, [held(running), held(there)], 3)
        assert [fence.job_id for fence in reconciled.drop] == [running.fence.job_id]
        assert [fence.job_id for fence in reconciled.keep] == [there.fence.job_id]

    async def test_an_unknown_worker_cannot_be_dismissed(self, store: Store) -> None:
        with pytest.raises(WorkerNotFound):
            await store.dismiss("nobody", None, "root", "too slow", bans=False)

    async def test_a_room_records_whose_workers_it_accepts(self, store: Store) -> None:
        await store.create_room(Room(LAB, "ada"))
        for wanted in (WorkersFrom.ANYONE, WorkersFrom.CONSENT):
            await store.change_room(LAB, workers=wanted)
            room = await store.read(FindRoom(LAB))
            assert room is not None
            assert room.workers is wanted
