"""Extensions with a lease of their own, for machines that sleep."""

from __future__ import annotations

from workroom.domain.extension import Policy
from workroom.domain.job import JobState
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    COUNT,
    LIVENESS,
    SMOOTH,
    Conformance,
    Reopen,
    Stage,
    completed,
    error_type,
    extension,
    held,
)

LONG = 600.0
SLEEPER = extension("Sleeper", policy=Policy(lease=LONG))
NIMBLE = extension("Nimble", policy=Policy(lease=LIVENESS.lease / 2))
BRIEF_SECONDS = LIVENESS.lease / 3
BRIEF = extension("Brief", policy=Policy(lease=BRIEF_SECONDS))


class OwnLeaseConformance(Conformance):
    async def test_a_worker_has_the_longest_lease_of_what_it_offers(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH, SLEEPER)
        await stage.connect("w2", NIMBLE)
        await stage.connect("w3", NIMBLE, COUNT)
        await stage.connect("w4", COUNT)
        leases = [(await store.open_session(f"w{each}", "boot", (), 0)).lease for each in range(1, 5)]

        assert leases == [LONG, LIVENESS.lease / 2, LIVENESS.lease, None]

    async def test_it_is_lost_after_its_own_lease(self, stage: Stage) -> None:
        assignment = await stage.running(await stage.connect("w1", SLEEPER), SLEEPER)
        assert (await stage.wait(LONG - 1)).offline == []
        assert await stage.status(assignment) is JobState.RUNNING

        assert (await stage.wait(1)).offline == ["w1"]
        job = await stage.job(assignment.fence.job_id)
        assert (job.status, error_type(job)) == (JobState.FAILED, "WorkerLost")

    async def test_a_shorter_one_ends_sooner(self, stage: Stage) -> None:
        await stage.connect("w1", NIMBLE)
        assert (await stage.wait(LIVENESS.lease / 2 - 1)).offline == []

        assert (await stage.wait(1)).offline == ["w1"]

    async def test_a_heartbeat_renews_it_in_full(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SLEEPER)
        await stage.wait(LONG - 1)
        await store.renew(session, (), 0)

        assert (await stage.wait(LONG - 1)).offline == []
        await store.renew(session, (), 0)
        assert (await stage.wait(LONG)).offline == ["w1"]

    async def test_a_lost_socket_does_not_shorten_a_longer_one(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", SLEEPER)
        assignment = await stage.running(session, SLEEPER)
        await store.disconnect(session)
        assert (await stage.wait(LONG - 1)).offline == []
        await stage.reconnect("w1", held(assignment), seen=assignment.number)

        await stage.finish(completed(assignment))
        assert await stage.status(assignment) is JobState.COMPLETED

    async def test_a_lost_socket_shortens_a_shorter_one(self, stage: Stage, store: Store) -> None:
        session = await stage.connect("w1", NIMBLE)
        await store.disconnect(session)

        assert (await stage.wait(LIVENESS.grace)).offline == ["w1"]

    async def test_taken_off_the_list_it_counts_no_more(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SLEEPER, SMOOTH)
        await stage.register("w1", SMOOTH)

        assert (await stage.wait(LIVENESS.lease)).offline == ["w1"]

    async def test_after_an_outage_it_is_granted_in_full(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        await stage.connect("w1", SLEEPER)
        clock.advance(10 * LONG)
        assert (await store.sweep()).offline == []

        assert (await stage.wait(LONG - 1)).offline == []
        assert (await stage.wait(1)).offline == ["w1"]

    async def test_after_an_outage_longer_than_a_short_one_it_is_granted_in_full(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        """The outage is none for workers with the server's lease, which have enough of it left."""
        await stage.connect("w1", BRIEF)
        clock.advance(LIVENESS.lease / 2)
        assert (await store.sweep()).offline == []

        assert (await stage.wait(BRIEF_SECONDS - 1)).offline == []
        assert (await stage.wait(1)).offline == ["w1"]

    async def test_it_survives_a_restart(
        self, stage: Stage, store: Store, clock: FakeClock, reopen: Reopen
    ) -> None:
        await stage.connect("w1", SLEEPER)
        await store.aclose()
        clock.advance(10 * LONG)

        async with reopen() as again:
            assert (await again.wait(LONG - 1)).offline == []
            assert (await again.wait(1)).offline == ["w1"]


class OutageConformance(Conformance):
    async def test_an_outage_of_almost_a_lease_loses_nobody_either(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH)
        running = await stage.running(session)
        await stage.wait(LIVENESS.heartbeat)
        clock.advance(LIVENESS.lease - 1)
        assert (await store.sweep()).offline == []

        assert list((await store.renew(session, [held(running)], running.number)).keep) == [running.fence]

    async def test_after_an_outage_of_many_leases_a_worker_keeps_what_it_holds(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        session = await stage.connect("w1", SMOOTH, slots=9)
        running = [await stage.running(session) for _ in range(9)]
        clock.advance(100 * LIVENESS.lease)
        assert (await store.sweep()).offline == []
        clock.advance(LIVENESS.lease - 1)
        await store.sweep()
        opened = await store.open_session("w1", "boot", [held(each) for each in running], running[-1].number)

        assert (list(opened.reconciled.drop), list(opened.reconciled.cancel)) == ([], [])
        for each in running:
            await stage.finish(completed(each))
            assert (await stage.job(each.fence.job_id)).attempt == 1
