"""The questions of jobs."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from pydantic import Field
from typing_extensions import TypedDict

from workroom.domain.jobs.exchanges import QuestionState
from workroom.domain.queries import Page
from workroom.server.http.views.values import Object, Time, format_optional_time, format_time
from workroom.services.jobs.exchanges import JobQuestion


class Question(TypedDict):
    """A question of a job to the people in its room."""

    id: Annotated[int, Field(description="counts the questions of the job from 1")]
    job_id: str
    room: str
    user: Annotated[str, Field(description="who submitted the job")]
    text: str
    schema: Annotated[Object, Field(description="JSON Schema of the answer, an object")]
    state: QuestionState
    attempt: int
    asked_at: Time
    expires_at: Time | None
    answer: Any
    answered_by: str | None
    answered_at: Time | None


class QuestionList(TypedDict):
    items: list[Question]


class QuestionPage(TypedDict):
    """Jobs are paged: a page has the open questions of so many jobs."""

    items: list[Question]
    next_cursor: Annotated[int | None, Field(description="`cursor` of the next page, if there is one")]


def render_question(found: JobQuestion) -> Question:
    question = found.question
    answer = None if question.answer is None else orjson.Fragment(question.answer)
    return {
        "id": question.id,
        "job_id": found.job_id,
        "room": found.room,
        "user": found.user,
        "text": question.text,
        "schema": orjson.Fragment(question.schema),
        "state": found.state,
        "attempt": question.attempt,
        "asked_at": format_time(question.asked_us),
        "expires_at": format_optional_time(question.expires_us),
        "answer": answer,
        "answered_by": question.answered_by,
        "answered_at": format_optional_time(question.answered_us),
    }


def render_question_page(page: Page[JobQuestion]) -> QuestionPage:
    return {"items": [render_question(each) for each in page.items], "next_cursor": page.next_cursor}
