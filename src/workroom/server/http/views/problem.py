"""An error as an RFC 9457 problem document."""

from __future__ import annotations

from typing import NotRequired, cast

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from workroom.errors import WorkroomError


class Fault(TypedDict):
    """One invalid value in the request, and where it is."""

    path: str
    message: str


@with_config(ConfigDict(extra="allow"))
class Problem(TypedDict):
    """RFC 9457. Programs match on `code`; some problems carry more fields.

    `retryable` is true if the same request may succeed later: after a pause, or for a worker after its next
    hello.
    """

    type: str
    title: str
    status: int
    code: str
    detail: str
    retryable: bool
    errors: NotRequired[list[Fault]]


def render_problem(error: WorkroomError) -> Problem:
    document = {
        **error.fields,
        "type": f"urn:workroom:{error.code}",
        "title": error.title(),
        "status": error.status,
        "code": error.code,
        "detail": error.detail,
        "retryable": error.retryable,
    }
    return cast(Problem, document)
