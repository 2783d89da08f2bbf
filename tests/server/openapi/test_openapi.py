"""The REST documentation tells the truth, and is enough to generate types from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import jsonschema_rs
import pytest

from support.route_table import FILES, MESSAGES, ROUTES, STREAMS, TABLES, TEXTS, Scene, in_each_mode
from support.users import Document, LoopThread, Person, extension
from workroom.domain.events import EVENTS, StreamKind
from workroom.runtime.frames.message import MEDIA_TYPE
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess

Conform = Callable[[httpx.Response, str, str], None]

PROBLEM = {"$ref": "#/components/schemas/Problem"}
PUBLIC = {"log_in", "read_health", "read_readiness"}


@pytest.fixture(scope="session")
def document(anyone: httpx.Client) -> Document:
    found: Document = anyone.get("/openapi.json").json()
    return found


@pytest.fixture(scope="session")
def conform(document: Document) -> Conform:
    """Is a response of a route as documented, with no field besides?"""
    components = {**document["components"], "schemas": _closed(document["components"]["schemas"])}

    def conform(response: httpx.Response, method: str, path: str) -> None:
        responses = document["paths"][path][method.lower()]["responses"]
        assert str(response.status_code) in responses, response.text
        answer = _resolved(document, responses[str(response.status_code)])
        kind = response.headers["content-type"]
        assert kind in answer["content"], f"{kind} is not documented"
        schema = {**answer["content"][kind]["schema"], "components": components}
        jsonschema_rs.Draft202012Validator(schema, validate_formats=True).validate(response.json())

    return conform


@pytest.fixture(scope="module")
def root(server: ServerProcess, loop_thread: LoopThread) -> Iterator[Person]:
    """The admin, who logs in once: a password takes long to check."""
    person = Person(loop_thread, server.url, "admin", ADMIN_PASSWORD)
    yield person
    person.close()


def _closed(schemas: Document) -> Document:
    """What has properties has no others, unless it says that it may."""
    return {
        name: {"additionalProperties": False, **schema} if "properties" in schema else schema
        for name, schema in schemas.items()
    }


def _resolved(document: Document, answer: Document) -> Document:
    if "$ref" not in answer:
        return answer
    found: Document = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    return found


def operations(document: Document) -> Iterator[tuple[str, str, Document]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from ([value["$ref"]] if isinstance(value.get("$ref"), str) else [])
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from references(each)


@pytest.mark.parametrize(
    "route", in_each_mode(each for each in ROUTES if each not in FILES | TABLES | MESSAGES | TEXTS)
)
def test_the_answer_of_the_route_is_as_documented(
    route: tuple[str, str], room: str, ada: Person, root: Person, conform: Conform
) -> None:
    worker = ada.work(extension(room))
    ada.order(room)
    call, status = ROUTES[route]

    response = call(Scene(room, ada, root, worker, worker.take()))

    assert response.status_code == status, response.text
    conform(response, *route)


def test_a_job_is_as_documented_in_every_state(room: str, ada: Person, bob: Person, conform: Conform) -> None:
    limited = {"retries": 1, "timeout": 60, "concurrency": {"key": "{n}", "limits": {"1": 2}}}
    worker = ada.work(extension(room, policy=limited), machine={"gpu": None}, slots=2)
    jobs = [ada.order(room, data={"n": 1}, priority=2) for _ in range(4)]

    def look() -> None:
        for each in jobs:
            conform(bob.get(f"/api/jobs/{each['id']}"), "GET", "/api/jobs/{job_id}")
            conform(bob.get(f"/api/jobs/{each['id']}/history"), "GET", "/api/jobs/{job_id}/history")

    first, second = worker.take(), worker.take()
    look()
    worker.start(first)
    worker.progress(first, current=1, total=3, message="one")
    worker.start(second)
    worker.progress(second, fraction=0.5)
    look()
    worker.finish(first, "failed", error={"type": "Odd", "message": "odd", "details": {"part": "gear"}})
    worker.finish(second, result=["anything"])
    ada.delete(f"/api/jobs/{jobs[3]['id']}")
    look()
    for path in ("jobs", "extensions", "workers"):
        conform(bob.get(f"/api/rooms/{room}/{path}"), "GET", f"/api/rooms/{{room}}/{path}")


def test_what_is_saved_ended_or_kept_out_is_as_documented(room: str, ada: Person, conform: Conform) -> None:
    submit = "/api/rooms/{room}/extensions/{category}/{name}/submit"
    batch = f"/api/rooms/{room}/jobs/batch"
    conform(ada.submit(room, "Theme", {"dark": True}, category="settings"), "POST", submit)
    conform(ada.submit(room, "Nap", {"seconds": "long"}), "POST", submit)
    conform(ada.submit(room, "Nap", params={"wait": -1}), "POST", submit)
    conform(ada.get(f"/api/rooms/{room}/extensions/settings/Theme/data"), "GET", submit[:-6] + "data")
    jobs = [{"category": "analysis", "name": name} for name in ("Nap", "Nothing")]
    conform(ada.post(batch, json={"jobs": jobs}), "POST", "/api/rooms/{room}/jobs/batch")


def test_pages_are_as_documented(root: Person, conform: Conform) -> None:
    for path in ("/api/users", "/api/rooms", "/api/jobs"):
        conform(root.get(path, params={"limit": 1}), "GET", path)


def test_a_reconnecting_worker_gets_the_documented_reply(room: str, ada: Person, conform: Conform) -> None:
    worker = ada.work(extension(room))
    hold = {"job_id": "nothing", "attempt": 1, "token": "none", "phase": "begun"}
    beat = ada.put(
        f"/api/workers/{worker.id}/heartbeat", json={"session": worker.session, "seen": 1, "holds": [hold]}
    )

    assert beat.json()["drop"]
    conform(beat, "PUT", "/api/workers/{worker_id}/heartbeat")
    conform(ada.register(extension(room), worker_id=worker.id), "POST", "/api/workers/register")


def test_every_route_is_called_by_a_name_of_its_own_that_is_fit_for_code(document: Document) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in names), names


def test_every_route_is_explained(document: Document) -> None:
    known = {tag["name"] for tag in document["tags"]}
    for method, path, operation in operations(document):
        assert operation["summary"], (method, path)
        assert operation["description"], (method, path)
        assert set(operation["tags"]) <= known, (method, path)


def test_every_success_has_a_shape_with_a_name(document: Document) -> None:
    for method, path, operation in operations(document):
        answers = {status: each for status, each in operation["responses"].items() if status < "300"}
        assert answers, (method, path)
        if (method, path) in STREAMS:
            assert set(answers["200"]["content"]) == {"text/event-stream"}, (method, path)
            continue
        for answer in answers.values():
            if (method, path) in FILES:
                assert answer["content"] == {"*/*": {"schema": {"type": "string", "format": "binary"}}}
                continue
            if (method, path) in MESSAGES:
                assert set(answer["content"]) == {MEDIA_TYPE}
                continue
            if (method, path) in TEXTS:
                assert answer["content"] == {"text/plain": {"schema": {"type": "string"}}}
                continue
            if (method, path) in TABLES:
                assert answer["content"] == {"text/csv": {"schema": {"type": "string"}}}
                continue
            schema = answer["content"]["application/json"]["schema"]
            shapes = schema.get("anyOf", [schema])
            assert all(set(shape) == {"$ref"} for shape in shapes), (method, path, schema)


def test_every_refusal_is_a_problem(document: Document) -> None:
    for method, path, operation in operations(document):
        for status, answer in operation["responses"].items():
            if status >= "400" and (path, status) != ("/readyz", "503"):
                content = _resolved(document, answer)["content"]
                assert content == {"application/problem+json": {"schema": PROBLEM}}, (method, path, status)


def test_everything_that_is_referred_to_is_there(document: Document) -> None:
    for reference in references(document):
        found: Any = document
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
    assert "ValidationError" not in str(list(document["components"]["schemas"]))


def test_a_token_is_needed_wherever_the_document_requires_one(
    document: Document, anyone: httpx.Client
) -> None:
    assert {"bearer", "cookie"} == {name for each in document["security"] for name in each}
    for method, path, operation in operations(document):
        is_public = operation.get("security") == []
        assert is_public == (operation["operationId"] in PUBLIC), path
        if not is_public:
            response = anyone.request(method, re.sub(r"{(scope)}|{\w+}", _part, path))
            assert response.status_code == 401, (method, path, response.text)


def _part(found: re.Match[str]) -> str:
    return "room" if found[1] else "demo"


def test_the_cookie_has_the_name_that_the_document_gives(document: Document, anyone: httpx.Client) -> None:
    response = anyone.post("/api/login", json={"name": "carol", "cookie": True})
    anyone.cookies.clear()

    assert document["components"]["securitySchemes"]["cookie"]["name"] in response.cookies


def test_every_event_that_people_receive_is_documented(document: Document) -> None:
    assert set(document["webhooks"]) == {name for name, kind in EVENTS.items() if not kind.for_workers}


def test_every_event_of_a_stream_is_documented(document: Document) -> None:
    for stream, path in (
        (StreamKind.JOB, "/api/jobs/{job_id}/stream"),
        (StreamKind.ROOM, "/api/rooms/{room}/stream"),
    ):
        content = document["paths"][path]["get"]["responses"]["200"]["content"]["text/event-stream"]
        names = {kind.stream_name for kind in EVENTS.values() if stream in kind.streams}
        assert names <= set(content["x-events"])
