"""Transitions, chat and log lines."""

from __future__ import annotations

from workroom.domain.job import Transition
from workroom.domain.jobs.logs import LogLine
from workroom.domain.queries import (
    FindChat,
    FindLogPosition,
    JobEvents,
    JobHistory,
    JobLogs,
    LogPosition,
    NewChat,
    Page,
    RoomEvents,
)
from workroom.domain.room import ChatMessage
from workroom.stores.redis import keys
from workroom.stores.redis.connection import Command
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.messages.codec import to_text
from workroom.stores.redis.queries import entries
from workroom.stores.redis.queries.entries import Entry
from workroom.stores.redis.reader import Reader


async def find_log_position(reader: Reader, query: FindLogPosition) -> LogPosition:
    epoch, event, chat = await reader.execute("HMGET", scheduling("meta"), "epoch", "event", "chat")
    return LogPosition(to_text(epoch), int(event or 0), int(chat or 0))


async def job_history(reader: Reader, query: JobHistory) -> list[Transition]:
    """Read the transitions of a job from its room's stream: the record has their numbers."""
    job = await reader.find_record(query.job_id)
    if job is None:
        return []
    log = scheduling("log", job.room)
    commands: list[Command] = [("XRANGE", log, f"{number}-0", f"{number}-0") for number in job.events]
    found = await reader.send(commands)
    return [entries.transition(entry) for reply in found for entry in entries.listed(reply)]


async def job_events(reader: Reader, query: JobEvents) -> list[Transition]:
    history = await job_history(reader, JobHistory(query.job_id))
    return [step for step in history if step.sequence > query.after][: query.limit]


async def room_events(reader: Reader, query: RoomEvents) -> list[Transition]:
    found = await _after(reader, scheduling("log", query.room), query.after, query.limit)
    return [entries.transition(entry) for entry in found]


async def find_chat(reader: Reader, query: FindChat) -> Page[ChatMessage]:
    before = "+" if query.before is None else f"({query.before}-0"
    found = await reader.execute(
        "XREVRANGE", scheduling("chat", query.room), before, "-", "COUNT", query.limit + 1
    )
    messages = [entries.message(query.room, entry) for entry in entries.listed(found)]
    page = messages[: query.limit]
    return Page(page, page[-1].sequence if len(messages) > query.limit else None)


async def new_chat(reader: Reader, query: NewChat) -> list[ChatMessage]:
    found = await _after(reader, scheduling("chat", query.room), query.after, query.limit)
    return [entries.message(query.room, entry) for entry in found]


async def job_logs(reader: Reader, query: JobLogs) -> list[LogLine]:
    job = await reader.find_record(query.job_id)
    if job is None:
        return []
    log = keys.lines(job.room, query.job_id)
    return [entries.line(entry) for entry in await _after(reader, log, query.after, query.limit)]


async def _after(reader: Reader, key: str, after: int, limit: int) -> list[Entry]:
    return entries.listed(await reader.execute("XRANGE", key, f"({after}-0", "+", "COUNT", limit))
