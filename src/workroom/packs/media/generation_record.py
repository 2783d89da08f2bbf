"""The record of a generation, kept up to date while its job runs."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from workroom import JobContext, Room
from workroom.packs.media.providers import Accepted, Cost
from workroom.packs.media.records import (
    CONTENT,
    GENERATIONS,
    Content,
    Generation,
    GenerationState,
    Request,
    generation_id,
    month_of,
)


class GenerationRecord:
    """The generation of one job. A later attempt goes on with what an earlier one wrote. Attempts whose job
    has ended, or was given to another one, can write nothing: the server refuses it.
    """

    def __init__(self, room: Room, job: JobContext, request: Request) -> None:
        self._records = room.records(GENERATIONS)
        self._content = room.records(CONTENT)
        id = generation_id(job.id)
        found = self._records.get(id)
        new = Generation(id, job.id, job.user, request, GenerationState.INTENT, month_of(time.time()))
        self.generation = new if found is None else Generation.read(found["body"]) or new

    def put(self, state: GenerationState, **changes: Any) -> None:
        self.generation = replace(self.generation, state=state, **changes)
        self._records.put(self.generation.id, self.generation.body, **self.generation.indexed)

    def intend(self, estimate: Cost | None) -> None:
        cost = estimate or Cost(0.0, "")
        self.put(GenerationState.INTENT, estimate=cost.amount, unit=cost.unit, error=None)

    def refuse(self, sendings: int) -> None:
        """None of so many sendings was accepted."""
        self.put(GenerationState.INTENT, refused=sendings)

    def accept(self, accepted: Accepted) -> None:
        cost = {} if accepted.cost is None else _actual(accepted.cost)
        self.put(GenerationState.LOOKING, provider_task_id=accepted.task_id, **cost)

    def fetch(self, cost: Cost | None) -> None:
        """The provider is done. `cost` is what it states now, if it does."""
        self.put(GenerationState.FETCHING, **({} if cost is None else _actual(cost)))

    def fail(self, error: Exception, sent: int) -> None:
        reason = {"type": type(error).__name__, "message": str(error)[:2000]}
        self.put(GenerationState.FAILED, sent=sent, error=reason)

    def content(self, content_id: str) -> Content | None:
        found = self._content.get(content_id)
        return None if found is None else Content.read(found["body"])

    def add(self, content: Content) -> None:
        self._content.put(content.id, content.body, **content.indexed)

    def of_month(self) -> list[Generation]:
        """All generations that count in the same budget."""
        found = self._records.find(provider=self.generation.request.provider, month=self.generation.month)
        return [each for each in (Generation.read(record["body"]) for record in found) if each]

    def is_known(self, task_id: str) -> bool:
        """Whether a task of the provider belongs to another job of this room."""
        return any(each["id"] != self.generation.id for each in self._records.find(task=task_id))


def _actual(cost: Cost) -> dict[str, Any]:
    return {"cost": cost.amount, "unit": cost.unit}
