"""The chat of a room."""

from __future__ import annotations

from workroom.domain.identity import Principal
from workroom.domain.queries import FindChat, Page
from workroom.domain.room import ChatMessage
from workroom.ports import ReadableStore
from workroom.services.jobs.secrets import Secrets
from workroom.services.steps import Steps


class Chat:
    def __init__(self, store: ReadableStore, steps: Steps, secrets: Secrets) -> None:
        self._store = store
        self._steps = steps
        self._secrets = secrets

    async def post(self, who: Principal, room: str, text: str) -> ChatMessage:
        """Post a line. In the line of a job its secret values are masked."""
        masker = None if who.job is None else await self._secrets.masker(who.job)
        masked = text if masker is None else masker.text(text)
        by_job = None if who.job is None else who.job.job_id
        return await self._steps.post(room, who.user, masked, by_job)

    async def page(self, room: str, before: int | None, limit: int) -> Page[ChatMessage]:
        return await self._store.read(FindChat(room, before, limit))
