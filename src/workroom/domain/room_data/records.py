"""Records: small JSON objects of a room, by kind and id, found by the fields under which they are indexed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from workroom.domain.room_data.locks import Writer
from workroom.errors import InvalidName, InvalidRequest

MAX_FIELDS = 8
MAX_FIELD_TEXT = 200
MAX_FIELD_NUMBER = 2**53
_KIND = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")

FieldValue = str | int | float


@dataclass(frozen=True, slots=True)
class RecordLimits:
    """How many records a room has, and how many bytes in them."""

    records: int = 100_000
    bytes: int = 100_000_000


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record to be stored. `fields` are canonical: names in order, values as `field_key` encodes them."""

    room: str
    kind: str
    id: str
    body: bytes
    fields: tuple[tuple[str, str], ...]
    writer: Writer
    limits: RecordLimits = RecordLimits()

    @property
    def size(self) -> int:
        return len(self.body)


@dataclass(frozen=True, slots=True)
class Record:
    """A stored record. `sequence` orders the records of a room by the time at which they were created."""

    room: str
    kind: str
    id: str
    sequence: int
    body: bytes
    fields: tuple[tuple[str, str], ...]
    user: str
    job_id: str | None
    created_us: int
    updated_us: int


@dataclass(frozen=True, slots=True)
class Put:
    """A record as it is now; `is_new` is false if it was the same before."""

    record: Record
    is_new: bool


def record_kind(text: str) -> str:
    if not _KIND.fullmatch(text):
        raise InvalidName(
            "the kind of a record is 1 to 64 of a-z, 0-9, - and _, and starts with a letter", name=text[:100]
        )
    return text


def record_id(text: str) -> str:
    if not _ID.fullmatch(text):
        raise InvalidName(
            "the id of a record is 1 to 128 of letters, digits, ., _, : and -: "
            "the first is a letter or digit",
            name=text[:100],
        )
    return text


def indexed_fields(fields: Mapping[str, FieldValue]) -> tuple[tuple[str, str], ...]:
    """The canonical form of fields. Raises InvalidRequest."""
    if len(fields) > MAX_FIELDS:
        raise InvalidRequest(f"a record has at most {MAX_FIELDS} indexed fields", limit=MAX_FIELDS)
    return tuple((_field_name(name), field_key(value)) for name, value in sorted(fields.items()))


def field_key(value: FieldValue) -> str:
    """Equal for values that are equal: `1` and `1.0`, but not `1` and `"1"`."""
    if isinstance(value, str):
        if len(value) > MAX_FIELD_TEXT or not value.isprintable():
            raise InvalidRequest(
                f"the text of an indexed field has at most {MAX_FIELD_TEXT} printable characters"
            )
        return f"s{value}"
    if isinstance(value, bool) or not math.isfinite(value) or abs(value) > MAX_FIELD_NUMBER:
        raise InvalidRequest("an indexed field is a text, or a number up to 2^53")
    return f"n{float(value)!r}" if value else "n0.0"


def field_value(key: str) -> FieldValue:
    if key.startswith("s"):
        return key[1:]
    number = float(key[1:])
    return int(number) if number.is_integer() else number


def _field_name(name: str) -> str:
    if not _FIELD.fullmatch(name):
        raise InvalidName(
            "the name of an indexed field is 1 to 64 of letters, digits and _, and starts with a letter",
            name=name[:100],
        )
    return name
