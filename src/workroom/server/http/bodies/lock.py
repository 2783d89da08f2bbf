"""Requests for locks, the same over REST and sockets."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from workroom.domain.room_data.locks import MAX_LOCK_MESSAGE, MAX_TOKEN, MAX_TTL_S, MAX_WAIT_S, MIN_TOKEN
from workroom.server.http.bodies.fields import Body, Name

LockToken = Annotated[
    str,
    Field(
        min_length=MIN_TOKEN,
        max_length=MAX_TOKEN,
        pattern=r"^[A-Za-z0-9_-]*$",
        description="a random text that only the holder knows",
    ),
]
Seconds = Annotated[float, Field(ge=1, le=MAX_TTL_S)]
Message = Annotated[str, Field(max_length=MAX_LOCK_MESSAGE)]


class AcquireBody(Body):
    token: LockToken
    message: Message = ""
    ttl: Seconds = Field(60.0, description="seconds after which the lock expires unless it is refreshed")
    wait: float = Field(0.0, ge=0, le=MAX_WAIT_S, description="seconds to wait in the queue")


class RefreshBody(Body):
    token: LockToken
    ttl: Seconds | None = Field(None, description="default: as before")
    message: Message | None = None


class AcquireEvent(AcquireBody):
    room: Name
    target: Name


class RefreshEvent(RefreshBody):
    room: Name
    target: Name


class MessageEvent(Body):
    room: Name
    target: Name
    token: LockToken
    message: Message


class ReleaseEvent(Body):
    room: Name
    target: Name
    token: LockToken


class BreakEvent(Body):
    room: Name
    target: Name
