"""Presets of forms: saved without secrets, replaced only by those who may and who have seen what is there."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

import orjson

from workroom.domain.identity import Principal
from workroom.domain.preset import Preset, PresetKey, Whose
from workroom.domain.queries import FindPreset, FindPresets
from workroom.domain.quotas import Charge, Kind
from workroom.domain.room import Room
from workroom.errors import BodyTooLarge, Busy, ExtensionNotFound, NameTaken, PresetNotFound
from workroom.ports import ReadableStore
from workroom.services.identity.access import Access
from workroom.services.jobs.catalog import Catalog
from workroom.services.jobs.secrets import Secrets
from workroom.services.json_codec import encoded
from workroom.services.limits.quotas import QuotaKeeper
from workroom.services.steps import Steps

_REVISION_BYTES = 8
_TRIES = 3  # somebody else may save or delete the same preset


class Presets:
    def __init__(
        self,
        store: ReadableStore,
        steps: Steps,
        access: Access,
        catalog: Catalog,
        secrets: Secrets,
        quotas: QuotaKeeper,
        max_data: int,
    ) -> None:
        self._store = store
        self._steps = steps
        self._access = access
        self._catalog = catalog
        self._secrets = secrets
        self._quotas = quotas
        self._max_data = max_data

    async def visible(self, who: Principal, room: str, category: str, extension: str) -> list[Preset]:
        """The room's presets and the caller's own, without their values."""
        return await self._store.read(FindPresets(room, who.user, category, extension))

    async def read(self, key: PresetKey) -> Preset:
        """A preset with its values. A field that became secret since it was saved is left out."""
        preset = await self._find(key)
        try:
            extension = await self._catalog.find(key.room, key.category, key.extension)
        except ExtensionNotFound:
            return preset
        values = orjson.loads(preset.data or b"{}")
        return replace(preset, data=orjson.dumps(self._secrets.without(extension.spec.schema, values)))

    async def save(
        self, who: Principal, room: Room, key: PresetKey, values: dict[str, Any], *, replaces: bool
    ) -> Preset:
        """Save values under a new name or, with `replaces`, in place of those that have the name."""
        data = await self._storable(key, values)
        for _ in range(_TRIES):
            before = await self._store.read(FindPreset(key))
            if before is not None and before.data == data:
                return before  # also if the same request is sent again
            if before is not None and not replaces:
                break
            saved = await self._put(who, room, key, data, before)
            if saved is not None:
                return saved
        raise NameTaken(f"there is a preset '{key.name}' already: replace it, or choose another name")

    async def delete(self, who: Principal, room: Room, key: PresetKey) -> None:
        for _ in range(_TRIES):
            preset = await self._find(key)
            self._access.check_preset(who, preset, room)
            if await self._steps.delete_preset(key, preset.revision):
                return
        raise Busy(f"others save the preset '{key.name}' at the moment: try again")

    async def _find(self, key: PresetKey) -> Preset:
        preset = await self._store.read(FindPreset(key))
        if preset is None:
            raise PresetNotFound(f"there is no preset '{key.name}' of {key.category}/{key.extension}")
        return preset

    async def _storable(self, key: PresetKey, values: dict[str, Any]) -> bytes:
        extension = await self._catalog.find(key.room, key.category, key.extension)
        data = encoded(values, "the data")
        if len(data) > self._max_data:
            raise BodyTooLarge(
                f"the values have {len(data):,} bytes; a preset may have {self._max_data:,}",
                max_bytes=self._max_data,
            )
        return encoded(self._secrets.without(extension.spec.schema, values), "the data")

    async def _put(
        self, who: Principal, room: Room, key: PresetKey, data: bytes, before: Preset | None
    ) -> Preset | None:
        """None if somebody else was faster."""
        revision = secrets.token_hex(_REVISION_BYTES)
        if before is not None:
            self._access.check_preset(who, before, room)
            self._quotas.check_disk()
            return await self._steps.save_preset(replace(before, revision=revision, data=data), before)
        is_shared = key.whose is Whose.ROOM
        charge = Charge(Kind.PRESETS, 1, ((room.name, 1),) if is_shared else ())
        async with self._quotas.reserving(who, charge) as reservation:
            saved = await self._steps.save_preset(Preset(key, who.user, revision, data=data), None)
            if saved is None:
                reservation.give_back()
        return saved
