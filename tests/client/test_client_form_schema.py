"""The schema of an extension has what a form needs."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import IntEnum
from uuid import UUID, uuid4

import pytest
from pydantic import BaseModel, Field, SecretStr

from workroom import Extension


class Level(IntEnum):
    low = 1
    high = 2


class Point(BaseModel):
    x: float = 0.0


def _broken() -> int:
    raise RuntimeError("not now")


class Form(Extension):
    points: list[Point] = Field(default_factory=lambda: [Point(x=2)])
    level: Level = Level.low
    price: Decimal | None = None
    key: SecretStr = Field(default_factory=lambda: SecretStr("hunter2"))
    now: datetime = Field(default_factory=lambda: datetime.now(UTC))
    today: date = Field(default_factory=date.today)
    ident: UUID = Field(default_factory=uuid4)
    broken: int = Field(default_factory=_broken)

    def run(self) -> None:
        """Only its schema matters."""


SCHEMA = Form.model_json_schema()


def test_the_value_of_a_default_factory_is_shown() -> None:
    assert SCHEMA["properties"]["points"]["default"] == [{"x": 2.0}]


@pytest.mark.parametrize("name", ["now", "today", "ident", "broken"])
def test_a_default_that_changes_or_fails_is_left_to_the_job(name: str) -> None:
    assert "default" not in SCHEMA["properties"][name]
    assert name not in SCHEMA.get("required", [])


def test_a_secret_default_is_masked() -> None:
    assert SCHEMA["properties"]["key"]["default"] == "**********"


def test_the_members_of_an_enum_have_names() -> None:
    assert SCHEMA["$defs"]["Level"]["enumNames"] == ["low", "high"]


def test_a_decimal_is_told_apart_from_a_number_or_text() -> None:
    assert SCHEMA["properties"]["price"]["anyOf"][0]["format"] == "decimal"
