"""The server's own extensions: they own their names and never leave by themselves."""

from __future__ import annotations

import pytest

from workroom.domain.extension import ExtensionSpec, RunnerKind
from workroom.domain.job import JobState
from workroom.domain.queries import VisibleExtensions
from workroom.errors import ExtensionNotFound, NameReserved, SchemaConflict
from workroom.ports import Store
from workroom.testing.conformance.stage import LIVENESS, Conformance, Stage, completed, extension


def server_side(name: str, field: str = "window", runner: RunnerKind = RunnerKind.LOCAL) -> ExtensionSpec:
    return extension(name, room=None, field=field, runner=runner, owner="server")


SMOOTH = server_side("Smooth")
COUNT = server_side("Count")


class PublishConformance(Conformance):
    async def test_the_server_s_extensions_are_seen_in_every_room(self, stage: Stage, store: Store) -> None:
        ids = await store.put_extensions([SMOOTH, COUNT])

        assert ids == [await stage.extension_id(SMOOTH), await stage.extension_id(COUNT)]
        for room in ("lab", "attic"):
            visible = await store.read(VisibleExtensions(room))
            assert {each.spec for each in visible} == {SMOOTH, COUNT}

    async def test_putting_the_same_again_changes_nothing(self, store: Store) -> None:
        ids = await store.put_extensions([SMOOTH, COUNT])

        assert await store.put_extensions([SMOOTH, COUNT]) == ids

    async def test_what_is_no_longer_listed_leaves(self, stage: Stage, store: Store) -> None:
        await store.put_extensions([SMOOTH, COUNT, server_side("Paint", runner=RunnerKind.CELERY)])
        job = await stage.new_job(SMOOTH)
        await store.put_extensions([COUNT])

        assert [each.spec for each in await store.read(VisibleExtensions("lab"))] == [COUNT]
        assert await stage.refusal(store.submit([job])) is ExtensionNotFound

    async def test_what_left_may_come_back(self, stage: Stage, store: Store) -> None:
        await store.put_extensions([SMOOTH])
        await store.put_extensions([])
        await store.put_extensions([SMOOTH])

        await stage.submit(SMOOTH)

    async def test_extensions_of_workers_stay_when_the_server_lists_its_own(
        self, stage: Stage, store: Store
    ) -> None:
        remote = extension("Paint")
        await stage.register("w1", remote)
        await store.put_extensions([SMOOTH])
        await store.put_extensions([])

        assert await stage.is_offered(remote)

    async def test_the_server_may_change_its_schemas(self, stage: Stage, store: Store) -> None:
        await store.put_extensions([SMOOTH])
        job = await stage.new_job(SMOOTH)
        wider = server_side("Smooth", field="width")
        await store.put_extensions([wider])

        assert await stage.refusal(store.submit([job])) is SchemaConflict
        await stage.submit(wider)

    async def test_a_server_side_extension_stays_when_its_last_worker_leaves(
        self, stage: Stage, store: Store
    ) -> None:
        await store.put_extensions([SMOOTH])
        await stage.register("w1", SMOOTH, runner=RunnerKind.LOCAL, user="server")
        session = await stage.reconnect("w1")
        await stage.finish(completed(await stage.running(session, SMOOTH)))
        step = await store.close_session("w1", "goodbye")

        assert step.removed == []
        assert (await stage.job(await stage.submit(SMOOTH))).status is JobState.PENDING

    async def test_a_server_side_extension_stays_when_its_last_worker_is_lost(
        self, stage: Stage, store: Store
    ) -> None:
        await store.put_extensions([SMOOTH])
        await stage.register("w1", SMOOTH, runner=RunnerKind.LOCAL, user="server")
        swept = await stage.wait(LIVENESS.lease)

        assert (swept.offline, swept.removed) == (["w1"], [])
        await stage.submit(SMOOTH)

    @pytest.mark.parametrize("room", [None, "lab"])
    @pytest.mark.parametrize("field", ["window", "width"])
    async def test_nobody_can_register_over_a_name_of_the_server(
        self, stage: Stage, store: Store, room: str | None, field: str
    ) -> None:
        await store.put_extensions([SMOOTH])
        with pytest.raises(NameReserved):
            await stage.register("w1", extension("Smooth", room=room, field=field))

        assert [each.spec for each in await store.read(VisibleExtensions("lab"))] == [SMOOTH]

    async def test_a_worker_gets_no_jobs_of_a_name_that_the_server_has_taken_from_it(
        self, stage: Stage, store: Store
    ) -> None:
        session = await stage.connect("w1", extension("Smooth", room=None, field="width"))
        await store.put_extensions([SMOOTH])
        await stage.submit(SMOOTH)

        assert await stage.claim(session) == []

    async def test_a_name_is_free_again_once_the_server_has_given_it_up(
        self, stage: Stage, store: Store
    ) -> None:
        await store.put_extensions([SMOOTH])
        await store.put_extensions([])
        remote = extension("Smooth", room=None, field="width")

        assert (await stage.register("w1", remote)).created == (remote.key,)
