"""What is said in a room."""

from __future__ import annotations

from dataclasses import dataclass

MAX_TEXT = 4000


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A line of a room's chat. One that names a job was written when that job failed."""

    sequence: int
    room: str
    user: str
    text: str
    job_id: str | None
    at_us: int


def failure_line(job_id: str, type_: str, message: str) -> str:
    """What the room is told about a job that failed: one line, whatever the error says."""
    said = " ".join(f"{type_}: {message}".split())
    return f"job {job_id} failed: {said}"[:500]
