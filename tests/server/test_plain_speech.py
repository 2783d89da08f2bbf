"""What is read by hand is read as the models of the wire would read it; the rest is left to them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from workroom.server import plain_speech
from workroom.server.ordering import Wish
from workroom.server.wire import FinishBody, StartBody, SubmitBody, SubmitEvent

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
ODD: list[Any] = [None, True, 0, -1, 1, 2**53, 1.5, "", "text", "x" * 300, [], {}]


def varied(plain: dict[str, Any]) -> list[Any]:
    """The plain one, and it with each field odd, missing, or one too many."""
    changed = [{**plain, field: value} for field in plain for value in ODD]
    missing = [{name: plain[name] for name in plain if name != field} for field in plain]
    return [plain, *changed, *missing, {**plain, "more": 1}, None, [], "text"]


def outcome(read: Any, body: Any) -> Any:
    try:
        return read(body)
    except ValidationError as error:
        return [(each["loc"], each["type"]) for each in error.errors()]
    except Exception as error:
        return repr(error)


def starts_by_models(body: Any) -> Any:
    return [each.start() for each in TypeAdapter(list[StartBody]).validate_python(body)]


def finishes_by_models(body: Any) -> Any:
    return [(each.report(), each.run_ms) for each in TypeAdapter(list[FinishBody]).validate_python(body)]


def submit_by_models(body: Any) -> Any:
    read = SubmitEvent.model_validate(body)
    return (read.room, read.category, read.name, Wish(read.data, read.priority), read.key)


def wish_by_models(body: Any) -> Any:
    read = SubmitBody.model_validate(body)
    return Wish(read.data, read.priority)


@pytest.mark.parametrize("item", varied(START), ids=str)
def test_a_start_is_read_as_the_models_read_it(item: Any) -> None:
    for body in ([item], [START, item], item):
        assert outcome(plain_speech.starts, body) == outcome(starts_by_models, body)


@pytest.mark.parametrize(
    "item",
    [*varied(FINISH), *({**FINISH, "status": each} for each in ("failed", "finished", "running"))],
    ids=str,
)
def test_an_end_is_read_as_the_models_read_it(item: Any) -> None:
    for body in ([item], [FINISH, item], item):
        assert outcome(plain_speech.finishes, body) == outcome(finishes_by_models, body)


@pytest.mark.parametrize("body", varied(SUBMIT), ids=str)
def test_a_submit_is_read_as_the_models_read_it(body: Any) -> None:
    assert outcome(plain_speech.submit, body) == outcome(submit_by_models, body)


@pytest.mark.parametrize("body", [*varied({"data": {"n": 1}}), *varied({"data": {}, "priority": 5})], ids=str)
def test_a_wish_is_read_as_the_models_read_it(body: Any) -> None:
    assert outcome(plain_speech.wish, body) == outcome(wish_by_models, body)
