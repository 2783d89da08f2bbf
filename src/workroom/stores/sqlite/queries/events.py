"""Transitions and chat."""

from __future__ import annotations

import sqlite3

from workroom.domain.job import Transition
from workroom.domain.queries import (
    FindChat,
    FindLogPosition,
    JobEvents,
    LogPosition,
    NewChat,
    Page,
    RoomEvents,
)
from workroom.domain.room import ChatMessage
from workroom.stores.sqlite.directory import require_room
from workroom.stores.sqlite.queries import rows
from workroom.stores.sqlite.statements import SQL

_LATEST = 2**63 - 1


def find_log_position(connection: sqlite3.Connection, query: FindLogPosition) -> LogPosition:
    return LogPosition(*connection.execute(SQL["find_log_position"]).fetchone())


def job_events(connection: sqlite3.Connection, query: JobEvents) -> list[Transition]:
    values = (query.job_id, query.after, query.limit)
    return [rows.transition(row) for row in connection.execute(SQL["events_of_job"], values)]


def room_events(connection: sqlite3.Connection, query: RoomEvents) -> list[Transition]:
    values = (query.room, query.after, query.limit)
    return [rows.transition(row) for row in connection.execute(SQL["events_of_room"], values)]


def find_chat(connection: sqlite3.Connection, query: FindChat) -> Page[ChatMessage]:
    before = _LATEST if query.before is None else query.before
    found = connection.execute(SQL["find_chat"], (query.room, before, query.limit + 1)).fetchall()
    page = [ChatMessage(*row) for row in found[: query.limit]]
    return Page(page, page[-1].sequence if len(found) > query.limit else None)


def new_chat(connection: sqlite3.Connection, query: NewChat) -> list[ChatMessage]:
    found = connection.execute(SQL["new_chat"], (query.room, query.after, query.limit))
    return [ChatMessage(*row) for row in found]


def post_chat(
    connection: sqlite3.Connection, at_us: int, room: str, user: str, text: str, by_job: str | None
) -> ChatMessage:
    require_room(connection, room)
    values = (room, user, text, None, None, at_us, by_job)
    sequence = connection.execute(SQL["insert_chat"], values).fetchone()[0]
    return ChatMessage(sequence, room, user, text, None, at_us, by_job)
