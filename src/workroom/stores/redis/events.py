"""The log of what happened, and what was said about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workroom.domain.chat import ChatMessage
from workroom.domain.job import Transition
from workroom.domain.logs import LogLine, Stream
from workroom.domain.queries import (
    FindChat,
    FindMark,
    JobEvents,
    JobHistory,
    JobLogs,
    Mark,
    NewChat,
    Page,
    RoomEvents,
)
from workroom.stores.redis import keys, replies
from workroom.stores.redis.asking import Asker
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.line import Command
from workroom.stores.redis.packing import maybe_text, to_text, unpack
from workroom.stores.redis.records import find_record

_Entry = tuple[bytes, dict[bytes, bytes]]


async def find_mark(asker: Asker, query: FindMark) -> Mark:
    epoch, event, chat = await asker.one("HMGET", scheduling("meta"), "epoch", "event", "chat")
    return Mark(to_text(epoch), int(event or 0), int(chat or 0))


async def job_history(asker: Asker, query: JobHistory) -> list[Transition]:
    """The job knows the numbers of its transitions, its room has them in its log."""
    job = await find_record(asker, query.job_id)
    if job is None:
        return []
    log = scheduling("log", job.room)
    commands: list[Command] = [("XRANGE", log, f"{number}-0", f"{number}-0") for number in job.events]
    found = await asker.send(commands)
    return [_transition(entry) for entries in found for entry in _entries(entries)]


async def job_events(asker: Asker, query: JobEvents) -> list[Transition]:
    history = await job_history(asker, JobHistory(query.job_id))
    return [step for step in history if step.sequence > query.after][: query.limit]


async def room_events(asker: Asker, query: RoomEvents) -> list[Transition]:
    found = await _after(asker, scheduling("log", query.room), query.after, query.limit)
    return [_transition(entry) for entry in found]


async def find_chat(asker: Asker, query: FindChat) -> Page[ChatMessage]:
    before = "+" if query.before is None else f"({query.before}-0"
    found = await asker.one(
        "XREVRANGE", scheduling("chat", query.room), before, "-", "COUNT", query.limit + 1
    )
    messages = [_message(query.room, entry) for entry in _entries(found)]
    page = messages[: query.limit]
    return Page(page, page[-1].sequence if len(messages) > query.limit else None)


async def new_chat(asker: Asker, query: NewChat) -> list[ChatMessage]:
    found = await _after(asker, scheduling("chat", query.room), query.after, query.limit)
    return [_message(query.room, entry) for entry in found]


async def job_logs(asker: Asker, query: JobLogs) -> list[LogLine]:
    job = await find_record(asker, query.job_id)
    if job is None:
        return []
    log = keys.lines(job.room, query.job_id)
    return [_line(entry) for entry in await _after(asker, log, query.after, query.limit)]


async def _after(asker: Asker, key: str, after: int, limit: int) -> list[_Entry]:
    return _entries(await asker.one("XRANGE", key, f"({after}-0", "+", "COUNT", limit))


def _entries(told: Sequence[Any]) -> list[_Entry]:
    return [(number, dict(fields)) for number, fields in told]


def _number(entry: _Entry) -> int:
    return int(entry[0].partition(b"-")[0])


def _transition(entry: _Entry) -> Transition:
    return replies.transition(unpack(entry[1][b""]))


def _message(room: str, entry: _Entry) -> ChatMessage:
    told = {name: to_text(value) for name, value in entry[1].items()}
    return ChatMessage(_number(entry), room, told[b"u"], told[b"t"], maybe_text(told[b"j"]), int(told[b"a"]))


def _line(entry: _Entry) -> LogLine:
    told = {name: to_text(value) for name, value in entry[1].items()}
    return LogLine(
        _number(entry), told[b"a"], Stream(told[b"s"]), told[b"t"], maybe_text(told[b"l"]), int(told[b"p"])
    )
