"""Whatever is sent to the server, it answers as its documentation says, and never with a 5xx."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from support.frame_messages import encode
from support.route_table import ROUTES, in_each_mode
from support.users import Document, LoopThread, Person, extension
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
FITTING = 4  # requests to each route that fit the document, by each visitor
ODD = 3  # that do not; from one visitor, since they are refused before it matters who asks
OFTEN = 0.9  # about things that are there, or else nearly every answer would be a 404
SECONDS = 20

Things = dict[str, list[Any]]

_numbers = count(1)


@schemathesis.serializer("application/vnd.workroom.frames")
def _frames(context: Any, value: Any) -> bytes:
    """Whatever is generated, and now and then a message."""
    content = getattr(value, "data", value)
    return content if isinstance(content, bytes) and len(content) % 2 else encode(1, value={"a": 1})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server of its own: what is left of it is nobody else's business."""
    with ServerProcess(
        tmp_path_factory.mktemp("tried"), "support.extensions.samples:Nap", "support.extensions.samples:Theme"
    ) as server:
        yield server


@pytest.fixture(scope="module")
def document(server: ServerProcess) -> Document:
    found: Document = httpx.get(f"{server.url}/openapi.json").json()
    return found


@pytest.fixture(scope="module", params=["admin", "guest"])
def visitor(
    request: pytest.FixtureRequest, server: ServerProcess, loop_thread: LoopThread
) -> Iterator[Person]:
    person = Person(
        loop_thread, server.url, request.param, ADMIN_PASSWORD if request.param == "admin" else None
    )
    yield person
    person.close()


def furnished(visitor: Person) -> Things:
    """A new room with a worker that has a job and runs it; and where in a request their names belong.

    Accounts are those of others: who shuts out themselves can try nothing more.
    """
    number = next(_numbers)
    room, friend = f"lab-{number}", f"carol-{number}"
    visitor.post("/api/login", json={"name": friend})
    worker = visitor.work(extension(visitor.create_room(room)))
    running, ended = (visitor.order(room)["id"] for _ in range(2))
    visitor.delete(f"/api/jobs/{ended}")
    item = worker.take()
    worker.start(item)
    return {
        "path.room": [room],
        "path.category": ["analysis"],
        "path.name": ["Echo"],
        "path.job_id": [running, ended],
        "path.worker_id": [worker.id],
        "path.user": [friend],
        "query.extension": ["analysis/Echo"],
        "query.wait": [0, 0.01, 0.1],
        "body.name": [f"{room}-more", friend],
        "body.user": [friend],
        "body.worker_id": [worker.id],
        "body.attempt": [item["attempt"]],
        "body.token": [item["token"]],
        "body.session": [worker.session],
        "body.jobs[*].category": ["analysis"],
        "body.jobs[*].name": ["Echo", "Nap"],
        "body.extensions[*].category": ["analysis", "media"],
        "body.extensions[*].name": ["Echo", "Other"],
    }


def config(things: Things) -> schemathesis.Config:
    return schemathesis.Config.from_dict(
        {
            "dictionaries": {name: {"values": values} for name, values in things.items()},
            "parameters": {name: {"dictionary": name, "probability": OFTEN} for name in things},
        }
    )


def complete(route: tuple[str, str], body: Any, things: Things) -> None:
    """What the document cannot say in a way that types can be made from: one of two fields must be given."""
    if route == ("POST", "/api/login"):
        body.setdefault("name", things["body.name"][0])
        body.pop("code", None)
    elif route == ("POST", "/api/token/revoke"):
        body["all"] = False
    elif route == ("POST", "/api/rooms/{room}/members"):
        body.update(user=things["body.user"][0], code=None)
    elif route == ("POST", "/api/workers/register"):
        for each in body["extensions"]:
            each.update(room=things["path.room"][0], public=False)


def repeat(strategy: Any, send: Callable[[Case[Any]], None], examples: int) -> None:
    """The same requests each time."""
    once = settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    generated: Callable[[Any], Callable[[], None]] = given(strategy)
    once(generated(send))()


# Threads of other tests in this process use `random`, too, while Hypothesis looks whether a strategy does.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@pytest.mark.parametrize("route", in_each_mode(ROUTES))
def test_every_answer_is_as_documented(
    route: tuple[str, str], visitor: Person, server: ServerProcess, document: Document
) -> None:
    method, path = route
    things = furnished(visitor)
    schema = schemathesis.openapi.from_dict(document, config=config(things))
    operation = schema[path][method]
    is_variable = bool(document["paths"][path][method.lower()].keys() & {"parameters", "requestBody"})

    def send_completed(case: Case[Any]) -> None:
        complete(route, case.body, things)
        send(case)

    def send(case: Case[Any]) -> None:
        headers = {"Authorization": f"Bearer {_token(visitor, path)}"}
        if case.query and isinstance(case.query.get("wait"), int | float):
            case.query["wait"] = min(case.query["wait"], 0.1)  # there is nobody who would end the job
        case.call_and_validate(server.url, headers=headers, checks=CHECKS, timeout=SECONDS)

    fitting = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    repeat(fitting, send_completed, FITTING if is_variable else 1)
    if is_variable and visitor.user == "admin":
        repeat(operation.as_strategy(generation_mode=GenerationMode.NEGATIVE), send, ODD)


def _token(visitor: Person, path: str) -> str:
    """What logs out gets a login session of its own, which it may lose."""
    if path != "/api/token/revoke":
        return visitor.token
    password = ADMIN_PASSWORD if visitor.user == "admin" else None
    token: str = visitor.post("/api/login", json={"name": visitor.user, "password": password}).json()["token"]
    return token


def test_the_server_is_as_good_as_new(visitor: Person, server: ServerProcess) -> None:
    """None of the above has put anything out of order, or into the log as a failure."""
    room = f"afterwards-{visitor.user}"
    worker = visitor.work(extension(visitor.create_room(room)))
    visitor.order(room)
    worker.run(worker.take())

    assert "request_failed" not in server.log
    assert "Traceback" not in server.log
