"""What a room is, and what it may be called."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from workroom.errors import InvalidName

RESERVED = frozenset({"public", "global"})
_ROOM = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Room:
    """A shared workspace. A private one is there for its owner and its members only."""

    name: str
    owner: str
    title: str = ""
    private: bool = False
    created_at_us: int = 0
    members: frozenset[str] = frozenset()
    deleted: bool = False

    def admits(self, user: str) -> bool:
        return not self.deleted and (not self.private or user == self.owner or user in self.members)


@lru_cache(maxsize=1024)
def room_name(text: str) -> str:
    """The name a room is kept under, whatever way it was typed."""
    name = unicodedata.normalize("NFKC", text).casefold()
    if name in RESERVED:
        raise InvalidName(f"a room cannot be called '{name}'", name=name)
    if not _ROOM.fullmatch(name):
        raise InvalidName(
            "a room name is 1 to 64 of a-z, 0-9, - and _, and starts with a letter or digit", name=name[:100]
        )
    return name
