"""Strangers' workers: who may serve beside whom, who can send a worker away, and what it may know."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.access_scenario import PASSWORD, Bearer
from support.extensions.samples import Echo
from support.users import Document, LoopThread, Meet, Person, SocketWorker, extension, fence, the_problem
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, WorkerProcess, eventually
from workroom.testing.valkey import Valkey

Visit = Callable[..., Person]
KEY = "a signing key of the server's own"


@pytest.fixture
def visit(loop_thread: LoopThread) -> Iterator[Visit]:
    """Log in at any server."""
    with ExitStack() as stack:

        def visit(server: ServerProcess, user: str = "ada", password: str | None = None) -> Person:
            person = Person(loop_thread, server.url, user, password)
            stack.callback(person.close)
            return person

        yield visit


def test_a_guest_s_worker_has_at_most_so_many_slots_and_the_refusal_names_the_limit(
    ada: Person, root: Person, room: str
) -> None:
    assert ada.register(extension(room), slots=64).status_code == 201
    problem = the_problem(ada.register(extension(room), slots=65), 422, "invalid_request")
    assert problem["limit"] == 64
    assert "64 slots" in problem["detail"]

    assert root.register(extension(root.create_room(f"{room}-admin")), slots=1000).status_code == 201
    problem = the_problem(root.register(extension(room), slots=1001), 422, "invalid_request")
    assert problem["limit"] == 1000


def test_a_drained_worker_drains_on_when_it_was_lost_and_after_a_restart(
    tmp_path: Path, visit: Visit
) -> None:
    with ServerProcess(tmp_path, sweep=0.05, grace=0.1) as server:
        ada = visit(server)
        ada.create_room("lab")
        worker = ada.work(extension("lab"))
        assert ada.post(f"/api/workers/{worker.id}/drain").json()["draining"]

        worker.close()
        gone = f"/api/workers/{worker.id}"
        eventually(lambda: ada.get(gone).json()["state"] == "offline")
        assert ada.register(extension("lab"), worker_id=worker.id).status_code == 200
        again = ada.speak_for(worker.id)
        ada.order("lab")
        assert again.holds_nothing_new()

        server.restart()
        assert ada.register(extension("lab"), worker_id=worker.id).status_code == 200
        back = ada.speak_for(worker.id)
        assert ada.get(gone).json()["draining"]
        assert back.holds_nothing_new()
        ada.post(f"/api/workers/{worker.id}/drain", params={"draining": False})
        assert back.take()["room"] == "lab"


def test_the_server_s_own_workers_inherit_none_of_its_secrets(tmp_path: Path, visit: Visit) -> None:
    settings = {"workers": 1, "signing_key": KEY, "broker": "redis://:hunter2@127.0.0.1:1/0"}
    os.environ["ELSEWHERE"] = KEY
    os.environ["OWN_KEY"] = "of the extension"
    try:
        with ServerProcess(tmp_path, "support.extensions.samples:Environment", **settings) as server:
            ada = visit(server)
            ada.create_room("lab")
            job = ada.post(
                "/api/rooms/lab/extensions/analysis/Environment/submit?wait=20", json={"data": {}}
            ).json()
    finally:
        del os.environ["ELSEWHERE"], os.environ["OWN_KEY"]

    found = job["result"]
    ours = {name for name in found if name.startswith("WORKROOM_")}
    assert ours == {"WORKROOM_URL", "WORKROOM_TOKEN", "WORKROOM_WORKER_NAME"}
    assert not {KEY, ADMIN_PASSWORD} & set(found.values())
    assert "hunter2" not in str(found)
    assert found["OWN_KEY"] == "of the extension"


@pytest.fixture
def lab(ada: Person, room: str) -> str:
    """An open room of ada's, with a worker of hers."""
    ada.work(extension(room))
    return room


@pytest.fixture
def mallory(meet: Meet) -> Person:
    return meet("mallory")


def asked(room: str, owner: str | None, name: str = "Echo") -> Document:
    return {"scope": "room", "room": room, "category": "analysis", "name": name, "owner": owner}


def worker_of(person: Person, worker: SocketWorker) -> Document:
    document: Document = person.get(f"/api/workers/{worker.id}").json()
    return document


def accept(person: Person, worker: SocketWorker, **body: object) -> int:
    return person.post(f"/api/workers/{worker.id}/accept", json=body).status_code


def test_a_stranger_s_worker_receives_nobody_s_jobs_before_it_is_accepted(
    ada: Person, mallory: Person, lab: str
) -> None:
    answer = mallory.register(extension(lab), slots=64)
    assert answer.status_code == 201
    assert answer.json()["awaiting_consent"] == [asked(lab, ada.user)]
    thief = mallory.speak_for(answer.json()["worker_id"])
    jobs = [ada.order(lab, data={"secret": number}) for number in range(5)]

    assert thief.holds_nothing_new()
    assert worker_of(mallory, thief)["awaiting_consent"] == [asked(lab, ada.user)]
    assert worker_of(mallory, thief)["extensions"] == []
    assert {ada.job(job["id"])["status"] for job in jobs} <= {"pending", "assigned"}


def test_a_waiting_worker_gets_jobs_when_it_is_accepted_without_reconnecting(
    ada: Person, bob: Person, lab: str
) -> None:
    ear = ada.listen(lab)
    waiting = bob.work(extension(lab))
    ear.expect("worker:state_changed", worker=waiting.id, state="idle")
    listed = {each["id"]: each for each in ada.items(f"/api/rooms/{lab}/workers")}
    assert listed[waiting.id]["awaiting_consent"] == [asked(lab, ada.user)]
    jobs = [ada.order(lab), ada.order(lab)]

    assert accept(ada, waiting) == 200

    assert waiting.take()["job_id"] == jobs[1]["id"]
    assert waiting.expect("worker:accepted") == {
        **{"room": lab, "category": "analysis", "name": "Echo"},
        "by": ada.user,
    }
    shown = worker_of(ada, waiting)
    assert (len(shown["extensions"]), shown["awaiting_consent"]) == (1, [])
    again = bob.work(extension(lab))
    assert worker_of(bob, again)["awaiting_consent"] == []


def test_a_stranger_cannot_accept_their_own_worker_nor_another_stranger_s(
    bob: Person, mallory: Person, lab: str
) -> None:
    waiting = mallory.work(extension(lab))
    for person in (mallory, bob):
        answer = person.post(f"/api/workers/{waiting.id}/accept", json={})
        the_problem(answer, 403, "forbidden")
        the_problem(person.post(f"/api/workers/{waiting.id}/refuse", json={}), 403, "forbidden")


def test_the_first_offerer_the_room_s_owner_and_an_admin_may_accept(
    ada: Person, bob: Person, root: Person, meet: Meet, room: str
) -> None:
    bob.work(extension(room))
    for accepter in (ada, bob, root):
        waiting = meet("eve").work(extension(room))
        assert accept(accepter, waiting, room=room, category="analysis", name="Echo") == 200
        assert worker_of(ada, waiting)["awaiting_consent"] == []


def test_a_second_worker_of_the_same_user_needs_no_consent_nor_does_the_room_s_owner_or_an_admin(
    ada: Person, bob: Person, root: Person, room: str
) -> None:
    for person in (bob, bob, ada, root):
        assert person.register(extension(room)).json()["awaiting_consent"] == []


def test_a_stranger_s_worker_waits_also_while_the_first_is_away_and_jobs_wait(
    ada: Person, mallory: Person, room: str
) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    worker.take()
    ada.post(f"/api/workers/{worker.id}/shutdown")

    thief = mallory.work(extension(room))

    assert thief.holds_nothing_new()
    assert ada.job(job["id"])["status"] == "pending"
    assert worker_of(mallory, thief)["awaiting_consent"] == [asked(room, ada.user)]


def test_a_room_set_to_anyone_takes_anyone_s_workers(
    ada: Person, bob: Person, mallory: Person, lab: str
) -> None:
    waiting = bob.work(extension(lab))
    the_problem(mallory.request("PATCH", f"/api/rooms/{lab}", json={"workers": "anyone"}), 403, "forbidden")
    assert ada.get(f"/api/rooms/{lab}").json()["workers"] == "consent"

    changed = ada.request("PATCH", f"/api/rooms/{lab}", json={"workers": "anyone"})

    assert changed.json()["workers"] == "anyone"
    assert worker_of(bob, waiting)["awaiting_consent"] == []
    assert mallory.register(extension(lab)).json()["awaiting_consent"] == []


def test_a_pairing_code_of_the_room_s_is_consent_and_a_passer_by_s_is_none(
    ada: Person, bob: Person, mallory: Person, lab: str, loop_thread: LoopThread
) -> None:
    invite = ada.post(f"/api/rooms/{lab}/invite", json={}).json()["code"]
    assert bob.post(f"/api/rooms/{lab}/members", json={"code": invite}).status_code == 201
    for person, waits in ((ada, False), (bob, False), (mallory, True)):
        code = person.post(f"/api/rooms/{lab}/pair", json={}).json()["code"]
        token = person.post("/api/login", json={"code": code}).json()["token"]
        paired = Bearer(loop_thread, person.url, person.user, token)
        assert bool(paired.register(extension(lab)).json()["awaiting_consent"]) is waits
        paired.close()


def test_a_room_s_offer_cannot_take_the_jobs_of_a_public_extension(
    ada: Person, mallory: Person, root: Person, lab: str
) -> None:
    name = f"Public-{lab}"
    root.work(extension(None, name))
    thief = mallory.work(extension(lab, name))
    ada.order(lab, name)

    assert thief.holds_nothing_new()
    assert worker_of(mallory, thief)["awaiting_consent"] == [asked(lab, "admin", name)]


def test_a_machine_offers_another_machine_s_public_extension_only_once_an_admin_accepts_it(
    root: Person, ada: Person, loop_thread: LoopThread, lab: str
) -> None:
    name, boxes = f"Shared-{lab}", []
    for number in (1, 2):
        token = root.post("/api/tokens", json={"name": f"box-{number}-{lab}"}).json()["token"]
        boxes.append(Bearer(loop_thread, root.url, f"box-{number}-{lab}", token))
    boxes[0].work(extension(None, name))
    waiting = boxes[1].work(extension(None, name))
    ada.order(lab, name)
    ada.order(lab, name)

    assert waiting.holds_nothing_new()
    assert accept(ada, waiting) == 404
    assert accept(root, waiting) == 200
    waiting.take()
    for box in boxes:
        box.close()


def test_a_refused_worker_gets_the_reason_and_does_not_reconnect(
    ada: Person, mallory: Person, lab: str
) -> None:
    waiting = mallory.work(extension(lab))

    refusal = {"reason": "I do not know you"}
    assert ada.post(f"/api/workers/{waiting.id}/refuse", json=refusal).status_code == 200

    told = waiting.expect("worker:dismissed")
    assert (told["code"], told["by"], told["reason"]) == ("worker_dismissed", ada.user, "I do not know you")
    assert_dismissed(mallory, waiting, lab)


def assert_dismissed(person: Person, worker: SocketWorker, room: str) -> None:
    """Whatever it says, it is told that it is over, for good."""
    heartbeat = {"session": worker.session, "holds": [], "seen": 0}
    by_rest = person.put(f"/api/workers/{worker.id}/heartbeat", json=heartbeat)
    problem = the_problem(by_rest, 403, "worker_dismissed")
    assert problem["retryable"] is False
    again = person.register(extension(room, "Another"), worker_id=worker.id)
    assert the_problem(again, 403, "worker_dismissed")["detail"] == problem["detail"]
    for answer in (worker.hello(), worker.call("worker:heartbeat", heartbeat)):
        assert answer["error"]["code"] == "worker_dismissed"


def test_a_removed_worker_stays_removed(ada: Person, lab: str) -> None:
    worker = ada.work(extension(lab, "Mine"))

    assert ada.delete(f"/api/workers/{worker.id}", params={"reason": "I am done"}).status_code == 200

    assert worker.expect("worker:dismissed")["detail"] == f"{ada.user} dismissed this worker: I am done"
    assert_dismissed(ada, worker, lab)
    assert ada.register(extension(lab, "Mine")).json()["awaiting_consent"] == []


def test_the_owner_of_a_room_can_dismiss_any_worker_of_it_and_its_user_needs_consent_to_come_back(
    ada: Person, mallory: Person, lab: str
) -> None:
    spam = mallory.work(extension(lab, "Spam"))
    job = ada.order(lab, "Spam")
    spam.take()

    assert ada.delete(f"/api/workers/{spam.id}", params={"room": lab, "reason": "spam"}).status_code == 200

    assert spam.expect("worker:dismissed")["by"] == ada.user
    assert_dismissed(mallory, spam, lab)
    assert ada.job(job["id"])["status"] == "pending"
    for name in ("Spam", "Other"):
        back = mallory.work(extension(lab, name))
        assert worker_of(ada, back)["awaiting_consent"] == [asked(lab, None, name)]
        assert back.holds_nothing_new()
    the_problem(mallory.post(f"/api/workers/{back.id}/accept", json={}), 403, "forbidden")
    assert accept(ada, back) == 200


def test_a_worker_dismissed_from_one_room_serves_the_other(
    ada: Person, bob: Person, room: str, lab: str
) -> None:
    elsewhere = f"{lab}-elsewhere"
    bob.create_room(elsewhere)
    worker = bob.work(extension(lab, "Both"), extension(elsewhere, "Both"), slots=2)
    job = ada.order(lab, "Both")
    item = worker.take()
    worker.start(item)

    assert ada.delete(f"/api/workers/{worker.id}").status_code == 200

    told = worker.expect("worker:refused")
    assert (told["room"], told["name"], told["by"]) == (lab, "Both", ada.user)
    worker.expect("job:cancel", job_id=job["id"])
    assert ada.job(job["id"])["error"]["type"] == "WorkerLost"
    held = {"session": worker.session, "seen": 1, "holds": [{**fence(item), "phase": "begun"}]}
    assert worker.call("worker:heartbeat", held)["drop"] == [fence(item)]
    bob.order(elsewhere, "Both")
    worker.run(worker.take())
    the_problem(ada.submit(lab, "Both"), 404, "extension_not_found")


def test_who_does_not_own_the_room_cannot_dismiss_its_workers(ada: Person, mallory: Person, lab: str) -> None:
    worker = ada.work(extension(lab))
    for params in ({}, {"room": lab}):
        the_problem(mallory.delete(f"/api/workers/{worker.id}", params=params), 403, "forbidden")
    assert worker_of(ada, worker)["state"] == "idle"


@pytest.mark.parametrize("change", [{"role": "user"}, {"disabled": True}])
def test_a_demoted_or_disabled_user_s_public_workers_are_dismissed(
    root: Person, ada: Person, lab: str, loop_thread: LoopThread, change: Document
) -> None:
    name = f"boss-{lab}"
    root.post("/api/users", json={"name": name, "password": PASSWORD, "role": "admin"})
    boss = Person(loop_thread, root.url, name, PASSWORD)
    public = boss.work(extension(None, f"Grip-{lab}"))
    ada.order(lab, f"Grip-{lab}")
    public.take()

    assert root.request("PATCH", f"/api/users/{name}", json=change).status_code == 200

    assert public.id not in [each["id"] for each in root.items("/api/workers")]
    the_problem(ada.submit(lab, f"Nothing-{lab}"), 404, "extension_not_found")
    if "role" in change:
        again = Person(loop_thread, root.url, name, PASSWORD)
        back = again.register(extension(lab, "Mine"), worker_id=public.id)
        the_problem(back, 403, "worker_dismissed")
        again.close()
    boss.close()


def test_a_machine_whose_tokens_are_revoked_loses_its_workers(
    root: Person, ada: Person, lab: str, loop_thread: LoopThread
) -> None:
    name = f"box-{lab}"
    token = root.post("/api/tokens", json={"name": name}).json()["token"]
    box = Bearer(loop_thread, root.url, name, token)
    worker = box.work(extension(None, f"Grip-{lab}"))

    assert root.post("/api/token/revoke", json={"user": name}).status_code == 200

    assert worker.id not in [each["id"] for each in root.items("/api/workers")]
    the_problem(ada.submit(lab, f"Grip-{lab}"), 404, "extension_not_found")
    fresh = root.post("/api/tokens", json={"name": name}).json()["token"]
    box = Bearer(loop_thread, root.url, name, fresh)
    the_problem(box.register(extension(None, "Mine"), worker_id=worker.id), 403, "worker_dismissed")
    box.close()


class Shell:
    """Somebody at a terminal, with a name and a place of their own."""

    def __init__(self, server: ServerProcess, folder: Path, user: str) -> None:
        self._server, self._folder, self._user = server, folder, user
        self.environment = {"WORKROOM_USER": user, "WORKROOM_STATE_DIR": str(folder / user)}

    def worker(self, extension: str, room: str, name: str) -> WorkerProcess:
        log = self._folder / f"{name}.log"
        return WorkerProcess(
            self._server.url, extension, room=room, name=name, log=log, environment=self.environment
        )


@pytest.fixture
def shell(server: ServerProcess, tmp_path: Path) -> Callable[[str], Shell]:
    return lambda user: Shell(server, tmp_path, user)


def test_the_worker_command_names_whom_it_waits_for_and_works_once_accepted(
    ada: Person, room: str, shell: Callable[[str], Shell]
) -> None:
    schema = Echo.model_json_schema()
    ada.work(extension(room, schema=schema))
    worker = shell(f"bob-{room}").worker("support.extensions.samples:Echo", room, f"late-{room}")
    try:
        (waiting,) = eventually(
            lambda: [each for each in ada.items(f"/api/rooms/{room}/workers") if each["awaiting_consent"]]
        )
        line = (
            f"waiting for {ada.user} or the room's owner to accept this worker for analysis/Echo: "
            f"workroom workers accept {room} {waiting['id']}"
        )
        eventually(lambda: line in worker.log.read_text(), what="the line in the log")
        eventually(lambda: "Serving" in worker.log.read_text(), what="its session")
        ada.order(room, data={"text": "held by ada's"})
        job = ada.order(room, data={"text": "hello"})
        assert ada.post(f"/api/workers/{waiting['id']}/accept", json={}).status_code == 200
        eventually(lambda: ada.job(job["id"])["status"] == "completed", what="the end of the job")
        assert f"{ada.user} accepted this worker for analysis/Echo" in worker.log.read_text()
        assert worker.stop() == 0
    finally:
        worker.close()


def test_the_worker_command_ends_with_the_reason_when_it_is_dismissed(
    ada: Person, room: str, shell: Callable[[str], Shell]
) -> None:
    worker = shell(f"bob-{room}").worker("support.extensions.samples:Count", room, f"spam-{room}")
    try:
        (shown,) = eventually(lambda: named(ada.items(f"/api/rooms/{room}/workers"), f"spam-{room}"))
        job = ada.order(room, "Count", data={"to": 1000, "pause": 1.0})
        eventually(lambda: ada.job(job["id"])["status"] == "running")

        ada.delete(f"/api/workers/{shown['id']}", params={"reason": "we have enough"})

        assert worker.child.wait(15) == 1
        assert f"workroom: {ada.user} dismissed this worker: we have enough" in worker.log.read_text()
        assert ada.job(job["id"])["error"]["type"] == "WorkerLost"
        assert named(ada.items(f"/api/rooms/{room}/workers"), f"spam-{room}") == []
    finally:
        worker.close()


def named(workers: list[Document], name: str) -> list[Document]:
    return [each for each in workers if each["name"] == name]


@pytest.fixture
def replicas(tmp_path: Path) -> Iterator[tuple[ServerProcess, ServerProcess]]:
    """Two servers on one store."""
    valkey = Valkey(tmp_path / "valkey")
    valkey.start()
    shared = {"store": valkey.url, "signing_key": KEY}
    try:
        with ServerProcess(tmp_path / "a", **shared) as one, ServerProcess(tmp_path / "b", **shared) as two:
            yield one, two
    finally:
        valkey.stop()


def test_accepting_draining_and_dismissing_reach_the_server_that_the_worker_is_connected_to(
    replicas: tuple[ServerProcess, ServerProcess], visit: Visit
) -> None:
    here, there = replicas
    ada, bob = visit(here, "ada"), visit(there, "bob")
    root = visit(here, "admin", ADMIN_PASSWORD)
    ada.create_room("lab")
    ada.register(extension("lab"))
    waiting = bob.work(extension("lab"), slots=2)
    first = ada.order("lab")
    assert waiting.holds_nothing_new()

    assert accept(ada, waiting) == 200
    assert waiting.take()["job_id"] == first["id"]

    path = f"/api/workers/{waiting.id}/drain"
    assert root.post(path).status_code == 200
    waiting.expect("worker:draining", draining=True)
    assert waiting.hello(holds=[], seen=1)["session"]
    second = ada.order("lab")
    assert waiting.holds_nothing_new()
    assert root.post(path, params={"draining": False}).status_code == 200
    assert {waiting.take()["job_id"], waiting.take()["job_id"]} == {first["id"], second["id"]}

    assert ada.delete(f"/api/workers/{waiting.id}", params={"reason": "enough"}).status_code == 200
    assert waiting.expect("worker:dismissed")["reason"] == "enough"
    assert waiting.hello()["error"]["code"] == "worker_dismissed"
    assert ada.job(second["id"])["status"] == "pending"


def test_demoting_an_admin_at_one_server_dismisses_their_public_workers_at_the_other(
    replicas: tuple[ServerProcess, ServerProcess], visit: Visit
) -> None:
    here, there = replicas
    root = visit(here, "admin", ADMIN_PASSWORD)
    root.post("/api/users", json={"name": "boss", "password": PASSWORD, "role": "admin"})
    boss = visit(there, "boss", PASSWORD)
    worker = boss.work(extension(None, "Grip"))

    assert root.request("PATCH", "/api/users/boss", json={"role": "user"}).status_code == 200

    assert root.items("/api/workers") == []
    again = visit(there, "boss", PASSWORD)
    the_problem(again.register(extension(None, "Grip")), 403, "forbidden")
    hello = again.listen().call("worker:hello", {"worker_id": worker.id, "boot_id": "the first boot"})
    assert hello["error"]["code"] == "worker_dismissed"
