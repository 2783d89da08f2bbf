"""What is said in a room."""

from __future__ import annotations

from fastapi import Response

from workroom.domain.policy import Act
from workroom.errors import RoomNotFound, TooManyRequests
from workroom.server import documents, shapes
from workroom.server.context import Inside, Room, Who, answer
from workroom.server.openapi import refused
from workroom.server.paging import Cursor, Limit
from workroom.server.router import Router
from workroom.server.wire import ChatBody

router = Router(prefix="/api/rooms", tags=["rooms"])


@router.get("/{room}/chat", response_model=shapes.ChatPage, responses=refused(RoomNotFound))
async def read_chat(
    room: Room, who: Who, inside: Inside, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """Newest first: what people said, and one line for each job that failed."""
    await inside.access.enter(who, room, Act.SEE_ROOM)
    page = await inside.chat.page(room, cursor, limit)
    items = [documents.chat_message(message) for message in page.items]
    return answer({"items": items, "next_cursor": page.next_cursor})


@router.post(
    "/{room}/chat",
    status_code=201,
    response_model=shapes.ChatMessage,
    responses=refused(RoomNotFound, TooManyRequests),
)
async def say(room: Room, body: ChatBody, who: Who, inside: Inside) -> Response:
    """Everybody in the room hears it."""
    await inside.access.enter(who, room, Act.SAY)
    inside.throttles.submits.take(who.user)
    return answer(documents.chat_message(await inside.chat.say(who, room, body.text)), 201)
