"""People talk in their rooms."""

from __future__ import annotations

from workroom.domain.chat import ChatMessage
from workroom.domain.events import ChatSaid
from workroom.domain.identity import Principal
from workroom.domain.queries import FindChat, Page
from workroom.ports import EventBus, Store


class Chat:
    def __init__(self, store: Store, bus: EventBus) -> None:
        self._store = store
        self._bus = bus

    async def say(self, who: Principal, room: str, text: str) -> ChatMessage:
        message = await self._store.say(room, who.user, text)
        self._bus.publish([ChatSaid(message)])
        return message

    async def page(self, room: str, before: int | None, limit: int) -> Page[ChatMessage]:
        return await self._store.read(FindChat(room, before, limit))
