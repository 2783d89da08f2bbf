"""External ids, intents and questions of attempts, what they wait for, and answers."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from workroom.domain.rules.queue.waiting import WaitCode, encode_waits
from workroom.domain.steps import NewExternal, NewIntent, NewQuestion, Suspension
from workroom.server.http.bodies.fields import MAX_MS, Body, Name
from workroom.server.http.bodies.worker import FenceBody
from workroom.services.json_codec import encoded

MAX_QUESTION = 4000
_PROVIDER = r"^[a-z0-9][a-z0-9_.-]*$"


class ExternalBody(FenceBody):
    provider: str = Field(min_length=1, max_length=64, pattern=_PROVIDER)
    id: str = Field(min_length=1, max_length=400)

    def external(self) -> NewExternal:
        return NewExternal(self.fence(), self.provider, self.id)


class IntentBody(FenceBody):
    provider: str = Field(min_length=1, max_length=64, pattern=_PROVIDER)
    digest: str = Field(min_length=1, max_length=128, description="of the request that will be sent")

    def intent(self) -> NewIntent:
        return NewIntent(self.fence(), self.provider, self.digest)


class QuestionBody(FenceBody):
    key: str = Field(min_length=1, max_length=200, description="the same in every attempt that asks this")
    text: str = Field(min_length=1, max_length=MAX_QUESTION)
    json_schema: dict[str, Any] = Field(alias="schema", description="of the answer, an object")
    timeout_ms: float | None = Field(None, gt=0, le=MAX_MS)

    def question(self) -> NewQuestion:
        timeout_us = None if self.timeout_ms is None else round(self.timeout_ms * 1000)
        schema = encoded(self.json_schema, "the schema of the answer").decode()
        return NewQuestion(self.fence(), self.key, self.text, schema, timeout_us)


class WaitsBody(Body):
    code: Literal["answer", "children"]
    of: Name = Field(description="the id of the question, of the child, or of a group")

    def value(self) -> str:
        return encode_waits(WaitCode(self.code), self.of)


class SuspendBody(FenceBody):
    waits: WaitsBody | None = Field(description="null: it no longer waits")

    def suspension(self) -> Suspension:
        return Suspension(self.fence(), None if self.waits is None else self.waits.value())


class AnswerBody(Body):
    answer: dict[str, Any]
