"""What a job changes stays only if it completes, and its locks end with it."""

from __future__ import annotations

import secrets
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.frame_messages import RoomFrames, numbered
from support.users import Document, LoopThread, Person, SocketWorker, extension, the_problem
from workroom.domain.room_data.documents import Edit
from workroom.domain.room_data.locks import Writer
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage
from workroom.testing.conformance.stage import LAB, SMOOTH, failed, furnished
from workroom.testing.processes import ServerProcess, eventually

BROKEN = {"error": {"type": "ValueError", "message": "it broke"}}


class RunningJob:
    """A job that a worker runs, with the token of its attempt."""

    def __init__(self, person: Person, room: str, worker: SocketWorker) -> None:
        self.person, self.room, self.worker = person, room, worker
        self.id = person.order(room)["id"]
        self.item = worker.take()
        assert worker.start(self.item) is None
        token = f"job.{self.id}.{self.item['attempt']}.{self.item['token']}"
        self.headers = {"Authorization": f"Bearer {token}"}

    def put(self, key: str, value: Any, **headers: str) -> None:
        path = f"/api/rooms/{self.room}/state/{key}"
        assert self.person.put(path, json=value, headers=self.headers | headers).status_code == 200

    def append(self, *numbers: int, **headers: str) -> None:
        frames = RoomFrames(self.person, self.room)
        assert frames.post(numbered(*numbers), headers=self.headers | headers).status_code == 200

    def lock(self, target: str) -> None:
        path = f"/api/rooms/{self.room}/locks/{target}"
        body = {"token": secrets.token_hex(16), "ttl": 300}
        response = self.person.post(path, json=body, headers=self.headers)
        assert response.status_code == 200, response.text

    def fail(self) -> None:
        assert self.worker.finish(self.item, "failed", **BROKEN) is None


@pytest.fixture
def job(ada: Person, room: str) -> RunningJob:
    return RunningJob(ada, room, ada.work(extension(room)))


def value(person: Person, room: str, key: str) -> Any:
    response = person.get(f"/api/rooms/{room}/state/{key}")
    return response.json() if response.status_code == 200 else None


def versions(person: Person, room: str) -> list[Document]:
    return person.items(f"/api/rooms/{room}/versions")


def put(person: Person, room: str, key: str, content: Any) -> httpx.Response:
    return person.put(f"/api/rooms/{room}/state/{key}", json=content)


def test_what_a_failed_job_changed_is_taken_back(job: RunningJob, ada: Person, room: str) -> None:
    ear = ada.listen(room)
    RoomFrames(ada, room).append(1, 2)
    put(ada, room, "notes", "the beginning")
    for number in range(3, 6):
        job.append(number)
        job.put("notes", number)
    assert RoomFrames(ada, room).summary()["length"] == 5
    job.fail()

    eventually(lambda: value(ada, room, "notes") == "the beginning", what="the notes as they were")
    assert RoomFrames(ada, room).numbers() == [1, 2]
    undone = versions(ada, room)[0]
    assert (undone["kind"], undone["summary"], undone["job_id"]) == ("undo", "Echo failed", job.id)
    assert ear.expect("frames:changed", version=undone["number"])["length"] == 2
    assert ear.expect("state:changed", version=undone["number"])["key"] == "notes"
    the_problem(ada.post(f"/api/rooms/{room}/redo"), 409, "nothing_to_revert")


def test_what_a_completed_job_changed_is_one_version(job: RunningJob, ada: Person, room: str) -> None:
    for number in range(3):
        job.append(number)
        job.put("notes", number)
    job.lock("notes")
    assert job.worker.finish(job.item) is None

    eventually(lambda: ada.items(f"/api/rooms/{room}/locks") == [], what="the lock being free")
    assert RoomFrames(ada, room).numbers() == [0, 1, 2]
    (version,) = versions(ada, room)
    assert version["job_id"] == job.id
    assert ada.post(f"/api/rooms/{room}/undo").status_code == 200
    assert RoomFrames(ada, room).numbers() == []
    assert value(ada, room, "notes") is None


def test_the_locks_of_a_job_end_with_it(job: RunningJob, ada: Person, bob: Person, room: str) -> None:
    ear = bob.listen(room)
    job.lock("frames")
    the_problem(RoomFrames(bob, room).post(numbered(1)), 423, "locked")
    assert ada.delete(f"/api/jobs/{job.id}").status_code == 200

    eventually(lambda: ear.items("lock:changed", target="frames", lock=None), what="the lock being free")
    assert RoomFrames(bob, room).post(numbered(1)).status_code == 200


def test_what_somebody_changed_since_stays_and_the_chat_says_so(
    job: RunningJob, ada: Person, bob: Person, room: str
) -> None:
    job.append(1, 2)
    job.put("notes", 1)
    RoomFrames(bob, room).append(3)
    job.fail()
    lines = eventually(
        lambda: [each for each in ada.items(f"/api/rooms/{room}/chat") if "stay" in each["text"]],
        what="the line in the chat",
    )

    text = "Echo failed, but some of its changes stay. Somebody else has changed or locked: frames."
    assert [each["text"] for each in lines] == [text]
    assert RoomFrames(ada, room).numbers() == [1, 2, 3]
    assert value(ada, room, "notes") is None


def test_a_job_may_keep_what_it_wrote_before_it_failed(job: RunningJob, ada: Person, room: str) -> None:
    job.append(1, **{"Keep-On-Failure": "true"})
    job.put("figures", 1, **{"Keep-On-Failure": "true"})
    job.put("notes", 1)
    job.fail()

    eventually(lambda: value(ada, room, "notes") is None, what="the notes as they were")
    assert RoomFrames(ada, room).numbers() == [1]
    assert value(ada, room, "figures") == 1


def test_edits_of_a_group_make_one_version(ada: Person, room: str) -> None:
    for number in range(3):
        path = f"/api/rooms/{room}/state/notes"
        assert ada.put(path, json=number, headers={"Edit-Group": "typing"}).status_code == 200
    the_problem(
        ada.put(f"/api/rooms/{room}/state/notes", json=1, headers={"Edit-Group": "x" * 65}),
        422,
        "invalid_request",
    )

    assert len(versions(ada, room)) == 1


async def test_a_server_takes_back_what_one_that_died_left(tmp_path: Path, loop_thread: LoopThread) -> None:
    store = SqliteStore(tmp_path / "workroom.db", LIVENESS)
    stage = await furnished(Stage(store, FakeClock()))
    given = await stage.running(await stage.connect("w1", SMOOTH))
    for key, writer in (("notes", Writer("ada", None, given.fence)), ("figures", Writer("ada"))):
        await store.edit_document(Edit(LAB, key, b"1", writer))
    await stage.finish(failed(given))
    await store.aclose()

    with ServerProcess(tmp_path) as server, closing(Person(loop_thread, server.url, "ada")) as ada:
        eventually(lambda: value(ada, LAB, "notes") is None, what="the notes as they were")
        assert value(ada, LAB, "figures") == 1
