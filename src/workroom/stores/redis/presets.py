"""Presets: verbs as scripts, and their queries.

They are saved rarely, so their values are not in the slot of their room: one script changes everything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from workroom.domain.preset import Preset, PresetKey
from workroom.domain.queries import FindPreset, FindPresets
from workroom.stores.redis.connection import Command
from workroom.stores.redis.keys import SEPARATOR, scheduling
from workroom.stores.redis.messages.codec import to_bytes, to_text, unpack
from workroom.stores.redis.reader import Reader

T = TypeVar("T")


class PresetVerbs:
    def _step(
        self, script: str, decode: Callable[[Any], T], *, before: Sequence[Command] = (), **arguments: object
    ) -> asyncio.Future[T]:
        raise NotImplementedError

    def save_preset(self, preset: Preset, before: str | None) -> Awaitable[Preset | None]:
        def saved(at_us: int | bool) -> Preset | None:
            return None if at_us is False else replace(preset, updated_at_us=at_us)

        return self._step(
            "save_preset",
            saved,
            room=preset.key.room,
            holder=preset.key.holder,
            field=_field(preset.key),
            user=preset.user,
            revision=preset.revision,
            replaced=before or False,
            data=preset.data,
        )

    def delete_preset(self, key: PresetKey, revision: str) -> Awaitable[bool]:
        return self._step(
            "delete_preset", bool, room=key.room, holder=key.holder, field=_field(key), revision=revision
        )


async def find_presets(reader: Reader, query: FindPresets) -> list[Preset]:
    holders = sorted({"", query.user})
    replies = await reader.send(
        [("HGETALL", scheduling("presets", SEPARATOR.join((query.room, holder)))) for holder in holders]
    )
    found: list[Preset] = []
    for holder, reply in zip(holders, replies, strict=True):
        for field, packed in reply.items():
            category, extension, name = to_text(field).split(SEPARATOR)
            if (category, extension) == (query.category, query.extension):
                key = PresetKey(query.room, holder, category, extension, name)
                found.append(Preset(key, *unpack(packed)))
    return sorted(found, key=lambda preset: (preset.key.holder, preset.key.name))


async def find_preset(reader: Reader, query: FindPreset) -> Preset | None:
    key = query.key
    wanted: dict[str, object] = {"room": key.room, "holder": key.holder, "field": _field(key)}
    preset, data = await reader.run_script("find_preset", wanted)
    return replace(Preset(key, *preset), data=to_bytes(data)) if preset else None


def _field(key: PresetKey) -> str:
    return SEPARATOR.join((key.category, key.extension, key.name))
