"""Presets: the verbs and queries of their table."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import astuple, replace
from typing import TypeVar

from workroom.domain.preset import Preset, PresetKey
from workroom.domain.queries import FindPreset, FindPresets
from workroom.stores.sqlite.directory import require_room
from workroom.stores.sqlite.statements import SQL

T = TypeVar("T")


class PresetVerbs:
    def _durable(self, step: Callable[[sqlite3.Connection, int], T]) -> asyncio.Future[T]:
        raise NotImplementedError

    def save_preset(self, preset: Preset, before: str | None) -> Awaitable[Preset | None]:
        return self._durable(lambda connection, at: _save(connection, at, preset, before))

    def delete_preset(self, key: PresetKey, revision: str) -> Awaitable[bool]:
        def step(connection: sqlite3.Connection, at: int) -> bool:
            return connection.execute(SQL["delete_preset"], (*astuple(key), revision)).rowcount == 1

        return self._durable(step)


def find_presets(connection: sqlite3.Connection, query: FindPresets) -> list[Preset]:
    wanted = {
        "room": query.room,
        "user": query.user,
        "category": query.category,
        "extension": query.extension,
    }
    return [
        Preset(PresetKey(query.room, holder, query.category, query.extension, name), *saved)
        for holder, name, *saved in connection.execute(SQL["find_presets"], wanted)
    ]


def find_preset(connection: sqlite3.Connection, query: FindPreset) -> Preset | None:
    row = connection.execute(SQL["find_preset"], astuple(query.key)).fetchone()
    return None if row is None else Preset(query.key, *row)


def _save(connection: sqlite3.Connection, at_us: int, preset: Preset, before: str | None) -> Preset | None:
    key = astuple(preset.key)
    require_room(connection, preset.key.room)
    found = connection.execute(SQL["revision_of_preset"], key).fetchone()
    if (None if found is None else found[0]) != before:
        return None
    values = (*key, preset.user, preset.revision, at_us, preset.data)
    connection.execute(SQL["save_preset"], values)
    return replace(preset, updated_at_us=at_us)
