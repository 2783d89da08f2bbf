"""The record that an attempt changed a room or holds a lock there."""

from __future__ import annotations

import sqlite3

from workroom.domain.job import Fence
from workroom.domain.queries import FindJobEdits
from workroom.domain.room_data.versions import JobEdits
from workroom.stores.sqlite.statements import SQL


def note(connection: sqlite3.Connection, room: str, fence: Fence, *, versions: int = 0) -> None:
    """Open the record, or count new versions that are undone if the attempt does not complete."""
    connection.execute(SQL["note_job_edits"], (room, fence.job_id, fence.attempt, versions))


def find_job_edits(connection: sqlite3.Connection, query: FindJobEdits) -> list[JobEdits]:
    return [JobEdits(*row) for row in connection.execute(SQL["over_job_edits"], (query.limit,))]
