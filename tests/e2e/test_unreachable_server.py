"""Who waits for a job waits for the server too, also for one that a proxy has lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from support.extensions.samples import Nap
from support.scripted_worker import MakeScriptedWorker, fence
from workroom import JobHandle, Room
from workroom.errors import Unauthenticated
from workroom.testing.fixtures import OpenRoom, StartServer
from workroom.testing.guests import guest_token
from workroom.testing.processes import ServerProcess

ENDED = ("completed", "failed", "cancelled")
LOOKING: dict[str, Callable[[Room, JobHandle], Any]] = {
    "result": lambda _, job: job.result(timeout=100),
    "watch": lambda _, job: [update["status"] for update in job.watch()][-1],
    "follow": lambda _, job: [document["status"] for document, _ in job.follow()][-1],
    "events": lambda _, job: [event.data for event in job.events() if event.name == "end"],
    "watch_jobs": lambda room, _: next(
        jobs for jobs in room.watch_jobs() if jobs[0]["status"] == "completed"
    ),
}


class NoServer(BaseHTTPRequestHandler):
    """A proxy that has nobody behind it."""

    asked: threading.Event

    def do_GET(self) -> None:
        self.send_error(503)
        self.asked.set()

    def log_message(self, format: str, *args: Any) -> None: ...


@contextmanager
def proxy_alone(server: ServerProcess) -> Iterator[threading.Event]:
    """In place of the server, until somebody has asked for it."""
    port = int(server.url.rpartition(":")[2])
    asked = threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", port), type("Alone", (NoServer,), {"asked": asked})) as proxy:
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        try:
            yield asked
        finally:
            proxy.shutdown()
            thread.join()


def begin(look: Callable[[], Any]) -> Future[Any]:
    seen: Future[Any] = Future()

    def run() -> None:
        try:
            seen.set_result(look())
        except BaseException as error:
            seen.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return seen


@pytest.mark.parametrize("how", LOOKING)
def test_looking_may_begin_while_the_server_is_gone(
    workroom_server: ServerProcess, make_scripted_worker: MakeScriptedWorker, open_room: OpenRoom, how: str
) -> None:
    scripted = make_scripted_worker(workroom_server)
    room = open_room(workroom_server)
    job = room.submit_named("analysis", "Scripted", {})
    item = scripted.take()
    scripted.drop()
    workroom_server.kill()

    seen = begin(lambda: LOOKING[how](room, job))
    with proxy_alone(workroom_server) as asked:
        assert asked.wait(30)
    assert not seen.done()
    workroom_server.restart()
    scripted.reconnect()
    scripted.hello([{**fence(item), "phase": "queued"}], seen=item["number"])
    scripted.start(item)
    scripted.finish(item, result="rested")

    assert seen.result(100)


def test_a_guest_who_only_listens_stays_the_same_guest_when_the_token_is_used_up(
    start_server: StartServer, open_room: OpenRoom
) -> None:
    server = start_server(token_days=5 / 86_400)
    room = open_room(server, "closed")
    worker = open_room(server, "closed", admin=True)
    bearer = {"Authorization": f"Bearer {guest_token(server.url, 'ada')}"}
    httpx.post(f"{server.url}/api/rooms", json={"name": "closed", "private": True}, headers=bearer)
    worker.register(Nap)
    job = room.submit(Nap(seconds=12))

    assert [event.name for event in job.events()][-1] == "end"


def test_a_token_that_was_revoked_is_not_waited_for(
    workroom_server: ServerProcess, make_scripted_worker: MakeScriptedWorker
) -> None:
    make_scripted_worker(workroom_server)
    with httpx.Client(base_url=workroom_server.url) as http:
        token = http.post("/api/login", json={"name": "bob"}).json()["token"]
        with Room("demo", workroom_server.url, token=token) as room:
            job = room.submit_named("analysis", "Scripted", {})
            http.post("/api/token/revoke", json={}, headers={"Authorization": f"Bearer {token}"})
            for look in (job.result, lambda: list(job.events())):
                with pytest.raises(Unauthenticated):
                    begin(look).result(30)
