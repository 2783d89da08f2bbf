"""Streams end to end: readers that come and go, servers that restart, crowds, and other people's clients."""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from support.scripted_worker import MakeScriptedWorker, ScriptedWorker
from support.stream_readers import Crowd, Listener, events
from workroom.server.app import create_app
from workroom.server.http.context import Services
from workroom.settings import Settings
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.guests import guest_token
from workroom.testing.processes import Process, ServerProcess, eventually

LISTENER = Path(__file__).parents[1] / "js" / "listener.mjs"
Document = dict[str, Any]


def submit(scripted: ScriptedWorker, room: str = "demo") -> Document:
    response = scripted.http.post(f"/api/rooms/{room}/extensions/analysis/Scripted/submit", json={"data": {}})
    assert response.status_code == 202, response.text
    job: Document = response.json()
    return job


def history(scripted: ScriptedWorker, job: Document) -> list[Document]:
    items: list[Document] = scripted.http.get(f"/api/jobs/{job['id']}/history").json()["items"]
    return items


def report(scripted: ScriptedWorker, item: Document, **progress: Any) -> None:
    fence = {name: item[name] for name in ("job_id", "attempt", "token")}
    assert scripted.call("job:progress", [{**fence, **progress}])["answers"] == [None]


def give_back(scripted: ScriptedWorker, item: Document) -> None:
    """Let go of an attempt that was not begun: the job is pending, then assigned again."""
    scripted.heartbeat(holds=[], seen=item["number"])


def test_a_view_merged_from_fifty_streams_is_the_stored_history(
    workroom_server: ServerProcess, make_scripted_worker: MakeScriptedWorker
) -> None:
    scripted = make_scripted_worker(workroom_server)
    job = submit(scripted)
    path = f"/api/jobs/{job['id']}/stream"
    merged: list[Document] = []
    over = threading.Event()
    opened = 0

    def read() -> None:
        nonlocal opened
        last_id, chance = "", random.Random(5)
        while not over.is_set():
            opened += 1
            stream = events(scripted.url, path, scripted.token, last_id)
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
        give_back(scripted, scripted.take())
    item = scripted.take()
    scripted.start(item)
    number = 0
    while opened < 60:
        report(scripted, item, current=number)
        number += 1
    scripted.finish(item)
    reader.join(30)

    assert over.is_set()
    assert opened >= 50
    assert len(merged) > 60
    assert merged == history(scripted, job)


def test_a_room_read_in_pieces_is_the_stored_history_too(
    workroom_server: ServerProcess, make_scripted_worker: MakeScriptedWorker
) -> None:
    scripted = make_scripted_worker(workroom_server)
    opening = events(scripted.url, "/api/rooms/demo/stream", scripted.token)
    last_id = next(opening).id
    opening.close()
    jobs: list[Document] = []

    def work() -> None:
        for number in range(59):
            jobs.append(submit(scripted))
            item = scripted.take()
            scripted.start(item)
            # too few failures to open the circuit
            scripted.finish(item, "failed" if number % 3 == 1 else "completed")

    worker = threading.Thread(target=work)
    worker.start()
    merged: list[Document] = []
    said: list[int] = []
    chance = random.Random(7)
    while len(said) < 20:
        stream = events(scripted.url, "/api/rooms/demo/stream", scripted.token, last_id)
        for _ in range(chance.randint(1, 9)):
            event = next(stream)
            last_id = event.id or last_id
            merged.extend([event.json()] if event.event == "state" else [])
            said.extend([event.json()["seq"]] if event.event == "chat" else [])
            if len(said) == 20:
                break
        stream.close()
    worker.join()

    stored = [step for job in jobs for step in history(scripted, job)]
    assert merged == stored
    assert said == list(range(1, 21))


def test_a_restart_of_the_server_loses_and_repeats_no_event(
    workroom_server: ServerProcess, make_scripted_worker: MakeScriptedWorker
) -> None:
    scripted = make_scripted_worker(workroom_server)
    job = submit(scripted)
    path = f"/api/jobs/{job['id']}/stream"
    item = scripted.take()
    ear = Listener(scripted.url, path, scripted.token)
    ear.expect("state", status="assigned")

    scripted.drop()
    workroom_server.kill()
    workroom_server.restart()
    eventually(lambda: ear.is_over, what="the end of the stream")
    scripted.reconnect()
    hold = {name: item[name] for name in ("job_id", "attempt", "token")}
    scripted.hello([{**hold, "phase": "queued"}], seen=item["number"])
    scripted.start(item)
    scripted.finish(item)
    rest = list(events(scripted.url, path, scripted.token, ear.heard[-1].id))

    told = [*ear.named("state"), *(event.json() for event in rest if event.event == "state")]
    assert told == history(scripted, job)
    assert rest[-1].event == "end"


def test_sigterm_ends_the_streams_at_once(
    workroom_server: ServerProcess, make_scripted_worker: MakeScriptedWorker
) -> None:
    scripted = make_scripted_worker(workroom_server)
    job = submit(scripted)
    ears = [
        Listener(scripted.url, path, scripted.token)
        for path in ("/api/rooms/demo/stream", f"/api/jobs/{job['id']}/stream")
        for _ in range(5)
    ]
    for ear in ears:
        ear.wait_open()

    assert workroom_server.process.stop() == 0

    eventually(lambda: all(ear.is_over for ear in ears), what="the end of the streams")
    assert "Cancel" not in workroom_server.log
    assert "Traceback" not in workroom_server.log


def _printed(listener: Process) -> list[Document]:
    """The events that the JavaScript listener printed; other lines are its errors."""
    return [json.loads(line) for line in listener.log.read_text().splitlines() if line.startswith("{")]


def test_httpx_sse_and_npm_s_eventsource_receive_the_same(
    workroom_server: ServerProcess, make_scripted_worker: MakeScriptedWorker, tmp_path: Path
) -> None:
    scripted = make_scripted_worker(workroom_server)
    job = submit(scripted)
    path = f"/api/jobs/{job['id']}/stream"
    command = ["node", str(LISTENER), scripted.url + path, scripted.token]
    with closing(Process(command, {}, tmp_path / "node.log")) as node:
        item = scripted.take()
        scripted.start(item)
        report(scripted, item, fraction=0.5, message="half\n\nevent: end")
        scripted.finish(item, "failed", error={"type": "Odd", "message": "a\nb"})
        node.child.wait(30)  # it exits once the server ends the stream for good
    heard = _printed(node)
    told = list(events(scripted.url, path, scripted.token))

    lasting = [each for each in heard if each["name"] != "progress"]
    assert lasting == [
        {"name": each.event, "id": each.id, "data": each.json()} for each in told if each.event != "progress"
    ]
    assert [each["data"] for each in heard if each["name"] == "progress"][-1] == next(
        each.json() for each in told if each.event == "progress"
    )


def test_npm_s_eventsource_goes_on_after_the_server_was_killed(
    workroom_server: ServerProcess, make_scripted_worker: MakeScriptedWorker, tmp_path: Path
) -> None:
    scripted = make_scripted_worker(workroom_server)
    job = submit(scripted)
    item = scripted.take()
    command = ["node", str(LISTENER), f"{scripted.url}/api/jobs/{job['id']}/stream", scripted.token]
    with closing(Process(command, {}, tmp_path / "node.log")) as node:
        eventually(lambda: len(_printed(node)) > 1, what="the first two events")
        scripted.drop()
        workroom_server.kill()
        workroom_server.restart()
        scripted.reconnect()
        hold = {name: item[name] for name in ("job_id", "attempt", "token")}
        scripted.hello([{**hold, "phase": "queued"}], seen=item["number"])
        scripted.start(item)
        scripted.finish(item)
        node.child.wait(30)
    heard = _printed(node)

    assert [each["data"] for each in heard if each["name"] == "state"] == history(scripted, job)
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
async def test_a_thousand_streams_receive_an_event_and_do_not_read_the_store_while_idle(
    tmp_path: Path, count: int
) -> None:
    with serving(tmp_path, max_sockets=2 * count, ping=0.5, sweep=3600, rooms=["demo"]) as (url, services):
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            token = (await client.post("/api/login", json={"name": "ada"})).json()["token"]
            client.headers["Authorization"] = f"Bearer {token}"
            crowd = Crowd()
            try:
                for _ in range(count):
                    await crowd.listen(url, "/api/rooms/demo/stream", token, b"event: chat")
                store: Any = services.directory.store
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
    start_worker(server, "support.extensions.samples:Nap")
    job = open_room(server).submit_named("analysis", "Nap", {"seconds": 6})
    updates: list[Document] = []
    told: list[Any] = []

    def follow() -> None:
        told.extend(job.events())

    follower = threading.Thread(target=follow)
    follower.start()
    for update in job.watch():
        updates.append(update)
        if update["progress"] and server.process.is_alive and len(updates) > 3 and "killed" not in told:
            told.append("killed")
            server.kill()
            server.restart()
    follower.join(30)
    told.remove("killed")

    assert updates[-1]["status"] == "completed"
    assert [event.data for event in told if event.name == "state"] == job.history()
    assert told[-1].name == "end"
    assert [event.name for event in told].count("end") == 1
    assert any(event.name == "progress" for event in told)


def test_ten_thousand_calls_reach_the_page_as_a_few_updates_a_second_and_the_last_always(
    workroom_server: ServerProcess, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    start_worker(workroom_server, "support.extensions.samples:Count")
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
    first = ada.post("shall we begin?")
    second = bob.post("yes")

    assert bob.chat() == [second, first]
    assert ada.chat(limit=1) == [second]
    assert ada.chat(before=second["seq"]) == [first]
    assert (first["user"], first["text"]) == ("ada", "shall we begin?")
