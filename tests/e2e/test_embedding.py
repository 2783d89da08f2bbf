"""Workroom mounted in an application that has users of its own: `examples/embedded`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx_sse import connect_sse

from support.embedding import OuterApp, cookie_of, log_in, open_socket
from workroom.testing.processes import Process, eventually

COUNT = "/jobs/api/rooms/library/extensions/analysis/CountWords/submit"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OuterApp]:
    app = OuterApp(tmp_path_factory.mktemp("embedded"))
    yield app
    app.close()


@pytest.fixture
def grace(app: OuterApp) -> Iterator[httpx.Client]:
    with log_in(app, "grace") as client:
        yield client


@pytest.fixture
def alan(app: OuterApp) -> Iterator[httpx.Client]:
    with log_in(app, "alan") as client:
        yield client


def make_private_room(client: httpx.Client, name: str) -> None:
    assert client.post("/jobs/api/rooms", json={"name": name, "private": True}).status_code == 201


def test_the_session_of_the_application_is_the_login(app: OuterApp, grace: httpx.Client) -> None:
    me = grace.get("/jobs/api/users/me").json()

    assert (me["user"], me["display_name"], me["role"]) == ("grace@example.org", "Grace Hopper", "user")
    assert httpx.get(f"{app.jobs_url}/api/users/me").status_code == 401
    assert "set-cookie" not in grace.post("/jobs/api/token/renew").headers


def test_an_admin_of_the_application_is_one_here(app: OuterApp, grace: httpx.Client) -> None:
    with log_in(app, "ada") as ada:
        assert ada.get("/jobs/api/users").status_code == 200
    assert grace.get("/jobs/api/users").status_code == 403


def test_a_request_of_the_page_submits_a_job_of_the_user(grace: httpx.Client) -> None:
    submitted = grace.post(COUNT, params={"wait": 20}, json={"data": {"text": "a rose is a rose"}})

    job = submitted.json()
    assert (job["status"], job["user"]) == ("completed", "grace@example.org")
    assert job["result"] == {"words": 5, "different": 3}


def test_a_handler_submits_a_job_for_the_user_of_its_request(grace: httpx.Client) -> None:
    counted = grace.post("/texts", params={"text": "to be or not to be"}).json()

    assert counted["result"] == {"words": 6, "different": 4}
    assert grace.get(f"/jobs/api/jobs/{counted['job']}").json()["user"] == "grace@example.org"


def test_a_handler_in_a_thread_does_so_too(grace: httpx.Client) -> None:
    submitted = grace.post("/texts/later", params={"text": "now"})

    assert submitted.status_code == 202
    job = grace.get(f"/jobs/api/jobs/{submitted.json()['job']}").json()
    assert job["user"] == "grace@example.org"


def test_a_job_in_a_worker_submits_jobs_of_the_user(grace: httpx.Client) -> None:
    compare = COUNT.replace("CountWords", "CompareTexts")
    body = {"data": {"first": "one", "second": "one two"}}

    parent = grace.post(compare, params={"wait": 20}, json=body).json()

    assert [each["words"] for each in parent["result"]["counts"]] == [1, 2]
    children = grace.get(f"/jobs/api/jobs/{parent['id']}/children").json()["items"]
    assert {child["user"] for child in children} == {"grace@example.org"}


def test_another_user_cannot_see_a_private_room(
    app: OuterApp, grace: httpx.Client, alan: httpx.Client
) -> None:
    make_private_room(grace, "graces-notes")
    job = grace.post(COUNT.replace("library", "graces-notes"), json={"data": {}}).json()

    paths = (
        "rooms/graces-notes",
        "rooms/graces-notes/jobs",
        "rooms/graces-notes/stream",
        f"jobs/{job['id']}",
    )
    assert [alan.get(f"/jobs/api/{path}").status_code for path in paths] == [404] * 4
    assert "graces-notes" not in alan.get("/jobs/api/rooms").text
    with open_socket(app, cookie_of(alan)) as socket:
        reply = socket.call("room:join", {"room": "graces-notes"})
        assert reply["error"]["code"] == "room_not_found"
    assert grace.get(f"/jobs/api/jobs/{job['id']}").status_code == 200


def test_a_socket_acts_for_the_user_of_its_cookie(app: OuterApp, grace: httpx.Client) -> None:
    make_private_room(grace, "live")
    with open_socket(app, cookie_of(grace)) as socket:
        assert "error" not in socket.call("room:join", {"room": "live"})
        job = grace.post(COUNT.replace("library", "live"), json={"data": {}}).json()

        assert job["id"] in str(socket.receive("job:state_changed"))


def test_a_socket_without_a_session_is_refused(app: OuterApp) -> None:
    with open_socket(app, "session=invented") as socket:
        assert '"unauthenticated"' in socket.greeting


def test_a_socket_closes_with_a_reason(app: OuterApp, grace: httpx.Client) -> None:
    with open_socket(app, cookie_of(grace)) as socket:
        socket.raw.send_binary(b"no JSON")
        assert b"binary messages are not supported" in socket.wait_for_end()


def test_a_stream_acts_for_the_user_of_its_cookie(app: OuterApp, grace: httpx.Client) -> None:
    make_private_room(grace, "streamed")
    path = "/jobs/api/rooms/streamed/stream"

    with connect_sse(grace, "GET", path) as source:
        events = source.iter_sse()
        next(events)
        with log_in(app, "grace") as other:
            job = other.post(COUNT.replace("library", "streamed"), json={"data": {}}).json()
        assert any(job["id"] in event.data for event in events)
    assert httpx.get(f"{app.url}{path}").status_code == 401


def test_after_a_logout_nothing_is_left(app: OuterApp) -> None:
    with log_in(app, "alan") as alan, open_socket(app, cookie_of(alan)) as socket:
        token = alan.post("/jobs/api/token/renew").json()["token"]
        alan.get("/logout")

        socket.wait_for_end()
        assert alan.get("/jobs/api/users/me").status_code == 401
    kept = {"Authorization": f"Bearer {token}"}
    assert httpx.get(f"{app.jobs_url}/api/users/me", headers=kept).status_code == 401


def test_no_other_login_is_needed_or_possible(app: OuterApp) -> None:
    guest = {"name": "mallory", "secret": "x" * 40}

    assert httpx.post(f"{app.jobs_url}/api/login", json=guest).status_code == 403


def test_a_worker_elsewhere_connects_under_the_prefix(
    app: OuterApp, grace: httpx.Client, tmp_path: Path
) -> None:
    with log_in(app, "ada") as ada:
        machine = {"name": "gpu-box", "role": "worker"}
        token = ada.post("/jobs/api/tokens", json=machine).json()["token"]
        (tmp_path / "shout.py").write_text(SHOUT)
        worker = [
            sys.executable,
            "-m",
            "workroom",
            "worker",
            f"{tmp_path}/shout.py:Shout",
            "--room",
            "library",
        ]
        environment = {"WORKROOM_URL": app.jobs_url, "WORKROOM_TOKEN": token}
        process = Process([*worker, "--wait"], environment, tmp_path / "worker.log")
    try:
        path = "/jobs/api/rooms/library/extensions"
        eventually(lambda: "Shout" in grace.get(path).text, what="the tool of the worker")
        job = grace.post(f"{path}/analysis/Shout/submit", params={"wait": 20}, json={"data": {"text": "hey"}})
        assert job.json()["result"] == "HEY"
    finally:
        process.close()


SHOUT = """
from workroom import Extension

class Shout(Extension, category="analysis"):
    text: str

    def run(self):
        return self.text.upper()
"""


def test_the_page_and_its_files_have_the_prefix(app: OuterApp) -> None:
    page = httpx.get(f"{app.jobs_url}/rooms/library").text

    assert '<meta name="prefix" content="/jobs">' in page
    assert '"/jobs/docs' in page or '="/jobs/assets/' in page
    assert httpx.get(f"{app.jobs_url}/openapi.json").json()["servers"] == [{"url": "/jobs"}]
    assert httpx.get(f"{app.jobs_url}/docs/start.js").text.count('"/jobs/openapi.json"') == 1


def test_it_stops_with_the_application(tmp_path: Path) -> None:
    app = OuterApp(tmp_path)
    with log_in(app, "grace") as grace:
        grace.post("/texts", params={"text": "a"})
        app.stop()
    assert "Application shutdown complete" in app.log.read_text()
    assert "ERROR" not in app.log.read_text()
    again = OuterApp(tmp_path)  # the data directory is free, and the jobs are still there
    with log_in(again, "grace") as grace:
        jobs: dict[str, Any] = grace.get("/jobs/api/rooms/library/jobs").json()
        assert len(jobs["items"]) == 1
    again.close()
