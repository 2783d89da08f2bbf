"""Decodes the three most frequent messages with msgspec.

msgspec only recognises the usual form of a message. Any other form, valid or not, is left to the Pydantic
models: they alone decide what is valid and explain what is not.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, ValidationError, convert

from workroom.domain.job import Fence, JobState
from workroom.domain.steps import Report, Start
from workroom.server.http.bodies.fields import MAX_INT, MAX_KEY, MAX_MS, MAX_NAME
from workroom.server.http.bodies.submit import SubmitBody
from workroom.server.sockets.message_decoder import Finish, MessageDecoder
from workroom.services.jobs.submit_requests import SubmitRequest
from workroom.services.json_codec import encoded

_Name = Annotated[str, Meta(max_length=MAX_NAME)]


class _Start(Struct, forbid_unknown_fields=True):
    job_id: _Name
    attempt: Annotated[int, Meta(ge=1, le=MAX_INT)]
    token: _Name
    nonce: Annotated[str, Meta(min_length=8, max_length=64)]


class _Completed(Struct, forbid_unknown_fields=True):
    job_id: _Name
    attempt: Annotated[int, Meta(ge=1, le=MAX_INT)]
    token: _Name
    status: Literal["completed"]
    result: Any
    error: None
    run_ms: Annotated[float, Meta(ge=0, le=MAX_MS)]


class _SubmitBody(Struct, forbid_unknown_fields=True):
    data: dict[str, Any]
    priority: None = None


class _Submit(Struct, forbid_unknown_fields=True):
    room: _Name
    category: _Name
    name: _Name
    data: dict[str, Any]
    priority: None
    key: Annotated[str, Meta(min_length=1, max_length=MAX_KEY)]


class FastMessageDecoder(MessageDecoder):
    def submit(self, body: Any) -> SubmitRequest:
        try:
            found = convert(body, _Submit)
        except ValidationError:
            return super().submit(body)
        return SubmitRequest(found.room, found.category, found.name, found.data, None, found.key)

    def _start(self, item: Any) -> Start:
        try:
            found = convert(item, _Start)
        except ValidationError:
            return super()._start(item)
        return Start(Fence(found.job_id, found.attempt, found.token), found.nonce)

    def _finish(self, item: Any) -> Finish:
        try:
            found = convert(item, _Completed)
        except ValidationError:
            return super()._finish(item)
        fence = Fence(found.job_id, found.attempt, found.token)
        result = None if found.result is None else encoded(found.result, "the result")
        return Finish(Report(fence, JobState.COMPLETED, result), found.run_ms)


def decode_submit(body: Any, extension: tuple[str, str, str], key: str | None) -> SubmitRequest:
    """The request of a REST body to the extension. Raises `pydantic.ValidationError`."""
    try:
        return SubmitRequest(*extension, convert(body, _SubmitBody).data, None, key)
    except ValidationError:
        read = SubmitBody.model_validate(body)
        return SubmitRequest(*extension, read.data, read.priority, key, conditions=read.conditions())
