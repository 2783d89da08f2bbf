"""The names of keys.

All keys that decide which job runs next share one hash slot; large values are kept in a slot per room.
"""

from __future__ import annotations

SEPARATOR = "\x1f"


def scheduling(*parts: str) -> str:
    return "{workroom}:" + ":".join(parts)


def job_record_key(job_id: str) -> str:
    return scheduling("job", job_id)


def folder(room: str, job_id: str) -> str:
    """The hash with the values and results of a job and the state of its log."""
    return f"{{room:{room}}}:job:{job_id}"


def lines(room: str, job_id: str) -> str:
    """The stream with the log lines of a job."""
    return f"{{room:{room}}}:log:{job_id}"


def forms(room: str) -> str:
    """The hash with the last values of each user and form, where no job has them."""
    return f"{{room:{room}}}:forms"


def form(*parts: str) -> str:
    return SEPARATOR.join(parts)


def form_secrets(*parts: str) -> str:
    """The field with the encrypted values of a form."""
    return SEPARATOR.join((*parts, "secrets"))
