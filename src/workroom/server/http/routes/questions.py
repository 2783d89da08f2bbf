"""Questions of jobs to the people in their room, and answers."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Response

from workroom.errors import (
    Forbidden,
    InvalidData,
    JobNotFound,
    QuestionClosed,
    QuestionNotFound,
    RoomNotFound,
    TooManyRequests,
)
from workroom.server.http.bodies.exchange import AnswerBody
from workroom.server.http.bodies.fields import MAX_INT
from workroom.server.http.dependencies import Caller, Cursor, Limit, RoomName, ServicesDep, json_response
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.views.question import (
    Question,
    QuestionList,
    QuestionPage,
    render_question,
    render_question_page,
)

router = Router(prefix="/api", tags=["jobs"])
QuestionId = Annotated[int, Path(ge=1, le=MAX_INT)]


@router.get("/rooms/{room}/questions", response_model=QuestionPage, responses=refused(RoomNotFound))
async def list_room_questions(
    room: RoomName, caller: Caller, services: ServicesDep, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """The open questions of a room's jobs, those of the newest job first. `limit` counts jobs."""
    page = await services.exchanges.open_in_room(caller, room, cursor, limit)
    return json_response(render_question_page(page))


@router.get("/jobs/{job_id}/questions", response_model=QuestionList, responses=refused(JobNotFound))
async def list_job_questions(job_id: str, caller: Caller, services: ServicesDep) -> Response:
    """All questions of a job, in the order in which it asked them."""
    found = await services.exchanges.of_job(caller, job_id)
    return json_response({"items": [render_question(each) for each in found]})


@router.post(
    "/jobs/{job_id}/questions/{question_id}/answer",
    response_model=Question,
    responses=refused(
        Forbidden, *STORING, JobNotFound, QuestionNotFound, QuestionClosed, InvalidData, TooManyRequests
    ),
)
async def answer_question(
    job_id: str, question_id: QuestionId, body: AnswerBody, caller: Caller, services: ServicesDep
) -> Response:
    """Answer a question. The first answer counts; the same answer again changes nothing."""
    services.throttles.room_data.take(caller.user)
    found = await services.exchanges.answer(caller, job_id, question_id, body.answer)
    return json_response(render_question(found))
