"""Where things are kept. What decides who runs next shares one slot; what is large is kept by its room."""

from __future__ import annotations

SEPARATOR = "\x1f"


def scheduling(*parts: str) -> str:
    return "{workroom}:" + ":".join(parts)


def folder(room: str, job_id: str) -> str:
    """The values and results of a job, and how far its log has come."""
    return f"{{room:{room}}}:job:{job_id}"


def lines(room: str, job_id: str) -> str:
    """What a job has printed."""
    return f"{{room:{room}}}:log:{job_id}"


def forms(room: str) -> str:
    """What each user last typed into each form, where no job has it."""
    return f"{{room:{room}}}:forms"


def form(*parts: str) -> str:
    return SEPARATOR.join(parts)
