"""Lines that a job has printed or logged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NotRequired, cast

from pydantic import Field
from typing_extensions import TypedDict

from workroom.domain.jobs import logs as domain
from workroom.domain.jobs.logs import Stream
from workroom.server.http.views.values import Time
from workroom.services.jobs.log_lines import line_document


class PrintedLine(TypedDict):
    """One line that a job has printed or logged."""

    seq: Annotated[int, Field(description="counts the lines of the job, through all its attempts")]
    at: Time
    stream: Stream
    level: NotRequired[str]
    text: str


class LogLine(PrintedLine):
    """A line, and the attempt that wrote it."""

    attempt: int


class JobLogs(TypedDict):
    items: list[LogLine]
    next_after: Annotated[int | None, Field(description="`after` of the next page, if there is one")]


def render_logs(lines: Sequence[domain.LogLine], limit: int) -> JobLogs:
    """`lines` has one line more than `limit` if there is a next page."""
    shown = lines[:limit]
    items = [cast(LogLine, {**line_document(line), "attempt": line.attempt}) for line in shown]
    return {"items": items, "next_after": shown[-1].seq if len(lines) > limit else None}
