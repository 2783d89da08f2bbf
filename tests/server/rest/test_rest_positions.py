"""Positions that a running job shows: everybody in its room receives them, and nothing keeps them."""

from __future__ import annotations

import base64
import struct

import httpx
import pytest

from support.users import Document, LoopThread, Person, SocketWorker, extension, the_problem
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import ServerProcess

ATOMS = struct.pack("<6f", 0, 0, 0, 0, 0, 0.74)
MAX_BYTES = 1_200_000

Running = tuple[SocketWorker, Document]


@pytest.fixture
def running(ada: Person, room: str) -> Running:
    worker = ada.work(extension(room))
    ada.order(room)
    item = worker.take()
    assert worker.start(item) is None
    return worker, item


def test_everybody_in_the_room_receives_positions(
    running: Running, room: str, bob: Person, anyone: httpx.Client
) -> None:
    worker, item = running
    ear = bob.listen(room)

    worker.move(item, 3, ATOMS).raise_for_status()
    shown = ear.expect("job:positions", frame=3)  # of two in one batch, only the later is sent
    token = f"Bearer job.{item['job_id']}.{item['attempt']}.{item['token']}"
    path = f"/api/jobs/{item['job_id']}/positions"
    by_token = anyone.post(path, params={"frame": 4}, content=ATOMS * 2, headers={"Authorization": token})

    assert by_token.json() == {}
    assert shown == {
        "room": room,
        "job_id": item["job_id"],
        "frame": 3,
        "positions": base64.b64encode(ATOMS).decode(),
    }
    assert base64.b64decode(ear.expect("job:positions", frame=4)["positions"]) == ATOMS * 2


def test_nobody_outside_the_room_receives_positions(running: Running, room: str, bob: Person) -> None:
    worker, item = running
    ear, elsewhere = bob.listen(room), bob.listen()

    worker.move(item, 0, ATOMS).raise_for_status()

    ear.expect("job:positions")
    elsewhere.flush()
    assert elsewhere.items("job:positions") == []


def test_a_job_that_has_ended_shows_nothing(running: Running, room: str, bob: Person) -> None:
    worker, item = running
    ear = bob.listen(room)
    worker.finish(item)

    the_problem(worker.move(item, 0, ATOMS), 409, "stale_attempt")

    ear.flush()
    assert ear.items("job:positions") == []


@pytest.mark.parametrize(
    ("frame", "size", "status", "code"),
    [
        (0, 11, 422, "invalid_request"),
        (-1, 12, 422, "invalid_request"),
        (0, MAX_BYTES + 1, 413, "body_too_large"),
    ],
)
def test_positions_that_make_no_sense_are_refused(
    running: Running, frame: int, size: int, status: int, code: str
) -> None:
    worker, item = running
    the_problem(worker.move(item, frame, bytes(size)), status, code)


def test_positions_of_as_many_atoms_as_the_limit_arrive(running: Running, room: str, bob: Person) -> None:
    worker, item = running
    ear = bob.listen(room)

    worker.move(item, 0, bytes(MAX_BYTES)).raise_for_status()

    assert len(base64.b64decode(ear.expect("job:positions")["positions"])) == MAX_BYTES


def test_a_job_shows_positions_so_often_and_no_more(
    start_server: StartServer, loop_thread: LoopThread
) -> None:
    server: ServerProcess = start_server(positions_rate="3/day")
    ada = Person(loop_thread, server.url, "ada")
    ada.create_room("lab")
    worker = ada.work(extension("lab"))
    ada.order("lab")
    item = worker.take()
    worker.start(item)

    for _ in range(3):
        assert worker.move(item, 0, ATOMS).status_code == 200
    the_problem(worker.move(item, 0, ATOMS), 429, "too_many_requests")
