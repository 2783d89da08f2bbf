"""Presets are kept as given, replaced only by those who saw them, and deleted with their room."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workroom.domain.preset import Preset, PresetKey
from workroom.domain.queries import CountUsage, FindPreset, FindPresets
from workroom.domain.quotas import Counter, Kind, Per
from workroom.errors import RoomNotFound
from workroom.ports import Store
from workroom.testing.conformance.stage import ATTIC, LAB, Conformance, Stage

DATA = '{"wörd":[1,2.5,"x"]}'.encode()


def preset(
    name: str,
    revision: str = "r1",
    *,
    holder: str = "",
    user: str = "ada",
    room: str = LAB,
    extension: str = "Smooth",
    data: bytes = DATA,
) -> Preset:
    key = PresetKey(room, holder, "analysis", extension, name)
    return Preset(key, user, revision, data=data)


async def names(store: Store, user: str, room: str = LAB, extension: str = "Smooth") -> list[tuple[str, str]]:
    found = await store.read(FindPresets(room, user, "analysis", extension))
    return [(each.key.holder, each.key.name) for each in found]


async def counted(stage: Stage, user: str, room: str = LAB) -> tuple[int, ...]:
    """By the user, of the room, and in total."""
    kind = Kind.PRESETS
    counters = (Counter(kind, Per.USER, user), Counter(kind, Per.ROOM, room), Counter(kind, Per.TOTAL))
    return await stage.store.read(CountUsage(counters, stage.clock.now_us()))


class PresetConformance(Conformance):
    async def test_a_preset_is_read_back_as_it_was_saved(self, stage: Stage, store: Store) -> None:
        saved = await store.save_preset(preset("wide: 50 %"), None)

        assert saved == replace(preset("wide: 50 %"), updated_at_us=stage.clock.now_us())
        assert await store.read(FindPreset(saved.key)) == saved
        (listed,) = await store.read(FindPresets(LAB, "ada", "analysis", "Smooth"))
        assert listed == replace(saved, data=None)

    async def test_a_user_sees_the_presets_of_the_room_and_their_own_of_one_extension(
        self, stage: Stage, store: Store
    ) -> None:
        for each in (
            preset("b"),
            preset("a"),
            preset("a", holder="ada"),
            preset("a", holder="bob", user="bob"),
            preset("a", extension="Count"),
            preset("a", room=ATTIC),
        ):
            assert await store.save_preset(each, None) is not None

        assert await names(store, "ada") == [("", "a"), ("", "b"), ("ada", "a")]
        assert await names(store, "bob") == [("", "a"), ("", "b"), ("bob", "a")]
        assert await names(store, "eve") == [("", "a"), ("", "b")]
        assert await names(store, "ada", extension="Count") == [("", "a")]
        assert await names(store, "ada", extension="Other") == []

    async def test_only_the_revision_that_was_seen_is_replaced(self, stage: Stage, store: Store) -> None:
        first, second = preset("a", "r1"), preset("a", "r2", data=b'{"window":9}')
        assert await store.save_preset(second, "r1") is None
        await store.save_preset(first, None)
        assert await store.save_preset(second, None) is None
        assert await store.save_preset(second, "r0") is None
        found = await store.read(FindPreset(first.key))
        assert found is not None
        assert found.data == DATA

        stage.clock.advance(1)
        saved = await store.save_preset(second, "r1")
        assert saved == replace(second, updated_at_us=stage.clock.now_us())
        assert await store.read(FindPreset(first.key)) == saved
        assert await names(store, "ada") == [("", "a")]

    async def test_only_the_revision_that_was_seen_is_deleted(self, stage: Stage, store: Store) -> None:
        kept, gone = preset("kept"), preset("gone", holder="ada")
        for each in (kept, gone):
            await store.save_preset(each, None)

        assert not await store.delete_preset(kept.key, "r0")
        assert await store.delete_preset(gone.key, "r1")
        assert not await store.delete_preset(gone.key, "r1")
        assert await names(store, "ada") == [("", "kept")]
        assert await store.read(FindPreset(gone.key)) is None

    async def test_presets_count_for_who_saved_them_and_shared_ones_for_the_room(
        self, stage: Stage, store: Store
    ) -> None:
        await store.save_preset(preset("shared"), None)
        await store.save_preset(preset("own", holder="ada"), None)
        await store.save_preset(preset("own", holder="bob", user="bob"), None)
        assert await counted(stage, "ada") == (2, 1, 3)

        await store.save_preset(preset("shared", "r2"), "r1")
        assert await counted(stage, "ada") == (2, 1, 3)
        await store.delete_preset(preset("shared").key, "r2")
        assert await counted(stage, "ada") == (1, 0, 2)
        assert await counted(stage, "bob") == (1, 0, 2)

    async def test_presets_go_with_their_room(self, stage: Stage, store: Store) -> None:
        for each in (preset("a"), preset("a", holder="bob", user="bob"), preset("a", room=ATTIC)):
            await store.save_preset(each, None)

        await store.delete_room(LAB)

        assert await names(store, "bob") == []
        assert await store.read(FindPreset(preset("a").key)) is None
        assert await counted(stage, "ada") == (1, 0, 1)
        assert await counted(stage, "bob", ATTIC) == (0, 1, 1)

    @pytest.mark.parametrize("room", ["nowhere", LAB])
    async def test_a_room_that_is_missing_or_deleted_keeps_no_presets(
        self, stage: Stage, store: Store, room: str
    ) -> None:
        await store.delete_room(LAB)

        with pytest.raises(RoomNotFound):
            await store.save_preset(preset("a", room=room), None)
        assert await names(store, "ada", room) == []
