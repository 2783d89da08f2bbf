"""Streams end to end: readers that come and go, servers that restart, crowds, and other people's clients."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from listening import Crowd, Listener, events
from puppet import MakePuppet, Puppet
from workroom.server.app import create_app
from workroom.server.context import Services
from workroom.settings import Settings
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.guests import guest_token
from workroom.testing.processes import ServerProcess, eventually

LISTENER = Path(__file__).parents[1] / "js" / "listener.mjs"
Document = dict[str, Any]


def submit(puppet: Puppet, room: str = "demo") -> Document:
    response = puppet.http.post(f"/api/rooms/{room}/extensions/analysis/Puppet/submit", json={"data": {}})
    assert response.status_code == 202, response.text
    job: Document = response.json()
    return job


def history(puppet: Puppet, job: Document) -> list[Document]:
    items: list[Document] = puppet.http.get(f"/api/jobs/{job['id']}/history").json()["items"]
    return items


def report(puppet: Puppet, item: Document, **progress: Any) -> None:
    fence = {name: item[name] for name in ("job_id", "attempt", "token")}
    assert puppet.call("job:progress", [{**fence, **progress}])["answers"] == [None]


def give_back(puppet: Puppet, item: Document) -> None:
    """Let go of an attempt that was not begun: the job is pending, then assigned again."""
    puppet.heartbeat(holds=[], seen=item["number"])


def test_a_view_merged_from_fifty_streams_is_the_stored_history(
    workroom_server: ServerProcess, make_puppet: MakePuppet
) -> None:
    puppet = make_puppet(workroom_server)
    job = submit(puppet)
    path = f"/api/jobs/{job['id']}/stream"
    merged: list[Document] = []
    over = threading.Event()
    opened = 0

    def read() -> None:
        nonlocal opened
        last_id, chance = "", random.Random(5)
        while not over.is_set():
            opened += 1
            stream = events(puppet.url, path, puppet.token, last_id)
            for _ in range(chance.choice([1, 1, 2, 3])):
                event = next(stream, None)
                if event is None or event.event == "end":
                    over.set()
                    break
                last_id = event.id or last_id
                merged.extend([event.json()] if event.event == "state" else [])
            stream.close()

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(30):
        give_back(puppet, puppet.take())
    item = puppet.take()
    puppet.start(item)
    number = 0
    while opened < 60:
        report(puppet, item, current=number)
        number += 1
    puppet.finish(item)
    reader.join(30)

    assert over.is_set()
    assert opened >= 50
    assert len(merged) > 60
    assert merged == history(puppet, job)


def test_a_room_read_in_pieces_is_the_stored_history_too(
    workroom_server: ServerProcess, make_puppet: MakePuppet
) -> None:
    puppet = make_puppet(workroom_server)
    opening = events(puppet.url, "/api/rooms/demo/stream", puppet.token)
    last_id = next(opening).id
    opening.close()
    jobs: list[Document] = []

    def work() -> None:
        for number in range(40):
            jobs.append(submit(puppet))
            item = puppet.take()
            puppet.start(item)
            puppet.finish(item, "failed" if number % 2 else "completed")  # not enough to open the circuit

    worker = threading.Thread(target=work)
    worker.start()
    merged: list[Document] = []
    said: list[int] = []
    chance = random.Random(7)
    while len(said) < 20:
        stream = events(puppet.url, "/api/rooms/demo/stream", puppet.token, last_id)
        for _ in range(chance.randint(1, 9)):
            event = next(stream)
            last_id = event.id or last_id
            merged.extend([event.json()] if event.event == "state" else [])
            said.extend([event.json()["seq"]] if event.event == "chat" else [])
            if len(said) == 20:
                break
        stream.close()
    worker.join()

    stored = [step for job in jobs for step in history(puppet, job)]
    assert merged == stored
    assert said == list(range(1, 21))


def test_a_server_that_restarts_in_the_middle_loses_nothing_and_tells_nothing_twice(
    workroom_server: ServerProcess, make_puppet: MakePuppet
) -> None:
    puppet = make_puppet(workroom_server)
    job = submit(puppet)
    path = f"/api/jobs/{job['id']}/stream"
    item = puppet.take()
    ear = Listener(puppet.url, path, puppet.token)
    ear.expect("state", status="assigned")

    puppet.drop()
    workroom_server.kill()
    workroom_server.restart()
    eventually(lambda: ear.is_over, what="the end of the stream")
    puppet.reconnect()
    hold = {name: item[name] for name in ("job_id", "attempt", "token")}
    puppet.hello([{**hold, "phase": "queued"}], seen=item["number"])
    puppet.start(item)
    puppet.finish(item)
    rest = list(events(puppet.url, path, puppet.token, ear.heard[-1].id))

    told = [*ear.named("state"), *(event.json() for event in rest if event.event == "state")]
    assert told == history(puppet, job)
    assert rest[-1].event == "end"


def test_sigterm_ends_the_streams_at_once(workroom_server: ServerProcess, make_puppet: MakePuppet) -> None:
    puppet = make_puppet(workroom_server)
    job = submit(puppet)
    ears = [
        Listener(puppet.url, path, puppet.token)
        for path in ("/api/rooms/demo/stream", f"/api/jobs/{job['id']}/stream")
        for _ in range(5)
    ]
    for ear in ears:
        eventually(lambda ear=ear: ear.heard, what="the first event")

    assert workroom_server.process.stop() == 0

    eventually(lambda: all(ear.is_over for ear in ears), what="the end of the streams")
    assert "Cancel" not in workroom_server.log
    assert "Traceback" not in workroom_server.log


def test_httpx_sse_and_npm_s_eventsource_hear_the_same(
    workroom_server: ServerProcess, make_puppet: MakePuppet
) -> None:
    puppet = make_puppet(workroom_server)
    job = submit(puppet)
    path = f"/api/jobs/{job['id']}/stream"
    command = ["node", str(LISTENER), puppet.url + path, puppet.token]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as node:
        try:
            item = puppet.take()
            puppet.start(item)
            report(puppet, item, fraction=0.5, message="half\n\nevent: end")
            puppet.finish(item, "failed", error={"type": "Odd", "message": "a\nb"})
            out, _ = node.communicate(timeout=30)  # it exits by itself once it is told not to come back
        finally:
            node.kill()
    heard = [json.loads(line) for line in out.splitlines()]
    told = list(events(puppet.url, path, puppet.token))

    lasting = [each for each in heard if each["name"] != "progress"]
    assert lasting == [
        {"name": each.event, "id": each.id, "data": each.json()} for each in told if each.event != "progress"
    ]
    assert [each["data"] for each in heard if each["name"] == "progress"][-1] == next(
        each.json() for each in told if each.event == "progress"
    )


def test_npm_s_eventsource_goes_on_after_the_server_was_killed(
    workroom_server: ServerProcess, make_puppet: MakePuppet
) -> None:
    puppet = make_puppet(workroom_server)
    job = submit(puppet)
    item = puppet.take()
    command = ["node", str(LISTENER), f"{puppet.url}/api/jobs/{job['id']}/stream", puppet.token]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as node:
        try:
            assert node.stdout is not None
            lines = [node.stdout.readline(), node.stdout.readline()]
            puppet.drop()
            workroom_server.kill()
            workroom_server.restart()
            puppet.reconnect()
            hold = {name: item[name] for name in ("job_id", "attempt", "token")}
            puppet.hello([{**hold, "phase": "queued"}], seen=item["number"])
            puppet.start(item)
            puppet.finish(item)
            out, _ = node.communicate(timeout=30)
        finally:
            node.kill()
    heard = [json.loads(line) for line in [*lines, *out.splitlines()]]

    assert [each["data"] for each in heard if each["name"] == "state"] == history(puppet, job)
    assert heard[-1]["name"] == "end"


@contextmanager
def serving(data_dir: Path, **settings: Any) -> Iterator[tuple[str, Services]]:
    """A server in this process, so that what its store is asked can be counted."""
    opened: list[Services] = []
    app = create_app(Settings(data_dir=data_dir, workers=0, **settings), on_open=opened.append)
    config = uvicorn.Config(app, port=0, log_level="warning", access_log=False, lifespan="on", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        eventually(lambda: server.started, what="the server")
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}", opened[0]
    finally:
        opened[0].streams.close()
        server.should_exit = True
        thread.join(20)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # sockets of killed servers
@pytest.mark.parametrize("count", [200, pytest.param(1000, marks=pytest.mark.full)])
async def test_a_crowd_hears_an_event_and_asks_the_store_nothing_while_it_waits(
    tmp_path: Path, count: int
) -> None:
    with serving(tmp_path, max_sockets=2 * count, ping=0.5, sweep=3600) as (url, services):
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            token = (await client.post("/api/login", json={"name": "ada"})).json()["token"]
            client.headers["Authorization"] = f"Bearer {token}"
            crowd = Crowd()
            try:
                for _ in range(count):
                    await crowd.listen(url, "/api/rooms/demo/stream", token, b"event: chat")
                store: Any = services.store
                reads = store.reads
                await asyncio.sleep(2)  # while all of them are pinged
                assert store.reads == reads
                said = time.monotonic()
                await client.post("/api/rooms/demo/chat", json={"text": "hello"})
                await crowd.all_heard(30)
                print(f"{count} streams heard it within {time.monotonic() - said:.2f} s")
            finally:
                await crowd.close()
            assert (crowd.open, crowd.heard) == (count, count)


def test_watching_goes_on_when_the_server_restarts_and_ends_with_the_job(
    start_server: StartServer, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    server = start_server()
    start_worker(server, "samples:Nap")
    job = open_room(server).submit_named("analysis", "Nap", {"seconds": 6})
    updates = []
    told = []

    def follow() -> None:
        told.extend(job.events())

    follower = threading.Thread(target=follow)
    follower.start()
    for update in job.watch():
        updates.append(update)
        if update["progress"] and server.process.is_alive and len(updates) > 3 and "killed" not in told:
            told.append("killed")  # type: ignore[arg-type]
            server.kill()
            server.restart()
    follower.join(30)
    told.remove("killed")  # type: ignore[arg-type]

    assert updates[-1]["status"] == "completed"
    assert [event.data for event in told if event.name == "state"] == job.history()
    assert told[-1].name == "end"
    assert [event.name for event in told].count("end") == 1
    assert any(event.name == "progress" for event in told)


def test_ten_thousand_calls_reach_the_page_as_a_few_updates_a_second_and_the_last_always(
    workroom_server: ServerProcess, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    start_worker(workroom_server, "samples:Count")
    room = open_room(workroom_server)
    page = Listener(workroom_server.url, "/api/rooms/demo/stream", guest_token(workroom_server.url, "ada"))
    eventually(lambda: page.heard, what="the opening")
    job = room.submit_named("analysis", "Count", {})
    told = [event.data for event in job.events() if event.name == "progress"]
    page.expect("state", status="completed")

    for items in (told, page.named("progress")):
        updates = [item["progress"] for item in items]
        seconds = updates[-1]["elapsed_ms"] / 1000
        assert (updates[-1]["fraction"], updates[-1]["current"]) == (1, 10_000)
        assert 2 <= len(updates) <= 5 * seconds + 3
        assert [each["current"] for each in updates] == sorted(each["current"] for each in updates)


def test_people_talk_in_a_room(workroom_server: ServerProcess, open_room: OpenRoom) -> None:
    ada, bob = open_room(workroom_server, user="ada"), open_room(workroom_server, user="bob")
    first = ada.say("shall we begin?")
    second = bob.say("yes")

    assert bob.chat() == [second, first]
    assert ada.chat(limit=1) == [second]
    assert ada.chat(before=second["seq"]) == [first]
    assert (first["user"], first["text"]) == ("ada", "shall we begin?")
