"""Converts stream entries to domain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workroom.domain.job import Transition
from workroom.domain.jobs.logs import LogLine, Stream
from workroom.domain.room import ChatMessage
from workroom.stores.redis.messages import replies
from workroom.stores.redis.messages.codec import maybe_text, to_text, unpack

Entry = tuple[bytes, dict[bytes, bytes]]


def listed(reply: Sequence[Any]) -> list[Entry]:
    return [(number, dict(fields)) for number, fields in reply]


def _number(entry: Entry) -> int:
    return int(entry[0].partition(b"-")[0])


def transition(entry: Entry) -> Transition:
    return replies.transition(unpack(entry[1][b""]))


def message(room: str, entry: Entry) -> ChatMessage:
    fields = {name: to_text(value) for name, value in entry[1].items()}
    job_id, by_job = maybe_text(fields[b"j"]), maybe_text(fields[b"b"])
    return ChatMessage(_number(entry), room, fields[b"u"], fields[b"t"], job_id, int(fields[b"a"]), by_job)


def line(entry: Entry) -> LogLine:
    fields = {name: to_text(value) for name, value in entry[1].items()}
    return LogLine(
        _number(entry),
        fields[b"a"],
        Stream(fields[b"s"]),
        fields[b"t"],
        maybe_text(fields[b"l"]),
        int(fields[b"p"]),
    )
