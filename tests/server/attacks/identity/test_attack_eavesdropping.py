"""Hearing what happens in a room without being let in, and finding out which rooms there are."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis import Redis

from support.access_scenario import PASSWORD, AccessScenario, job_token
from support.stream_readers import Listener
from support.users import Document, LoopThread, Person, SocketWorker, extension, the_problem
from workroom.testing.processes import ServerProcess, eventually
from workroom.testing.valkey import Valkey


def fresh() -> str:
    return f"never-{secrets.token_hex(4)}"


LOCK = "a-token-of-sixteen"
ROOM_ROUTES: list[tuple[str, str, Any]] = [
    ("GET", "", None),
    ("PATCH", "", {"title": "mine"}),
    ("DELETE", "", None),
    ("GET", "/members", None),
    ("POST", "/members", {"user": "somebody"}),
    ("DELETE", "/members/somebody", None),
    ("POST", "/invite", {}),
    ("DELETE", "/invite", None),
    ("POST", "/pair", {}),
    ("GET", "/workers", None),
    ("GET", "/extensions", None),
    ("GET", "/extensions/public/analysis/Nap/stats", None),
    ("POST", "/extensions/public/analysis/Nap/pause", None),
    ("GET", "/extensions/analysis/Nap/data", None),
    ("POST", "/extensions/analysis/Nap/submit", {"data": {}}),
    ("POST", "/extensions/settings/Theme/submit", {"data": {}}),
    ("POST", "/jobs/batch", {"jobs": [{"category": "analysis", "name": "Nap"}]}),
    ("POST", "/jobs/retry", None),
    ("GET", "/jobs", None),
    ("GET", "/stream", None),
    ("GET", "/chat", None),
    ("POST", "/chat", {"text": "hello"}),
    ("GET", "/files", None),
    ("POST", "/files?name=a.txt", None),
    ("GET", "/files/any", None),
    ("DELETE", "/files/any", None),
    ("PUT", "/presets/analysis/Nap/mine/wide", {"data": {}}),
    ("PUT", "/presets/analysis/Nap/room/wide", {"data": {}}),
    ("POST", "/locks/frames", {"token": LOCK}),
    ("PUT", "/records/shots/s1", {"body": {}}),
]


@pytest.mark.parametrize(("method", "path", "body"), ROOM_ROUTES)
def test_a_room_that_is_missing_answers_like_one_that_is_hidden(
    scenario: AccessScenario, method: str, path: str, body: Any
) -> None:
    missing, hidden = fresh(), scenario.room

    def answer(room: str) -> tuple[int, str]:
        response = scenario.guest.request(method, f"/api/rooms/{room}{path}", json=body)
        return response.status_code, response.text.replace(room, "…")

    assert answer(missing) == answer(hidden)
    assert answer(missing)[0] == 404
    the_problem(scenario.admin.get(f"/api/rooms/{missing}"), 404, "room_not_found")


@pytest.mark.parametrize(
    ("event", "body"),
    [
        ("room:join", {}),
        ("job:submit", {"category": "analysis", "name": "Nap", "data": {}}),
        ("lock:acquire", {"target": "frames", "token": LOCK}),
        ("lock:refresh", {"target": "frames", "token": LOCK}),
        ("lock:message", {"target": "frames", "token": LOCK, "message": "mine"}),
        ("lock:release", {"target": "frames", "token": LOCK}),
        ("lock:break", {"target": "frames"}),
    ],
)
def test_a_missing_room_answers_like_a_hidden_one_by_socket(
    scenario: AccessScenario, event: str, body: Any
) -> None:
    ear, missing = scenario.guest.listen(), fresh()
    answers = [
        str(ear.call(event, {**body, "room": room})).replace(room, "…") for room in (missing, scenario.room)
    ]

    assert answers[0] == answers[1]
    assert "room_not_found" in answers[0]
    the_problem(scenario.admin.get(f"/api/rooms/{missing}"), 404, "room_not_found")


def test_a_worker_does_not_create_the_room_it_registers_in(scenario: AccessScenario) -> None:
    missing = fresh()
    for worker in (scenario.guest, scenario.owner, scenario.admin, scenario.worker):
        the_problem(worker.register(extension(missing)), 404, "room_not_found")

    the_problem(scenario.guest.register(extension(scenario.room)), 404, "room_not_found")
    the_problem(scenario.admin.get(f"/api/rooms/{missing}"), 404, "room_not_found")


def test_the_one_thing_to_learn_of_a_hidden_room_is_that_its_name_is_taken(scenario: AccessScenario) -> None:
    problem = the_problem(scenario.guest.post("/api/rooms", json={"name": scenario.room}), 409, "name_taken")

    assert scenario.owner.user not in str(problem)


def test_nobody_listens_to_a_room_before_it_exists(scenario: AccessScenario) -> None:
    room = fresh()
    the_problem(scenario.guest.get(f"/api/rooms/{room}/stream"), 404, "room_not_found")
    ear = scenario.guest.listen()
    assert ear.call("room:join", {"room": room})["error"]["code"] == "room_not_found"
    scenario.owner.create_room(room, private=True)
    scenario.owner.post(f"/api/rooms/{room}/chat", json={"text": "among us"})
    scenario.owner.order(room, "Nap")

    ear.flush()
    assert ear.items("chat:message", room=room) == []
    assert ear.items("job:state_changed", room=room) == []


def test_nothing_of_a_private_room_reaches_others(scenario: AccessScenario) -> None:
    """Whatever happens in it. What everybody hears is about public things alone."""
    room = scenario.fresh_room()
    ears = [scenario.guest.listen(), scenario.guest.listen(scenario.open)]
    insider = scenario.viewer.listen(room)
    public = scenario.admin.work(extension(None, f"Shared-{room}"))
    member, path = scenario.member, f"/api/rooms/{room}"
    job = member.order(room, f"Shared-{room}")["id"]
    item = public.take()
    assert public.start(item) is None
    public.ask(item)
    public.progress(item, fraction=0.5)
    public.move(item, 0, b"\0" * 12)
    group = {"jobs": [{"category": "analysis", "name": f"Shared-{room}"}], "title": room}
    steps = [
        member.post(f"{path}/chat", json={"text": "among us"}),
        member.put(f"{path}/state/notes", json={"a": 1}),
        member.put(f"{path}/records/shots/s1", json={"body": {}}),
        member.post(f"{path}/locks/frames", json={"token": LOCK}),
        member.post(f"{path}/files", params={"name": "a.txt"}, content=b"x"),
        member.put(f"{path}/presets/analysis/Shared-{room}/room/wide", json={"data": {}}),
        member.post(f"{path}/groups", json=group),
        member.post(f"/api/jobs/{job}/questions/1/answer", json={"answer": {}}),
        member.request("PATCH", f"/api/jobs/{job}", json={"starred": True}),
        member.post(f"{path}/undo"),
    ]
    assert [each.status_code for each in steps if not each.is_success] == []
    public.finish(item)
    insider.expect("job:state_changed", job_id=job, status="completed")
    for event in (
        *("chat:message", "state:changed", "record:changed", "lock:changed", "files:changed"),
        *("presets:changed", "group:changed", "question:asked", "question:answered", "job:annotated"),
        *("job:positions", "job:state_changed", "presence:changed", "worker:state_changed"),
    ):
        insider.expect(event)
    for ear in ears:
        ear.flush()

    told = [payload for ear in ears for _, payload in ear.heard]
    assert [each for each in told if job in str(each) or f"'{room}'" in str(each)] == []


def own_room(person: Person, task_id: str) -> str:
    return str(person.job(task_id.removeprefix("tq_"))["room"])


def test_a_task_without_a_workflow_run_is_seen_by_nobody_else(scenario: AccessScenario) -> None:
    person = scenario.person("painter")
    task = person.task(None, "painter").json()["task_id"]
    room = own_room(person, task)

    assert person.get(f"/api/rooms/{room}").json()["private"] is True
    assert [each["task_id"] for each in person.items("/api/task")] == [task]
    the_problem(scenario.guest.get(f"/api/task/{task}"), 404, "job_not_found")
    the_problem(scenario.guest.get(f"/api/rooms/{room}"), 404, "room_not_found")


def test_nobody_takes_the_name_of_somebody_else_s_own_room_first(scenario: AccessScenario) -> None:
    known = scenario.person("known")
    room = own_room(known, known.task(None, "painter").json()["task_id"])
    victim = scenario.person("victim")
    prefix, _, digest = room.rpartition("-")
    squatted = [f"{prefix}-{digest[::-1]}", f"own-{digest}", room, room.upper()]

    for name in [*squatted, victim.user]:
        scenario.guest.post("/api/rooms", json={"name": name})
    for name in squatted:
        the_problem(scenario.guest.post("/api/rooms", json={"name": name}), 409, "name_taken")
        the_problem(scenario.guest.task(name.lower(), "painter"), 409, "name_taken")
    task = victim.task(None, "painter").json()["task_id"]
    found = victim.get(f"/api/rooms/{own_room(victim, task)}").json()
    assert (found["owner"], found["private"]) == (victim.user, True)
    the_problem(scenario.guest.get(f"/api/task/{task}"), 404, "job_not_found")


def test_one_s_own_room_cannot_be_deleted_so_tasks_always_have_a_place(scenario: AccessScenario) -> None:
    person = scenario.person("tidy")
    room = own_room(person, person.task(None, "painter").json()["task_id"])

    the_problem(person.delete(f"/api/rooms/{room}"), 422, "invalid_request")
    assert person.task(None, "painter").status_code == 202


def test_a_task_of_a_workflow_run_creates_its_room_and_enters_no_hidden_one(scenario: AccessScenario) -> None:
    run = fresh()
    task = scenario.guest.task(run, "painter").json()["task_id"]

    assert own_room(scenario.guest, task) == run
    the_problem(scenario.guest.task(scenario.room, "painter"), 409, "name_taken")
    the_problem(
        scenario.guest.get("/api/task", params={"workflow_run_id": scenario.room}), 404, "room_not_found"
    )
    the_problem(scenario.guest.get("/api/task", params={"workflow_run_id": fresh()}), 404, "room_not_found")


def put_out(scenario: AccessScenario, room: str, member: Person) -> None:
    assert scenario.owner.delete(f"/api/rooms/{room}/members/{member.user}").status_code == 200


def close_room(scenario: AccessScenario, room: str, member: Person) -> None:
    answer = scenario.owner.request("PATCH", f"/api/rooms/{room}", json={"private": True})
    assert answer.status_code == 200


def delete_room(scenario: AccessScenario, room: str, member: Person) -> None:
    assert scenario.owner.delete(f"/api/rooms/{room}").status_code == 200


ENDINGS: list[tuple[Callable[[AccessScenario, str, Person], None], bool]] = [
    (put_out, True),
    (close_room, False),
    (delete_room, True),
]


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


def stream(person: Person, path: str) -> Listener:
    return Listener(person.url, path, person.token)


@pytest.mark.parametrize(("end", "private"), ENDINGS, ids=lambda each: getattr(each, "__name__", str(each)))
def test_everything_open_ends_when_access_to_a_room_ends(
    scenario: AccessScenario,
    pool: ThreadPoolExecutor,
    end: Callable[[AccessScenario, str, Person], None],
    private: bool,
) -> None:
    room, person = scenario.fresh_room(private=private), scenario.person("curious")
    if private:
        scenario.owner.post(f"/api/rooms/{room}/members", json={"user": person.user})
    job = scenario.owner.order(room, "Nap")
    task = scenario.owner.task(room, "painter").json()["task_id"]
    paths = [f"/api/rooms/{room}/stream", f"/api/jobs/{job['id']}/stream", f"/api/task/{task}/stream"]
    streams = [stream(person, path) for path in paths]
    for each in streams:
        each.wait_open()
    ear = person.listen(room, scenario.open)
    assert ear.call("job:watch", {"job_id": job["id"]})["status"] == "pending"
    waiting = person.listen()
    waited = pool.submit(waiting.call, "job:wait", {"job_id": job["id"], "seconds": 60})
    end(scenario, room, person)

    for each in streams:
        each.wait_over()
    last = [each.heard[-1].event for each in streams]
    assert last == ["closed"] * 3 or end is delete_room  # which ends the jobs, and their streams tell of it
    assert streams[0].named("closed")[0]["reason"]
    ear.expect("subscription:ended", room=room)
    ear.expect("subscription:ended", job_id=job["id"])
    assert waited.result(20)["error"]["code"] == "job_not_found"
    assert ear.is_connected
    assert waiting.is_connected
    scenario.owner.post(f"/api/rooms/{scenario.open}/chat", json={"text": "still here"})
    ear.expect("chat:message", room=scenario.open)


def test_disabling_a_user_ends_their_streams_and_waits(
    scenario: AccessScenario, pool: ThreadPoolExecutor
) -> None:
    name = f"user-{secrets.token_hex(4)}"
    scenario.admin.post("/api/users", json={"name": name, "password": PASSWORD})
    user = scenario.login(name, PASSWORD)
    heard, ear = stream(user, f"/api/rooms/{scenario.open}/stream"), user.listen(scenario.open)
    heard.expect("open")
    waited = pool.submit(user.submit, scenario.open, "Nap", params={"wait": 60})
    eventually(lambda: scenario.admin.items("/api/jobs", user=name), what="the job that is waited for")
    scenario.admin.request("PATCH", f"/api/users/{name}", json={"disabled": True}).raise_for_status()

    eventually(lambda: heard.is_over and not ear.is_connected, what="the stream and the socket being over")
    assert heard.heard[-1].event == "closed"
    the_problem(waited.result(20), 401, "unauthenticated")


def test_another_role_ends_what_was_opened_with_the_one_before(scenario: AccessScenario) -> None:
    name = f"user-{secrets.token_hex(4)}"
    scenario.admin.post("/api/users", json={"name": name, "password": PASSWORD, "role": "admin"})
    admin = scenario.login(name, PASSWORD)
    heard, ear = stream(admin, f"/api/rooms/{scenario.room}/stream"), admin.listen(scenario.room)
    heard.expect("open")
    scenario.admin.request("PATCH", f"/api/users/{name}", json={"role": "user"}).raise_for_status()

    eventually(lambda: heard.is_over and not ear.is_connected, what="the stream and the socket being over")


def running(scenario: AccessScenario, person: Person, **policy: Any) -> tuple[str, SocketWorker, Document]:
    """A room, a worker of the owner's, and what it runs for somebody."""
    room = scenario.fresh_room()
    scenario.owner.post(f"/api/rooms/{room}/members", json={"user": person.user})
    hand = scenario.owner.work(extension(room, "Hand", policy=policy))
    person.order(room, "Hand")
    item = hand.take()
    assert hand.start(item) is None
    return room, hand, item


@pytest.mark.parametrize("status", ["completed", "failed"])
def test_what_a_job_s_token_opened_ends_with_the_attempt(
    scenario: AccessScenario, pool: ThreadPoolExecutor, status: str
) -> None:
    """Also of an attempt that failed and is tried again: the job is not over then."""
    room, hand, item = running(scenario, scenario.member, retries=3, retry_on="error")
    other, spy, token = scenario.owner.order(room, "Nap"), scenario.person("spy"), job_token(item)
    mine, theirs = spy.listen(), scenario.bearer("job", token)
    assert mine.call("job:watch", {"job_id": other["id"], "token": token})["status"] == "pending"
    assert mine.call("job:watch", {"job_id": other["id"]})["error"]["code"] == "job_not_found"
    body = {"job_id": other["id"], "seconds": 60, "token": token}
    waited = pool.submit(spy.listen().call, "job:wait", body)
    ear, heard = theirs.listen(room), Listener(spy.url, f"/api/rooms/{room}/stream", token)
    heard.expect("open")
    error = {"type": "ValueError", "message": "odd", "details": {}, "stack_trace": ""}
    assert hand.finish(item, status, **({"error": error} if status == "failed" else {})) is None

    mine.expect("subscription:ended", job_id=other["id"])
    eventually(lambda: heard.is_over and not ear.is_connected, what="the stream and the socket being over")
    assert waited.result(20)["error"]["code"] == "unauthenticated"
    scenario.owner.delete(f"/api/jobs/{other['id']}")
    mine.flush()
    assert mine.items("job:state_changed", job_id=other["id"], status="cancelled") == []


def test_a_watch_of_one_attempt_does_not_end_with_another(scenario: AccessScenario) -> None:
    room, hand, item = running(scenario, scenario.member)
    other = scenario.owner.order(room, "Nap")
    scenario.member.order(room, "Hand")
    mine = scenario.member.listen()
    assert "status" in mine.call("job:watch", {"job_id": other["id"], "token": job_token(item)})
    assert "status" in mine.call("job:watch", {"job_id": other["id"]})
    assert hand.finish(item) is None
    mine.expect("subscription:ended", job_id=other["id"])
    scenario.owner.delete(f"/api/jobs/{other['id']}")

    mine.expect("job:state_changed", job_id=other["id"], status="cancelled")


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    server = Valkey(tmp_path_factory.mktemp("valkey"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def replicas(
    valkey: Valkey, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ServerProcess, ServerProcess]]:
    folder: Path = tmp_path_factory.mktemp("replicas")
    with ExitStack() as stack:
        shared = {"store": valkey.url, "signing_key": "a key that both have", "rooms": "open"}
        here, there = (stack.enter_context(ServerProcess(folder / name, **shared)) for name in "ab")
        yield here, there


@pytest.mark.parametrize("is_lost", [False, True], ids=["told", "not told"])
@pytest.mark.parametrize("how", ["put out", "closed", "deleted"])
def test_removing_a_member_at_one_server_ends_their_streams_at_another(
    replicas: tuple[ServerProcess, ServerProcess],
    valkey: Valkey,
    loop_thread: LoopThread,
    how: str,
    is_lost: bool,
) -> None:
    """Also if the message between the servers is lost, because Valkey has cut the connection."""
    here, there = replicas
    with ExitStack() as stack:
        owner = Person(loop_thread, here.url, "olga")
        guest = Person(loop_thread, there.url, f"guest-{secrets.token_hex(4)}")
        stack.callback(owner.close)
        stack.callback(guest.close)
        room = owner.create_room(fresh(), private=how == "put out")
        if how == "put out":
            owner.post(f"/api/rooms/{room}/members", json={"user": guest.user})
        heard, ear = stream(guest, f"/api/rooms/{room}/stream"), guest.listen(room, "open")
        heard.expect("open")
        if is_lost:
            with Redis.from_url(valkey.url) as client:
                client.client_kill_filter(_type="pubsub")
        change(owner, guest, room, how)

        eventually(lambda: heard.is_over, what="the stream being over")
        ear.expect("subscription:ended", room=room)
        eventually(lambda: guest.get(f"/api/rooms/{room}").status_code == 404, what="the room being hidden")
        owner.post("/api/rooms/open/chat", json={"text": room})
        ear.expect("chat:message", text=room)


def change(owner: Person, guest: Person, room: str, how: str) -> None:
    path = f"/api/rooms/{room}"
    answers: dict[str, Callable[[], httpx.Response]] = {
        "put out": lambda: owner.delete(f"{path}/members/{guest.user}"),
        "closed": lambda: owner.request("PATCH", path, json={"private": True}),
        "deleted": lambda: owner.delete(path),
    }
    answers[how]().raise_for_status()


def test_chat_of_a_room_made_private_is_not_received_at_another_server(
    replicas: tuple[ServerProcess, ServerProcess], loop_thread: LoopThread
) -> None:
    here, there = replicas
    with ExitStack() as stack:
        owner, guest = Person(loop_thread, here.url, "olga"), Person(loop_thread, there.url, "eve")
        stack.callback(owner.close)
        stack.callback(guest.close)
        for _ in range(10):
            room = owner.create_room(fresh())
            heard, ear = stream(guest, f"/api/rooms/{room}/stream"), guest.listen(room)
            heard.expect("open")
            owner.request("PATCH", f"/api/rooms/{room}", json={"private": True})
            owner.post(f"/api/rooms/{room}/chat", json={"text": "among us"})

            heard.wait_over()
            ear.expect("subscription:ended", room=room)
            ear.flush()
            assert heard.named("chat") == ear.items("chat:message") == []


def uploaded(person: Person, path: str, meanwhile: Callable[[], object]) -> httpx.Response:
    """The answer to an upload during which something happens."""

    def pieces() -> Iterator[bytes]:
        yield b"x" * 100_000
        meanwhile()
        yield b"x"

    return person.request("POST", path, params={"name": "late.txt"}, content=pieces())


@pytest.mark.parametrize(("end", "private"), ENDINGS, ids=lambda each: getattr(each, "__name__", str(each)))
def test_an_upload_that_began_before_its_sender_was_put_out_does_not_land(
    scenario: AccessScenario, end: Callable[[AccessScenario, str, Person], None], private: bool
) -> None:
    room, person = scenario.fresh_room(private=private), scenario.person("sender")
    if private:
        scenario.owner.post(f"/api/rooms/{room}/members", json={"user": person.user})
    answer = uploaded(person, f"/api/rooms/{room}/files", lambda: end(scenario, room, person))

    the_problem(answer, 404, "room_not_found")
    if end is not delete_room:
        assert scenario.owner.items(f"/api/rooms/{room}/files") == []


def test_an_upload_that_began_before_its_sender_was_disabled_does_not_land(scenario: AccessScenario) -> None:
    name = f"user-{secrets.token_hex(4)}"
    scenario.admin.post("/api/users", json={"name": name, "password": PASSWORD})
    user, room = scenario.login(name, PASSWORD), scenario.fresh_room(private=False)

    def disable() -> None:
        scenario.admin.request("PATCH", f"/api/users/{name}", json={"disabled": True}).raise_for_status()

    the_problem(uploaded(user, f"/api/rooms/{room}/files", disable), 404, "room_not_found")
    assert scenario.owner.items(f"/api/rooms/{room}/files") == []


def test_an_upload_of_a_job_whose_attempt_ended_meanwhile_does_not_land(scenario: AccessScenario) -> None:
    room, hand, item = running(scenario, scenario.member)
    job = scenario.bearer("job", job_token(item))
    answer = uploaded(job, f"/api/rooms/{room}/files", lambda: hand.finish(item))

    the_problem(answer, 409, "stale_attempt")
    assert scenario.owner.items(f"/api/rooms/{room}/files") == []
