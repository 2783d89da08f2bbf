"""Rooms, their members and their chat."""

from __future__ import annotations

from pydantic import Field

from workroom.domain.identity import MemberRole
from workroom.domain.room import MAX_CHAT_TEXT, WorkersFrom
from workroom.server.http.bodies.fields import WEEK, Body, Name, SecretCode, Title, TypedName


class RoomBody(Body):
    name: Name
    title: Title = ""
    private: bool = False


class RoomChange(Body):
    title: Title | None = None
    private: bool | None = None
    workers: WorkersFrom | None = Field(None, strict=False)

    def summary(self) -> str:
        """What is changed, in a few words."""
        changes = [] if self.title is None else [f"title {self.title}"]
        changes += [] if self.private is None else ["private" if self.private else "open"]
        changes += [] if self.workers is None else [f"workers of {self.workers}"]
        return ", ".join(changes)


class MemberBody(Body):
    user: TypedName | None = None
    code: SecretCode | None = Field(None, repr=False)
    role: MemberRole | None = Field(None, strict=False, description="with `user`; a member is the default")


class InviteBody(Body):
    seconds: float | None = Field(
        None, gt=0, le=520 * WEEK, description="lifetime; a week, or the longest that the server allows"
    )
    uses: int = Field(100, ge=1, le=100_000)
    role: MemberRole = Field(
        MemberRole.MEMBER, strict=False, description="viewers read only; open rooms have none"
    )


class PairBody(Body):
    seconds: float = Field(600, gt=0, le=86_400, description="lifetime")


class ChatBody(Body):
    text: str = Field(min_length=1, max_length=MAX_CHAT_TEXT)
