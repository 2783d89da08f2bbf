"""Streams: what they tell, to whom, and for how long."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator

import httpx
import psutil
import pytest

from support.stream_readers import Listener, events, stalled_reader
from support.users import Document, LoopThread, Meet, Person, SocketWorker, extension, the_problem
from workroom.testing.processes import ServerProcess, eventually

LIFE = ["pending", "assigned", "running", "completed"]
Listen = Callable[..., Listener]


@pytest.fixture
def listen() -> Listen:
    def listen(person: Person, path: str, last_id: str = "", **params: object) -> Listener:
        return Listener(person.url, path, person.token, last_id, **params)

    return listen


def job_stream(job: Document) -> str:
    return f"/api/jobs/{job['id']}/stream"


def room_stream(room: str) -> str:
    return f"/api/rooms/{room}/stream"


def history(person: Person, job: Document) -> list[Document]:
    return person.items(f"/api/jobs/{job['id']}/history")


def ended(person: Person, room: str) -> tuple[Document, SocketWorker]:
    worker = person.work(extension(room))
    job = person.order(room)
    worker.run(worker.take())
    return job, worker


def test_a_stream_has_a_job_from_its_beginning_to_its_end(ada: Person, room: str, listen: Listen) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    ear = listen(ada, job_stream(job))
    item = worker.take()
    worker.start(item)
    worker.progress(item, fraction=0.5, message="half")
    ear.expect("progress")
    worker.finish(item, result=1)

    assert ear.expect("end") == {"job_id": job["id"], "status": "completed"}
    eventually(lambda: ear.is_over, what="the end of the stream")
    assert ear.named("state") == history(ada, job)
    assert ear.named("progress")[-1]["progress"]["message"] == "half"


def test_previews_reach_current_and_later_readers(ada: Person, room: str, listen: Listen) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    ear = listen(ada, job_stream(job))
    item = worker.take()
    worker.start(item)
    for version in (1, 2):
        assert worker.show(item, "png", b"pixels").json()["version"] == version
    worker.finish(item)

    ear.expect("end")
    last = {"job_id": job["id"], "kind": "png", "version": 2}
    assert ear.named("preview")[-1] == last
    later = [event for event in events(ada.url, job_stream(job), ada.token) if event.event == "preview"]
    assert [event.json() for event in later] == [last]


def test_artifacts_reach_current_and_later_readers(ada: Person, room: str, listen: Listen) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    ear = listen(ada, job_stream(job))
    item = worker.take()
    worker.start(item)
    worker.save(item, "first.txt", b"1")
    ear.expect("artifact", name="first.txt")
    for name in ("b.txt", "a.txt"):
        worker.save(item, name, b"2")
    worker.finish(item)

    ear.expect("end")
    last = {"job_id": job["id"], "name": "a.txt"}
    assert ear.named("artifact")[-1] == last
    later = [event for event in events(ada.url, job_stream(job), ada.token) if event.event == "artifact"]
    assert [event.json() for event in later] == [last]


def test_changes_of_files_are_published_in_their_room(
    ada: Person, bob: Person, room: str, listen: Listen
) -> None:
    ada.create_room(f"{room}-2")
    here, there = listen(bob, room_stream(room)), listen(bob, room_stream(f"{room}-2"))
    here.expect("open")
    there.expect("open")
    brought = ada.post(f"/api/rooms/{room}/files?name=a.txt", content=b"a").json()
    here.expect("files", room=room)
    ada.delete(f"/api/rooms/{room}/files/{brought['id']}")

    eventually(lambda: len(here.named("files")) == 2, what="both")
    assert there.named("files") == []


def test_the_stream_of_an_ended_job_has_its_history(ada: Person, room: str) -> None:
    job, _ = ended(ada, room)

    told = list(events(ada.url, job_stream(job), ada.token))

    assert [event.event for event in told] == ["state"] * 4 + ["end"]
    assert [event.json() for event in told[:4]] == history(ada, job)


def test_resuming_a_stream_sends_missed_events_once(ada: Person, room: str) -> None:
    job, _ = ended(ada, room)
    told = list(events(ada.url, job_stream(job), ada.token))

    for number, event in enumerate(told[:-1], 1):
        again = list(events(ada.url, job_stream(job), ada.token, event.id))
        assert [(each.event, each.id) for each in again] == [(each.event, each.id) for each in told[number:]]


def test_resuming_after_the_end_stops_the_client(ada: Person, room: str) -> None:
    job, _ = ended(ada, room)
    *_, last = events(ada.url, job_stream(job), ada.token)

    response = ada.get(job_stream(job), headers={"Last-Event-ID": last.id})

    assert (last.event, response.status_code, response.content) == ("end", 204, b"")


@pytest.mark.parametrize("last_id", ["", "00ff.1.0-0", "nonsense", "1.2.3", "{epoch}.999999999999.0-0"])
def test_an_id_that_this_store_does_not_know_is_answered_by_a_reset_and_everything(
    ada: Person, room: str, last_id: str
) -> None:
    job, _ = ended(ada, room)
    told = list(events(ada.url, job_stream(job), ada.token))
    last_id = last_id.replace("{epoch}", told[0].id.split(".")[0])

    again = list(events(ada.url, job_stream(job), ada.token, last_id))

    assert [event.event for event in again] == (["reset"] if last_id else []) + ["state"] * 4 + ["end"]


def test_the_id_may_come_in_the_address_too(ada: Person, room: str) -> None:
    job, _ = ended(ada, room)
    told = list(events(ada.url, job_stream(job), ada.token))

    again = list(events(ada.url, job_stream(job), ada.token, last_event_id=told[2].id))

    assert [event.id for event in again] == [event.id for event in told[3:]]


def test_a_room_stream_has_its_jobs_its_people_and_its_workers(
    ada: Person, bob: Person, room: str, listen: Listen
) -> None:
    ada.create_room(f"{room}-b")
    ear, elsewhere = listen(bob, room_stream(room)), listen(bob, room_stream(f"{room}-b"))
    ear.expect("open", room=room)
    elsewhere.expect("open")
    worker = ada.work(extension(room))
    job = ada.order(room)
    item = worker.take()
    worker.start(item)
    worker.progress(item, fraction=0.5)
    ear.expect("progress", job_id=job["id"])
    worker.finish(item, "failed", error={"type": "Odd", "message": "no\nluck"})
    said = ada.post(f"/api/rooms/{room}/chat", json={"text": "what a pity"}).json()

    assert ear.expect("chat", text="what a pity") == said
    assert ear.expect("chat", job_id=job["id"])["text"] == f"job {job['id']} failed: Odd: no luck"
    assert ear.named("state") == history(ada, job)
    assert ear.expect("extensions")["category"] == "analysis"
    assert ear.expect("worker", worker=worker.id)
    bob.post(f"/api/rooms/{room}-b/chat", json={"text": "quiet here"})
    elsewhere.expect("chat", text="quiet here")
    assert elsewhere.named("state") == []
    assert len(elsewhere.named("chat")) == 1


def test_resuming_a_room_stream_sends_missed_events(ada: Person, room: str, listen: Listen) -> None:
    ear = listen(ada, room_stream(room))
    ear.expect("open")
    opened = ear.heard[0].id
    worker = ada.work(extension(room))
    jobs = [ada.order(room) for _ in range(3)]
    for _ in jobs:
        worker.run(worker.take())
    ada.post(f"/api/rooms/{room}/chat", json={"text": "done"})
    ear.expect("chat", text="done")

    again = listen(ada, room_stream(room), opened)
    again.expect("chat", text="done")
    half = [event.id for event in ear.heard if event.event == "state"][5]
    later = listen(ada, room_stream(room), half)
    later.expect("chat", text="done")

    assert again.named("state") == ear.named("state")
    assert sorted(map(json.dumps, again.named("state"))) == sorted(
        json.dumps(step) for job in jobs for step in history(ada, job)
    )
    assert later.named("state") == ear.named("state")[6:]
    assert again.named("open") == []


def test_a_room_that_cannot_go_on_from_an_id_begins_anew(ada: Person, room: str, listen: Listen) -> None:
    ended(ada, room)
    ear = listen(ada, room_stream(room), "00ff.1.1")
    ear.expect("reset")
    ada.post(f"/api/rooms/{room}/chat", json={"text": "hello"})
    ear.expect("chat")

    assert ear.named("state") == []


def test_progress_comes_as_a_few_updates_and_the_last_always(ada: Person, room: str, listen: Listen) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    ear = listen(ada, job_stream(job))
    item = worker.take()
    worker.start(item)
    began = time.monotonic()
    for number in range(300):
        worker.progress(item, current=number)
    took = time.monotonic() - began
    worker.finish(item)
    ear.expect("end")

    told = [each["progress"]["current"] for each in ear.named("progress")]
    assert told == sorted(told)
    assert told[-1] == 299
    assert len(told) <= 4 * took + 3


@pytest.mark.parametrize(
    "line", ["a\nid: 1\n\nevent: end\ndata: {}\n\n", "a\r\n\r\nevent: end\r\rdata: 1\r\r"]
)
def test_no_text_can_pass_for_an_event(ada: Person, room: str, listen: Listen, line: str) -> None:
    ear = listen(ada, room_stream(room))
    ear.expect("open")
    worker = ada.work(extension(room))
    job = ada.order(room)
    alone = listen(ada, job_stream(job))
    item = worker.take()
    worker.start(item)
    worker.progress(item, message=line)
    ada.post(f"/api/rooms/{room}/chat", json={"text": line})
    alone.expect("progress")
    worker.finish(item, "failed", error={"type": line, "message": line})
    alone.expect("end")
    ear.expect("chat", job_id=job["id"])

    assert [event.event for event in alone.heard if event.event == "end"] == ["end"]
    assert alone.named("progress")[-1]["progress"]["message"] == line
    assert alone.named("state") == history(ada, job)
    assert ear.named("end") == []
    assert ear.expect("chat", job_id=None)["text"] == line


def test_a_ticket_opens_one_stream(ada: Person, anyone: httpx.Client, room: str) -> None:
    job, _ = ended(ada, room)
    ticket = ada.post("/api/stream-ticket").json()["ticket"]

    first = anyone.get(job_stream(job), params={"ticket": ticket})
    second = anyone.get(job_stream(job), params={"ticket": ticket})

    assert first.status_code == 200
    assert "event: end" in first.text
    the_problem(second, 401, "unauthenticated")


def test_the_cookie_of_a_page_opens_a_stream(ada: Person, anyone: httpx.Client, room: str) -> None:
    job, _ = ended(ada, room)
    login = anyone.post("/api/login", json={"name": "page", "cookie": True})
    cookie = login.headers["set-cookie"].split(";")[0]
    anyone.cookies.clear()

    assert anyone.get(job_stream(job), headers={"Cookie": cookie}).status_code == 200
    the_problem(anyone.get(job_stream(job)), 401, "unauthenticated")


def test_a_stranger_gets_404(ada: Person, bob: Person, room: str) -> None:
    ada.request("PATCH", f"/api/rooms/{room}", json={"private": True})
    job, _ = ended(ada, room)

    the_problem(bob.get(job_stream(job)), 404, "job_not_found")
    the_problem(bob.get(room_stream(room)), 404, "room_not_found")
    the_problem(bob.get(f"/api/rooms/{room}/chat"), 404, "room_not_found")
    the_problem(bob.post(f"/api/rooms/{room}/chat", json={"text": "hi"}), 404, "room_not_found")
    the_problem(bob.get("/api/jobs/nothing/stream"), 404, "job_not_found")


def test_a_revoked_token_ends_its_streams_and_no_others(
    ada: Person, bob: Person, room: str, listen: Listen
) -> None:
    ada.register(extension(room))
    job = ada.order(room)
    cut = [listen(ada, room_stream(room)), listen(ada, job_stream(job))]
    stays = listen(bob, room_stream(room))
    cut[0].expect("open")
    cut[1].expect("state")
    stays.expect("open")

    ada.post("/api/token/revoke", json={})

    eventually(lambda: all(ear.is_over for ear in cut), what="the streams being cut")
    bob.post(f"/api/rooms/{room}/chat", json={"text": "still here"})
    stays.expect("chat", text="still here")
    assert not stays.is_over


def test_removing_a_member_ends_their_streams(ada: Person, bob: Person, room: str, listen: Listen) -> None:
    ada.request("PATCH", f"/api/rooms/{room}", json={"private": True})
    ada.post(f"/api/rooms/{room}/members", json={"user": bob.user})
    ear, own = listen(bob, room_stream(room)), listen(ada, room_stream(room))
    ear.expect("open")
    own.expect("open")

    ada.delete(f"/api/rooms/{room}/members/{bob.user}")

    eventually(lambda: ear.is_over, what="the stream being cut")
    ada.post(f"/api/rooms/{room}/chat", json={"text": "alone"})
    own.expect("chat", text="alone")
    assert ear.named("chat") == []


def test_a_job_token_streams_the_room_until_the_job_ends(ada: Person, room: str, listen: Listen) -> None:
    worker = ada.work(extension(room))
    ada.order(room)
    item = worker.take()
    worker.start(item)
    token = f"job.{item['job_id']}.{item['attempt']}.{item['token']}"
    ear = Listener(ada.url, room_stream(room), token)
    ear.expect("open")

    worker.finish(item)

    eventually(lambda: ear.is_over, what="the stream ending with the job")


def test_one_user_has_so_many_streams_and_a_closed_one_counts_no_more(
    loop_thread: LoopThread, tmp_path_factory: pytest.TempPathFactory, listen: Listen
) -> None:
    with ServerProcess(tmp_path_factory.mktemp("few"), max_sockets=2, rooms="r") as server:
        eve = Person(loop_thread, server.url, "eve")
        held = [events(server.url, room_stream("r"), eve.token) for _ in range(2)]
        assert [next(each).event for each in held] == ["open", "open"]
        the_problem(eve.get(room_stream("r")), 429, "too_many_requests")

        held.pop().close()

        def opens() -> bool:
            with eve.stream("GET", room_stream("r")) as response:
                return response.status_code == 200

        eventually(opens, what="a stream for the one that was closed")
        held.pop().close()
        eve.close()


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that pings often and has little patience."""
    with ServerProcess(
        tmp_path_factory.mktemp("strict"), ping=0.2, stall=1, max_sockets=100, rooms="quiet,busy"
    ) as server:
        yield server


def test_a_silent_stream_sends_pings(loop_thread: LoopThread, strict: ServerProcess) -> None:
    eve = Person(loop_thread, strict.url, "eve")
    with eve.stream("GET", room_stream("quiet")) as response:
        lines = response.iter_lines()
        while next(lines) != ": ping":
            pass
    eve.close()


def test_a_stalled_reader_is_disconnected_while_others_receive_all(
    loop_thread: LoopThread, strict: ServerProcess
) -> None:
    eve = Person(loop_thread, strict.url, "eve")
    path = room_stream("busy")
    ear = Listener(strict.url, path, eve.token)
    ear.expect("open")
    said = 0

    def growth(messages: int) -> int:
        """Of the server's memory while so much is said; what is said is kept, so there is some."""
        nonlocal said
        before = process.memory_info().rss
        for _ in range(messages):
            eve.post("/api/rooms/busy/chat", json={"text": "x" * 4000})
        said += messages
        eventually(lambda: len(ear.named("chat")) == said, what="all that was said")
        return process.memory_info().rss - before

    process = psutil.Process(strict.process.pid)
    growth(300)
    usual = growth(600)
    with stalled_reader(strict.url, path, eve.token) as reader:
        grown = growth(600)
        while not reader.is_closed:
            growth(20)
            assert said < 20_000, "the reader was never cut"

    assert grown < usual + 1_000_000, f"{grown:,} bytes, not {usual:,}"
    numbers = [each["seq"] for each in ear.named("chat")]
    assert numbers == sorted(set(numbers))
    assert not ear.is_over
    eve.close()


def test_chat_is_read_newest_first_in_pages(ada: Person, bob: Person, room: str) -> None:
    for number in range(5):
        (ada, bob)[number % 2].post(f"/api/rooms/{room}/chat", json={"text": f"number {number}"})

    first = bob.get(f"/api/rooms/{room}/chat", params={"limit": 3}).json()
    rest = bob.get(f"/api/rooms/{room}/chat", params={"limit": 3, "cursor": first["next_cursor"]}).json()

    texts = [each["text"] for each in first["items"] + rest["items"]]
    assert texts == [f"number {number}" for number in (4, 3, 2, 1, 0)]
    assert rest["next_cursor"] is None
    assert {each["user"] for each in first["items"]} == {ada.user, bob.user}


@pytest.mark.parametrize("text", ["", "x" * 4001, None, 1])
def test_what_is_no_message_is_refused(ada: Person, room: str, text: object) -> None:
    the_problem(ada.post(f"/api/rooms/{room}/chat", json={"text": text}), 422, "invalid_request")
    assert ada.items(f"/api/rooms/{room}/chat") == []


def test_a_message_is_received_by_socket_too(ada: Person, bob: Person, meet: Meet, room: str) -> None:
    ear = bob.listen(room)
    said = ada.post(f"/api/rooms/{room}/chat", json={"text": "x" * 4000}).json()

    assert ear.expect("chat:message") == said
