"""The log of what happened, and what was said about it."""

from __future__ import annotations

from workroom.domain.chat import ChatMessage
from workroom.domain.job import Transition
from workroom.domain.logs import LogLine
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
from workroom.stores.redis import entries, keys
from workroom.stores.redis.asking import Asker
from workroom.stores.redis.entries import Entry
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.packing import to_text
from workroom.stores.redis.records import find_record
from workroom.stores.redis.wire import Command


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
    return [entries.transition(entry) for told in found for entry in entries.listed(told)]


async def job_events(asker: Asker, query: JobEvents) -> list[Transition]:
    history = await job_history(asker, JobHistory(query.job_id))
    return [step for step in history if step.sequence > query.after][: query.limit]


async def room_events(asker: Asker, query: RoomEvents) -> list[Transition]:
    found = await _after(asker, scheduling("log", query.room), query.after, query.limit)
    return [entries.transition(entry) for entry in found]


async def find_chat(asker: Asker, query: FindChat) -> Page[ChatMessage]:
    before = "+" if query.before is None else f"({query.before}-0"
    found = await asker.one(
        "XREVRANGE", scheduling("chat", query.room), before, "-", "COUNT", query.limit + 1
    )
    messages = [entries.message(query.room, entry) for entry in entries.listed(found)]
    page = messages[: query.limit]
    return Page(page, page[-1].sequence if len(messages) > query.limit else None)


async def new_chat(asker: Asker, query: NewChat) -> list[ChatMessage]:
    found = await _after(asker, scheduling("chat", query.room), query.after, query.limit)
    return [entries.message(query.room, entry) for entry in found]


async def job_logs(asker: Asker, query: JobLogs) -> list[LogLine]:
    job = await find_record(asker, query.job_id)
    if job is None:
        return []
    log = keys.lines(job.room, query.job_id)
    return [entries.line(entry) for entry in await _after(asker, log, query.after, query.limit)]


async def _after(asker: Asker, key: str, after: int, limit: int) -> list[Entry]:
    return entries.listed(await asker.one("XRANGE", key, f"({after}-0", "+", "COUNT", limit))
