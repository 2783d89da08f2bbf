"""Registration, consent, hello and heartbeats of workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from workroom.domain.extension import (
    ExtensionKey,
    OnDuplicate,
    OnLost,
    Policy,
    RetryOn,
    make_policy,
)
from workroom.domain.job import Fence
from workroom.domain.room import room_name
from workroom.domain.schema.unique_keys import MAX_WITHIN
from workroom.domain.worker import Hold, Phase
from workroom.errors import InvalidRequest
from workroom.server.http.bodies.fields import MAX_INT, Attempt, Body, JobCount, Name, Reason

_MAX_TIMEOUT = 10 * 366 * 86_400.0
_MAX_LEASE = 7 * 86_400.0
_OBJECT_SCHEMA: dict[str, Any] = {"properties": {"type": {"const": "object"}}, "required": ["type"]}

Rate = Annotated[str, Field(max_length=20)]


class ConcurrencyBody(Body):
    key: str = Field(max_length=200, description="template over the values, like {provider}")
    limits: dict[Name, JobCount] = Field(default_factory=dict, max_length=1000)
    default: JobCount = 1


class PolicyBody(Body):
    priority: int = Field(0, ge=0, le=10)
    retries: int = Field(0, ge=0, le=100)
    retry_on: RetryOn = Field(RetryOn.WORKER_LOST, strict=False)
    timeout: float | None = Field(None, gt=0, le=_MAX_TIMEOUT)
    concurrency: ConcurrencyBody | None = None
    actor: str | None = Field(None, min_length=1, max_length=64, description="its name for POST /api/task")
    on_lost: OnLost | None = Field(None, strict=False)
    lease: float | None = Field(None, gt=0, le=_MAX_LEASE)
    rate: Rate | None = Field(None, description="how many may start in a time, like 100/min")
    rate_key: str | None = Field(
        None, max_length=200, description="template over the values, like {provider}"
    )
    rates: dict[Name, Rate] = Field(
        default_factory=dict, max_length=1000, description="the rates of keys that have another one"
    )
    unique: str | None = Field(None, max_length=200, description="template over the values, like {structure}")
    unique_within: float | None = Field(None, gt=0, le=MAX_WITHIN)
    on_duplicate: OnDuplicate = Field(OnDuplicate.JOIN, strict=False)
    unique_states: list[Literal["pending", "assigned", "running", "completed"]] = Field(
        ["pending", "assigned", "running", "completed"], min_length=1, max_length=4
    )

    def policy(self) -> Policy:
        return make_policy(self.model_dump())


class ExtensionBody(Body):
    category: Name
    name: Name
    json_schema: dict[str, Any] = Field(alias="schema", json_schema_extra=_OBJECT_SCHEMA)
    room: Name | None = Field(None, description="the room that sees it")
    public: bool = Field(False, description="every room sees it; needs the role admin")
    policy: PolicyBody = Field(default_factory=PolicyBody)

    @field_validator("room")
    @classmethod
    def _normalise(cls, value: str | None) -> str | None:
        return None if value is None else room_name(value)


class RegisterBody(Body):
    worker_id: str | None = Field(None, min_length=8, max_length=64)
    name: str = Field("", max_length=100)
    slots: int = Field(1, ge=1)
    machine: dict[str, Any] = Field(default_factory=dict)
    extensions: list[ExtensionBody] = Field(min_length=1, max_length=1000)


class DecisionBody(Body):
    """Selects extensions that await consent; without any field, all that the caller may decide on."""

    room: Name | None = None
    category: Name | None = None
    name: Name | None = None

    def matches(self, key: ExtensionKey) -> bool:
        selected = (self.room and room_name(self.room), self.category, self.name)
        actual = (key.room, key.category, key.name)
        return all(want is None or want == has for want, has in zip(selected, actual, strict=True))


class RefusalBody(DecisionBody):
    reason: Reason = "it was refused"


class FenceBody(Body):
    job_id: Name
    attempt: Attempt
    token: Name

    def fence(self) -> Fence:
        return Fence(self.job_id, self.attempt, self.token)


class HoldBody(FenceBody):
    phase: Phase = Field(strict=False)
    suspended: bool = Field(False, description="it waits, and occupies no slot")

    def hold(self) -> Hold:
        return Hold(self.fence(), self.phase, self.suspended)


class HoldsBody(Body):
    holds: list[HoldBody] = Field(default_factory=list)
    seen: int = Field(0, ge=0, le=MAX_INT, description="number of the last assignment received")


def check_holds(holds: Sequence[object], max_holds: int) -> None:
    if len(holds) > max_holds:
        raise InvalidRequest(
            f"the worker holds {len(holds):,} attempts; at most {max_holds:,} are allowed",
            max_holds=max_holds,
        )


class HelloBody(HoldsBody):
    worker_id: Name | None = Field(None, description="if it was not sent when connecting")
    boot_id: str = Field(min_length=8, max_length=64)
    on_call: bool = Field(False, description="push no jobs: the worker requests them after a wake-up message")


class SessionBody(Body):
    session: int = Field(ge=0, le=MAX_INT)


class HeartbeatBody(HoldsBody):
    session: int = Field(ge=0, le=MAX_INT)
