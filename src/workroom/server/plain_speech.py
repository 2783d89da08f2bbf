"""What is said most often, read by hand: after a pause, a library's first word takes longer than all of this.

What is not plain, or not right, is left to the models of the wire: they understand and explain everything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from pydantic import TypeAdapter

from workroom.domain.job import Fence, JobState
from workroom.domain.steps import Report, Start
from workroom.server.ordering import Wish
from workroom.server.wire import MAX_INT, MAX_KEY, FinishBody, StartBody, SubmitBody, SubmitEvent
from workroom.services.encoding import encoded

T = TypeVar("T")

_STARTS = TypeAdapter(list[StartBody])
_FINISHES = TypeAdapter(list[FinishBody])
_START = {"job_id", "attempt", "token", "nonce"}
_FINISH = {"job_id", "attempt", "token", "status", "result", "error", "run_ms"}
_SUBMIT = {"room", "category", "name", "data", "priority", "key"}


class _NotPlain(Exception):
    """Somebody else must look at it."""


class Submit(NamedTuple):
    room: str
    category: str
    name: str
    wish: Wish
    key: str | None


class Finish(NamedTuple):
    report: Report
    run_ms: float | None


def wish(body: Any) -> Wish:
    if type(body) is dict and type(data := body.get("data")) is dict:
        is_all = len(body) == 1 or (len(body) == 2 and body.get("priority", 0) is None)
        if is_all:
            return Wish(data)
    read = SubmitBody.model_validate(body)
    return Wish(read.data, read.priority)


def submit(body: Any) -> Submit:
    if type(body) is dict and body.keys() == _SUBMIT and body["priority"] is None:
        room, category, name = body["room"], body["category"], body["name"]
        data, key = body["data"], body["key"]
        is_text = type(room) is type(category) is type(name) is type(key) is str
        if is_text and type(data) is dict and 0 < len(key) <= MAX_KEY:
            return Submit(room, category, name, Wish(data), key)
    read = SubmitEvent.model_validate(body)
    return Submit(read.room, read.category, read.name, Wish(read.data, read.priority), read.key)


def starts(body: Any) -> list[Start]:
    try:
        return _each(_start, body)
    except _NotPlain:
        return [each.start() for each in _STARTS.validate_python(body)]


def finishes(body: Any) -> list[Finish]:
    try:
        return _each(_finish, body)
    except _NotPlain:
        return [Finish(each.report(), each.run_ms) for each in _FINISHES.validate_python(body)]


def _each(read: Callable[[dict[str, Any]], T], body: Any) -> list[T]:
    if type(body) is not list:
        raise _NotPlain
    return [read(item) for item in body]


def _start(item: dict[str, Any]) -> Start:
    if type(item) is not dict or item.keys() != _START:
        raise _NotPlain
    nonce = item["nonce"]
    if type(nonce) is not str or not 8 <= len(nonce) <= 64:
        raise _NotPlain
    return Start(_fence(item), nonce)


def _finish(item: dict[str, Any]) -> Finish:
    """Only of what is well: an error has many parts."""
    if type(item) is not dict or item.keys() != _FINISH:
        raise _NotPlain
    result, run_ms = item["result"], item["run_ms"]
    if (
        item["status"] != JobState.COMPLETED
        or item["error"] is not None
        or type(run_ms) is not float
        or run_ms < 0
    ):
        raise _NotPlain
    kept = None if result is None else encoded(result, "the result")
    return Finish(Report(_fence(item), JobState.COMPLETED, kept), run_ms)


def _fence(item: dict[str, Any]) -> Fence:
    job_id, attempt, token = item["job_id"], item["attempt"], item["token"]
    is_text = type(job_id) is type(token) is str
    if not is_text or type(attempt) is not int or not 1 <= attempt <= MAX_INT:
        raise _NotPlain
    return Fence(job_id, attempt, token)
