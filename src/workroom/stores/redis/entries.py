"""Entries of streams become values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workroom.domain.chat import ChatMessage
from workroom.domain.job import Transition
from workroom.domain.logs import LogLine, Stream
from workroom.stores.redis import replies
from workroom.stores.redis.packing import maybe_text, to_text, unpack

Entry = tuple[bytes, dict[bytes, bytes]]


def listed(told: Sequence[Any]) -> list[Entry]:
    return [(number, dict(fields)) for number, fields in told]


def _number(entry: Entry) -> int:
    return int(entry[0].partition(b"-")[0])


def transition(entry: Entry) -> Transition:
    return replies.transition(unpack(entry[1][b""]))


def message(room: str, entry: Entry) -> ChatMessage:
    told = {name: to_text(value) for name, value in entry[1].items()}
    return ChatMessage(_number(entry), room, told[b"u"], told[b"t"], maybe_text(told[b"j"]), int(told[b"a"]))


def line(entry: Entry) -> LogLine:
    told = {name: to_text(value) for name, value in entry[1].items()}
    return LogLine(
        _number(entry), told[b"a"], Stream(told[b"s"]), told[b"t"], maybe_text(told[b"l"]), int(told[b"p"])
    )
