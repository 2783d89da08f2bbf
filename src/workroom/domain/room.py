"""A room, its name, and the messages of its chat."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from workroom.errors import InvalidName

RESERVED = frozenset({"public", "global"})
MAX_CHAT_TEXT = 4000
_ROOM = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_OWN = re.compile(r"own-(?:[a-z0-9_-]{1,40}-)?[0-9a-f]{16}")
_KEPT = 40


class WorkersFrom(StrEnum):
    """Whose workers may offer an extension that another user offers already."""

    CONSENT = "consent"  # only workers that were accepted
    ANYONE = "anyone"


@dataclass(frozen=True, slots=True)
class Room:
    """A shared workspace. Only its owner and its members see a private one.

    `viewers` are the members who may only read, as long as the room is private.
    """

    name: str
    owner: str
    title: str = ""
    private: bool = False
    created_at_us: int = 0
    members: frozenset[str] = frozenset()
    deleted: bool = False
    workers: WorkersFrom = WorkersFrom.CONSENT
    viewers: frozenset[str] = frozenset()

    def admits(self, user: str) -> bool:
        return not self.deleted and (not self.private or user == self.owner or user in self.members)

    def is_viewer(self, user: str) -> bool:
        return self.private and user in self.viewers and user != self.owner

    def admits_as_member(self, user: str) -> bool:
        """Whether the room lets this user change anything."""
        return self.admits(user) and not self.is_viewer(user)


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message in a room's chat.

    `job_id` names the job whose failure the server reports; `by_job` the job that wrote the message itself.
    """

    sequence: int
    room: str
    user: str
    text: str
    job_id: str | None
    at_us: int
    by_job: str | None = None


@lru_cache(maxsize=1024)
def room_name(text: str) -> str:
    """The canonical name of a room. Raises InvalidName for text that cannot name one."""
    name = unicodedata.normalize("NFKC", text).casefold()
    if name in RESERVED:
        raise InvalidName(f"a room cannot be called '{name}'", name=name)
    if not _ROOM.fullmatch(name):
        raise InvalidName(
            "a room name is 1 to 64 of a-z, 0-9, - and _, and starts with a letter or digit", name=name[:100]
        )
    return name


def derived_name(text: str) -> str:
    """A room name for any text: the same for equal texts, different for different ones.

    Text that is a valid room name is returned as it is. From other text, up to 40 valid characters are kept,
    followed by a digest of the whole text: `Run 7/b` becomes `run-7-b-5f3a…`.
    """
    try:
        if room_name(text) == text:
            return text
    except InvalidName:
        pass
    name = _digested(text, "run")
    return f"run-{name}" if is_own_room(name) else name


def own_room(user: str) -> str:
    """The name of a user's own private room. Nobody else can create a room with such a name."""
    return f"own-{_digested(user)}"


def is_own_room(name: str) -> bool:
    """Whether the name belongs to a user's own room, existing or not."""
    return _OWN.fullmatch(name) is not None


def _digested(text: str, fallback: str = "") -> str:
    kept = re.sub(r"[^a-z0-9_]+", "-", text.casefold()).strip("-_")[:_KEPT] or fallback
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    return f"{kept}-{digest}" if kept else digest
