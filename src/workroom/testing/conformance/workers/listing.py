"""Workers, as people see them."""

from __future__ import annotations

from workroom.domain.queries import FindWorker, FindWorkers
from workroom.domain.worker import WorkerState
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import (
    COUNT,
    LAB,
    SMOOTH,
    Conformance,
    Stage,
    completed,
    extension,
)

PUBLIC = extension("Paint", room=None)
ATTIC = extension("Count", room="attic")


class FleetConformance(Conformance):
    async def test_an_unknown_worker_is_not_found(self, store: Store) -> None:
        assert await store.read(FindWorker("nobody")) is None

    async def test_a_worker_s_state_follows_what_it_does(self, stage: Stage, store: Store) -> None:
        await stage.register("w1", SMOOTH)
        assert (await stage.worker("w1")).state is WorkerState.OFFLINE
        session = await stage.reconnect("w1")
        assert (await stage.worker("w1")).state is WorkerState.IDLE
        assignment = await stage.assigned(session)
        assert (await stage.worker("w1")).state is WorkerState.ASSIGNED
        await stage.start(assignment)
        assert (await stage.worker("w1")).state is WorkerState.RUNNING
        await stage.finish(completed(assignment))
        assert (await stage.worker("w1")).state is WorkerState.IDLE
        await store.close_session("w1", "goodbye")
        assert (await stage.worker("w1")).state is WorkerState.OFFLINE

    async def test_a_room_sees_the_workers_that_serve_it(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        for worker, spec in (("w3", SMOOTH), ("w2", PUBLIC), ("w1", ATTIC)):
            await stage.register(worker, spec)
            clock.advance(1)

        assert await _fleet(store, LAB) == ["w3", "w2"]
        assert await _fleet(store, "attic") == ["w2", "w1"]
        assert await _fleet(store, None) == ["w3", "w2", "w1"]
        found = await store.read(FindWorkers(LAB))
        assert found == [await stage.worker("w3"), await stage.worker("w2")]

    async def test_a_worker_that_has_left_is_not_in_the_fleet(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")

        assert await _fleet(store, None) == []

    async def test_an_offline_worker_is_listed_where_it_served(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await stage.connect("w2", ATTIC)
        await store.close_session("w1", "goodbye")

        assert [worker.spec.id for worker in await store.read(FindWorkers(LAB))] == []
        (offline,) = await store.read(FindWorkers(LAB, offline=True))
        assert (offline.spec.id, offline.state) == ("w1", WorkerState.OFFLINE)
        assert offline.extensions == (SMOOTH.key,)
        everyone = await store.read(FindWorkers(offline=True))
        assert {worker.spec.id for worker in everyone} == {"w1", "w2"}

    async def test_a_worker_that_comes_back_is_listed_once(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.close_session("w1", "goodbye")
        await stage.connect("w1", COUNT)

        (worker,) = await store.read(FindWorkers(LAB, offline=True))
        assert (worker.online, worker.extensions) == (True, (COUNT.key,))

    async def test_a_dismissed_worker_is_not_listed(self, stage: Stage, store: Store) -> None:
        await stage.connect("w1", SMOOTH)
        await store.dismiss("w1", None, "ada", "enough", bans=False)

        assert await store.read(FindWorkers(LAB, offline=True)) == []

    async def test_the_record_of_an_offline_worker_is_deleted_in_time(
        self, stage: Stage, store: Store, clock: FakeClock
    ) -> None:
        await stage.connect("w1", SMOOTH)
        session = await stage.connect("w2", SMOOTH)
        await store.close_session("w1", "goodbye")
        await store.sweep()
        assert await store.read(FindWorker("w1")) is not None

        for _ in range(200):
            clock.advance(20)
            await store.renew(session, (), 0)
            await store.sweep()

        assert await store.read(FindWorker("w1")) is None
        assert [worker.spec.id for worker in await store.read(FindWorkers(LAB, offline=True))] == ["w2"]


async def _fleet(store: Store, room: str | None) -> list[str]:
    return [worker.spec.id for worker in await store.read(FindWorkers(room))]
