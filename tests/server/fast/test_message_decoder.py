"""msgspec decodes a message exactly as the Pydantic models do, or leaves it to them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from workroom.errors import InvalidRequest, WorkroomError
from workroom.server.fast.message_decoder import FastMessageDecoder, decode_submit
from workroom.server.http.bodies.submit import SubmitBody
from workroom.server.http.views.problem import render_problem
from workroom.server.sockets.message_decoder import MessageDecoder
from workroom.services.jobs.submit_requests import SubmitRequest

pytestmark = pytest.mark.either_mode

FENCE = {"job_id": "j1", "attempt": 1, "token": "secret"}
START = {**FENCE, "nonce": "12345678"}
FINISH = {**FENCE, "status": "completed", "result": {"n": 1}, "error": None, "run_ms": 1.5}
SUBMIT = {
    "room": "lab",
    "category": "analysis",
    "name": "Echo",
    "data": {"n": 1},
    "priority": None,
    "key": "k",
}
UNUSUAL: list[Any] = [None, True, 0, -1, 1, 2**53, 1.5, 1e13, "", "1", "text", "x" * 200, "x" * 300, [], {}]


def variants(usual: dict[str, Any]) -> list[Any]:
    """The usual message, and it with each field unusual, missing, or one too many."""
    changed = [{**usual, field: value} for field in usual for value in UNUSUAL]
    missing = [{name: usual[name] for name in usual if name != field} for field in usual]
    return [usual, *changed, *missing, {**usual, "extra": 1}, None, [], "text"]


def outcome(decode: Any, body: Any) -> Any:
    try:
        return decode(body)
    except ValidationError as error:
        return [(each["loc"], each["type"]) for each in error.errors()]
    except Exception as error:
        return repr(error)


def readable(decoded: list[Any]) -> list[Any]:
    return [render_problem(each) if isinstance(each, WorkroomError) else each for each in decoded]


ECHO = ("lab", "analysis", "Echo")


def decode_submit_with_pydantic(body: Any) -> SubmitRequest:
    read = SubmitBody.model_validate(body)
    return SubmitRequest(*ECHO, read.data, read.priority, "key")


PUBLISHED, FAST = MessageDecoder(256), FastMessageDecoder(256)


@pytest.mark.parametrize("item", variants(START), ids=str)
def test_a_start_is_decoded_as_by_pydantic(item: Any) -> None:
    for body in ([item], [START, item]):
        assert readable(FAST.starts(body)) == readable(PUBLISHED.starts(body))


@pytest.mark.parametrize(
    "item",
    [*variants(FINISH), *({**FINISH, "status": each} for each in ("failed", "finished", "running"))],
    ids=str,
)
def test_a_finish_is_decoded_as_by_pydantic(item: Any) -> None:
    for body in ([item], [FINISH, item]):
        assert readable(FAST.finishes(body)) == readable(PUBLISHED.finishes(body))


@pytest.mark.parametrize("body", variants(SUBMIT), ids=str)
def test_a_submit_is_decoded_as_by_pydantic(body: Any) -> None:
    assert outcome(FAST.submit, body) == outcome(PUBLISHED.submit, body)


@pytest.mark.parametrize(
    "body", [*variants({"data": {"n": 1}}), *variants({"data": {}, "priority": 5})], ids=str
)
def test_the_body_of_a_submit_request_is_decoded_as_by_pydantic(body: Any) -> None:
    assert outcome(lambda body: decode_submit(body, ECHO, "key"), body) == outcome(
        decode_submit_with_pydantic, body
    )


@pytest.mark.parametrize("attempt", ["1", True, 1.0, None])
@pytest.mark.parametrize("decoder", [PUBLISHED, FAST], ids=["published", "fast"])
def test_an_attempt_is_an_integer_and_nothing_else(decoder: MessageDecoder, attempt: Any) -> None:
    (found,) = decoder.starts([{**START, "attempt": attempt}])

    assert isinstance(found, InvalidRequest)


LISTS = [
    FAST.starts,
    FAST.finishes,
    FAST.logs,
    lambda body: FAST.progress(body, "2026-01-20T12:00:00.000Z"),
]


@pytest.mark.parametrize("decode", LISTS)
@pytest.mark.parametrize("body", [None, {}, "text", 5, [{}] * 257], ids=lambda body: str(body)[:10])
def test_a_body_that_is_not_a_list_or_too_long_is_refused_as_a_whole(decode: Any, body: Any) -> None:
    with pytest.raises(InvalidRequest):
        decode(body)
    assert len(decode([{}] * 256)) == 256
