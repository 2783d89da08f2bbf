"""Everything in a request has a limit: OpenAPI states it, and what is larger by one is refused."""

from __future__ import annotations

from typing import Any

from support.request_bounds import BOUNDS, Place, body_with, of_size, places
from support.users import Person

OWN_ATTEMPTS_ONLY = "/api/jobs/{job_id}/positions"  # identifies the attempt first; see test_rest_positions
BOUNDED = [
    (place, bound)
    for place in places()
    for bound in BOUNDS
    if bound in place.schema and place.path != OWN_ATTEMPTS_ONLY
]
TRUNCATED = {
    "/error/type",
    "/error/message",
    "/error/stack_trace",
    "/message",
    "/lines/0/level",
    "/lines/0/text",
}
IGNORED_IF_MALFORMED = {"/traceparent"}  # tests/e2e/test_traces.py

OTHER_FIELDS = {"/api/rooms/{room}/frames/edit": {"op": "append"}}


def send(person: Person, room: str, place: Place, value: Any) -> list[str]:
    """Send a request that has nothing but this value; return the paths of what was refused."""
    path = place.path.replace("{room}", room)
    options: dict[str, Any] = {}
    match place.where:
        case "body":
            options["json"] = {**OTHER_FIELDS.get(place.path, {}), **body_with(place.pointer, value)}
        case "query":
            options["params"] = {place.field: value}
        case "header":
            options["headers"] = {place.field: str(value)}
        case "path":
            path = path.replace(f"{{{place.field}}}", str(value))
    with person.stream(place.method, path, **options) as response:
        if response.status_code != 422:
            return []
        response.read()
        return [error["path"] for error in response.json().get("errors", ())]


def test_what_is_larger_than_its_limit_by_one_is_refused(root: Person, room: str) -> None:
    wrong = []
    for place, bound in BOUNDED:
        limit = place.schema[bound]
        fitting = send(root, room, place, of_size(place.schema, bound, limit))
        larger = send(root, room, place, of_size(place.schema, bound, limit + 1))
        if place.refused_path in fitting or place.refused_path not in larger:
            wrong.append(f"{place} {bound} {limit}: {fitting} {larger}")

    assert wrong == []
    assert len(BOUNDED) > 100


def test_every_text_and_list_of_a_request_has_a_limit() -> None:
    unbounded = {place.pointer for place in places() if place.is_unbounded and place.where != "path"}

    assert unbounded == TRUNCATED | IGNORED_IF_MALFORMED | {"/holds"}  # max_holds is a setting
