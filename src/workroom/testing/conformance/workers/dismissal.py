"""Who was dismissed stays out."""

from __future__ import annotations

import pytest

from workroom.domain.job import JobState
from workroom.domain.queries import FindRoom
from workroom.domain.room import Room, WorkersFrom
from workroom.domain.worker import DISMISSED_US, ConsentRequest
from workroom.errors import WorkerDismissed, WorkerNotFound
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
