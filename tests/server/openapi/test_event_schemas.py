"""What the server sends as an event is what the OpenAPI document promises, for every event there is."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import orjson
import pytest
from pydantic import TypeAdapter

from support.events import SAMPLES
from workroom.domain.events import (
    EVENTS,
    Event,
    PositionsShown,
    StreamKind,
    job_audience,
    room_audience,
    worker_audience,
)
from workroom.server.http.views.event import SHAPES, render_event

pytestmark = pytest.mark.either_mode

JOB, ROOM = "job-1", "lab"


def schema_of(kind: type[Event]) -> dict[str, Any]:
    """The schema of an event's payload, closed: no field besides the declared ones is allowed."""
    schema = TypeAdapter(SHAPES[kind]).json_schema(mode="serialization")
    closed = {name: _close(each) for name, each in schema.get("$defs", {}).items()}
    return {**_close(schema), "$defs": closed}


def _close(schema: dict[str, Any]) -> dict[str, Any]:
    return {"additionalProperties": False, **schema} if "properties" in schema else schema


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: event.name)
def test_an_event_is_sent_as_declared(event: Event) -> None:
    sent = orjson.loads(orjson.dumps(render_event(event)))

    jsonschema_rs.Draft202012Validator(schema_of(type(event)), validate_formats=True).validate(sent)


@pytest.mark.parametrize("kind", EVENTS.values(), ids=lambda kind: kind.name)
def test_only_workers_receive_an_event_for_workers(kind: type[Event]) -> None:
    audiences = {topic for event in SAMPLES if type(event) is kind for topic in event.audiences}

    assert kind.for_workers == (worker_audience("w1") in audiences)


def test_every_event_has_a_sample_and_a_payload() -> None:
    assert {event.name for event in SAMPLES} == set(EVENTS)
    assert {kind.name for kind in SHAPES} == set(EVENTS)


@pytest.mark.parametrize("kind", EVENTS.values(), ids=lambda kind: kind.name)
def test_an_event_is_declared_for_the_streams_of_its_audiences(kind: type[Event]) -> None:
    reached = {
        topic
        for event in SAMPLES
        if type(event) is kind
        for topic in (*event.audiences, *event.watchers, *event.stream_audiences)
    }

    if kind is PositionsShown:  # too many and too large for streams: only pages draw them
        reached.clear()
    assert (StreamKind.JOB in kind.streams) == (job_audience(JOB) in reached)
    assert (StreamKind.ROOM in kind.streams) == (room_audience(ROOM) in reached)
    assert (kind.stream_name is None) == (not kind.streams)
