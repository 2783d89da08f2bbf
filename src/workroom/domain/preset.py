"""Presets: named values of an extension's form, kept by a person for themselves or for their room."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workroom.domain.files import visible_name

MAX_NAME = 100


class Whose(StrEnum):
    """Who sees a preset: the person who saved it, or everybody in the room."""

    MINE = "mine"
    ROOM = "room"


@dataclass(frozen=True, slots=True)
class PresetKey:
    """`holder` is the user who keeps the preset for themselves; empty for a preset of the room."""

    room: str
    holder: str
    category: str
    extension: str
    name: str

    @property
    def whose(self) -> Whose:
        return Whose.MINE if self.holder else Whose.ROOM


@dataclass(frozen=True, slots=True)
class Preset:
    """Values as they were given, encoded as JSON. `data` is None in a list of presets.

    `user` saved it first. `revision` is random and changes with each save, so that nobody replaces what they
    have not seen.
    """

    key: PresetKey
    user: str
    revision: str
    updated_at_us: int = 0
    data: bytes | None = None


def preset_key(room: str, user: str, category: str, extension: str, whose: Whose, name: str) -> PresetKey:
    """The key of a preset as this user names it. Raises InvalidName."""
    return PresetKey(room, user if whose is Whose.MINE else "", category, extension, preset_name(name))


def preset_name(text: str) -> str:
    return visible_name(text, "the name of a preset", MAX_NAME)
