"""What the media pack keeps in a room: interactions, generations, and the content that they made.

A generation is one order to a provider: one for each job, also for a job that fails. Content is one image or
video of it. Their ids are made of the job's, so that a later attempt of the job finds and replaces them.

Every member of a room can write records of these kinds: `read` returns None for one that has another form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

INTERACTIONS = "media-interactions"
GENERATIONS = "media-generations"
CONTENT = "media-content"

MAX_PROMPT = 8000
_MAX_FIELD = 200

Fields = dict[str, str | int | float]
Amount = Annotated[float, Field(ge=0, le=1e12)]


class GenerationState(StrEnum):
    INTENT = "intent"  # it may be sent now
    LOOKING = "looking"  # the provider has accepted it
    FETCHING = "fetching"  # the provider is done
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Request:
    """What was ordered, as it is kept with everything that came of it."""

    provider: str
    action: str
    prompt: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    """The content, file or address that it began with."""
    parent: str = ""
    """The content that it began with, if it was made here."""
    seed: str = ""
    prompt_id: str = ""
    interaction_id: str = ""


@dataclass(frozen=True, slots=True)
class Generation:
    id: str
    job_id: str
    user: str
    request: Request
    state: GenerationState
    month: str
    """For budgets: `2026-11`."""
    provider_task_id: str = ""
    refused: int = 0
    """How many times it was sent and not accepted, the last time included."""
    sent: int = 0
    """How many times it may have been sent in all. It is known once the job has ended."""
    estimate: Amount = 0.0
    cost: Amount | None = None
    unit: str = ""
    error: Mapping[str, Any] | None = None
    content_ids: tuple[str, ...] = ()

    @property
    def charged(self) -> float:
        """What it counts in a budget: what it cost, or may cost until that is known. An order that ended
        before it was sent, or that was refused, costs nothing.
        """
        if self.cost is not None:
            return self.cost
        may_be_sent = self.state is GenerationState.INTENT
        may_be_charged = bool(self.provider_task_id) or self.sent > self.refused
        return self.estimate if may_be_sent or may_be_charged else 0.0

    @property
    def indexed(self) -> Fields:
        return {
            "job": self.job_id,
            "interaction": _indexed(self.request.interaction_id),
            "provider": _indexed(self.request.provider),
            "month": self.month,
            "state": str(self.state),
            "task": _indexed(self.provider_task_id),
        }

    @property
    def body(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def read(body: Mapping[str, Any]) -> Generation | None:
        try:
            return _GENERATIONS.validate_python(body)
        except ValidationError:
            return None


@dataclass(frozen=True, slots=True)
class Content:
    """One image or video. `file` and `thumbnail` are artifacts of the job."""

    id: str
    generation_id: str
    job_id: str
    user: str
    index: int
    request: Request
    provider_task_id: str
    file: str
    media_type: str
    extension: str
    size: int
    sha256: str
    width: int = 0
    height: int = 0
    thumbnail: str = ""
    provider_url: str = ""
    """Where the provider had it, which may have expired."""
    cost: Amount | None = None
    """Its share of what the generation cost."""
    unit: str = ""

    @property
    def indexed(self) -> Fields:
        return {
            "job": self.job_id,
            "generation": self.generation_id,
            "interaction": _indexed(self.request.interaction_id),
            "provider": _indexed(self.request.provider),
            "action": _indexed(self.request.action),
            "parent": _indexed(self.request.parent),
            "user": _indexed(self.user),
        }

    @property
    def body(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def read(body: Mapping[str, Any]) -> Content | None:
        try:
            return _CONTENTS.validate_python(body)
        except ValidationError:
            return None


def generation_id(job_id: str) -> str:
    return f"gm_{job_id}"


def content_id(job_id: str, index: int) -> str:
    return f"gc_{job_id}_{index}"


def is_content(source: str) -> bool:
    return source.startswith("gc_")


def media_url(room: str, content: Content) -> str:
    return f"/workflow/{room}/media/{content.id}.{content.extension}"


def month_of(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m")


def _indexed(text: str) -> str:
    """A text as an index can have it."""
    return "".join(each for each in text if each.isprintable())[:_MAX_FIELD]


_GENERATIONS = TypeAdapter(Generation)
_CONTENTS = TypeAdapter(Content)
