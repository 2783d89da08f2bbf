"""The base of every body, and field types that several of them share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)

from workroom import tracing
from workroom.errors import InvalidRequest

MAX_INT = 2**53 - 1  # the largest integer that every JSON parser keeps exact
MAX_NAME = 200  # characters of an id, a token or a name; the domain checks which characters a name may have
MAX_MS = 1e12  # thirty years
MAX_TOKEN = 4096
MAX_KEY = 200
MAX_FAULTS = 500  # listing half a million of them would stop the server for a second
WEEK = 7 * 86_400


class Body(BaseModel):
    """Strict: `"1"` and `true` are not integers. Only enum members are parsed from strings."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    @model_validator(mode="wrap")
    @classmethod
    def _count_faults(cls, value: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return validate(value)
        except ValidationError as error:
            count = error.error_count()
            if count <= MAX_FAULTS:
                raise
            raise InvalidRequest(
                f"the request has {count:,} faults, too many to list: send a part of it to see them"
            ) from None


Name = Annotated[str, Field(max_length=MAX_NAME)]
Token = Annotated[str, Field(max_length=MAX_TOKEN)]
Milliseconds = Annotated[float, Field(ge=0, le=MAX_MS)]
Attempt = Annotated[int, Field(ge=1, le=MAX_INT)]
JobCount = Annotated[int, Field(ge=1, le=MAX_INT)]
UserName = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[\w.@-]+$")]
UserId = Annotated[str, Field(min_length=1, max_length=64)]
TypedName = Annotated[str, Field(min_length=1, max_length=200, description="any name, or an id")]
Password = Annotated[str, Field(max_length=1000)]
GuestSecret = Annotated[str, Field(min_length=16, max_length=200)]
ViewTicket = Annotated[str, Field(min_length=1, max_length=2000)]
SecretCode = Annotated[str, Field(min_length=1, max_length=200)]
Title = Annotated[str, Field(max_length=200)]
Reason = Annotated[str, Field(min_length=1, max_length=200)]


def truncate(length: int) -> BeforeValidator:
    """A text that is too long is shortened, so that a report is never lost because of it."""
    return BeforeValidator(lambda text: text[:length] if isinstance(text, str) else text)


def _ignore_malformed(traceparent: object) -> object:
    return tracing.valid(traceparent) if isinstance(traceparent, str) else traceparent


Traceparent = Annotated[str | None, BeforeValidator(_ignore_malformed)]
"""None if it is malformed, as W3C asks: a caller's tracing never makes a request fail."""


def _check_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a time is a string like 2026-01-20T12:00:00.000Z")
    return value


def _to_utc(at: datetime) -> datetime:
    try:
        return at.astimezone(UTC)
    except OverflowError:
        raise ValueError("this time is before the year 1 or after the year 9999 in UTC") from None


Time = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_check_text), AfterValidator(_to_utc)]
