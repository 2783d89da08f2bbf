"""Lists of jobs come in pages."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from workroom.domain.identity import Principal
from workroom.domain.queries import FindJobs
from workroom.server import documents
from workroom.server.context import Services, answer
from workroom.server.wire import MAX_INT

Cursor = Annotated[int | None, Query(ge=1, le=MAX_INT, description="`next_cursor` of the page before")]
After = Annotated[str, Query(max_length=200, description="`next_after` of the page before")]
Limit = Annotated[int, Query(ge=1, le=500)]


async def job_page(inside: Services, who: Principal, query: FindJobs) -> Response:
    page = await inside.reading.jobs(query)
    items = [documents.job(job, who) for job in page.items]
    return answer({"items": items, "next_cursor": page.next_cursor})
