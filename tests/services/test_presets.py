"""Presets that somebody else saves at the same moment."""

from __future__ import annotations

from typing import Any, cast

import pytest

from support.dispatch_harness import DispatchHarness
from workroom.domain.identity import Principal, Role
from workroom.domain.preset import Preset, PresetKey
from workroom.domain.queries import FindPreset, FindRoom
from workroom.errors import Busy
from workroom.ports import Store
from workroom.services.identity.access import Access
from workroom.services.rooms.presets import Presets

KEY = PresetKey("lab", "ada", "analysis", "Smooth", "wide")


class Rival:
    """Steps that somebody else is always faster than."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._saved = 0

    async def delete_preset(self, key: PresetKey, revision: str) -> bool:
        self._saved += 1
        await self._store.save_preset(Preset(key, "ada", f"rival {self._saved}", data=b"{}"), revision)
        return await self._store.delete_preset(key, revision)


async def test_a_preset_that_others_keep_saving_is_not_said_to_be_deleted(harness: DispatchHarness) -> None:
    store = harness.stage.store
    await store.save_preset(Preset(KEY, "ada", "mine", data=b"{}"), None)
    nothing = cast("Any", None)
    access = Access(store, nothing)
    presets = Presets(store, cast("Any", Rival(store)), access, nothing, nothing, nothing, 1000)
    room = await store.read(FindRoom("lab"))
    assert room is not None

    with pytest.raises(Busy):
        await presets.delete(Principal("ada", Role.GUEST), room, KEY)
    assert await store.read(FindPreset(KEY)) is not None
