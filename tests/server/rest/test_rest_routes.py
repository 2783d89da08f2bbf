"""Every route there is, once, on its happy path; those that respond with JSON are in test_openapi.py."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import iscoroutinefunction

import httpx
import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette import routing

from support.route_table import FILES, MESSAGES, ROUTES, STREAMS, TABLES, TEXTS, Scene, in_each_mode
from support.users import Person, extension
from workroom.runtime.frames.message import MEDIA_TYPE
from workroom.server.app import rest
from workroom.settings import Settings


@pytest.mark.parametrize("route", STREAMS, ids=" ".join)
def test_the_stream_opens(route: tuple[str, str], room: str, ada: Person, root: Person) -> None:
    worker = ada.work(extension(room))
    ada.order(room)
    path = STREAMS[route](Scene(room, ada, root, worker, worker.take()))

    with ada.stream("GET", path) as response:
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert next(response.iter_lines()) == ": ping"


@pytest.mark.parametrize("route", in_each_mode(sorted(FILES | MESSAGES | TABLES | TEXTS)))
def test_the_route_answers_on_its_happy_path(
    route: tuple[str, str], room: str, ada: Person, root: Person
) -> None:
    worker = ada.work(extension(room))
    ada.order(room)
    call, status = ROUTES[route]

    response = call(Scene(room, ada, root, worker, worker.take()))

    assert response.status_code == status, response.text
    if route in FILES:
        assert response.content == b"pixels"
        return
    if route in MESSAGES:
        assert response.headers["content-type"] == MEDIA_TYPE
        assert response.content[:4] == b"WRF1"
        return
    if route in TABLES:
        assert response.headers["content-type"] == "text/csv; charset=utf-8"
        return
    assert response.headers["content-type"].startswith("text/plain")


def test_the_table_names_every_route_of_the_server(ada: Person) -> None:
    paths = ada.get("/openapi.json").json()["paths"]
    served = {(method.upper(), path) for path, methods in paths.items() for method in methods}

    assert served == set(ROUTES) | set(STREAMS)


def test_no_route_hands_out_the_next_job(ada: Person) -> None:
    paths = ada.get("/openapi.json").json()["paths"]

    assert not [path for path in paths if "next" in path or "poll" in path or "claim" in path]


def test_health_needs_no_token_and_reports_which_version_runs(anyone: httpx.Client) -> None:
    health = anyone.get("/healthz").json()

    assert health["status"] == "ok"
    assert health["version"]


@pytest.mark.parametrize(
    ("path", "kind"), [("/docs", "text/html; charset=utf-8"), ("/openapi.json", "application/json")]
)
def test_the_documentation_is_served_without_a_token(anyone: httpx.Client, path: str, kind: str) -> None:
    response = anyone.get(path)

    assert response.status_code == 200
    assert response.headers["content-type"] == kind


def test_no_route_is_left_to_be_worked_out_by_the_first_request() -> None:
    assert [each for each in rest(Settings()).routes if not isinstance(each, routing.Route)] == []


def test_no_request_waits_for_a_thread_of_the_pool_before_its_route_runs() -> None:
    """FastAPI calls plain functions in a pool of forty threads, which anything slow may hold."""

    def dependencies(dependant: Dependant) -> Iterator[Dependant]:
        for each in dependant.dependencies:
            yield each
            yield from dependencies(each)

    routes = [each for each in rest(Settings()).routes if isinstance(each, APIRoute)]
    called = {each.call for route in routes for each in dependencies(route.dependant)}

    assert {each for each in called if not iscoroutinefunction(each)} == set()
    assert len(called) > 5
