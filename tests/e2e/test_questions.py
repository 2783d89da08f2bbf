"""Questions over restarts of the server, and over the loss of their worker."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from support.chaos.history import Journal
from support.chaos.proxy import FaultProxy
from support.extensions.questions import Confirm, GatedConfirm, PatientConfirm
from support.job_waits import ended_job
from workroom import Room
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import WorkerProcess, eventually

MODULE = "support.extensions.questions"
QUESTIONS = 1000
SLOTS = QUESTIONS // 5  # four fifths wait without a slot


def test_a_thousand_questions_survive_a_restart_of_the_server(
    start_server: StartServer, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    server = start_server(max_guest_slots=SLOTS, lease=60, grace=60, data_rate="1000000/second")
    start_worker(server, f"{MODULE}:Confirm", slots=SLOTS)
    room = open_room(server)
    jobs = {job.id: job for job in room.submit_many([Confirm()] * QUESTIONS)}
    eventually(lambda: len(room.questions()) == QUESTIONS, 90, "all questions")
    server.kill()
    server.restart()
    questions = room.questions()
    assert {each["job_id"] for each in questions} == jobs.keys()

    with ThreadPoolExecutor(8) as people:
        list(people.map(lambda job_id: jobs[job_id].answer(1, {"note": job_id}), jobs))
    ended = {job_id: ended_job(job, 90) for job_id, job in jobs.items()}

    assert {job_id: job["result"] for job_id, job in ended.items()} == {
        job_id: f"keep: {job_id}" for job_id in jobs
    }
    assert {job["attempt"] for job in ended.values()} == {1}
    assert room.questions() == []


def _answer(room: Room) -> None:
    for question in room.questions():
        room.job(question["job_id"]).answer(question["id"], {"note": "yes"})


def test_the_next_attempt_finds_the_answer_that_was_given_while_there_was_no_worker(
    start_server: StartServer, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    server = start_server(lease=2, grace=0.5, heartbeat=0.2, sweep=0.1)
    worker = start_worker(server, f"{MODULE}:PatientConfirm")
    room = open_room(server)
    job = room.submit(PatientConfirm())
    eventually(room.questions, what="the question")
    worker.kill()
    eventually(lambda: job.status == "pending", what="the loss of the worker")
    _answer(room)
    start_worker(server, f"{MODULE}:PatientConfirm")
    ended = ended_job(job, 60)

    assert (ended["status"], ended["attempt"], ended["result"]) == ("completed", 2, "keep: yes")
    assert len(job.questions()) == 1


def test_an_answer_that_arrives_together_with_the_reply_to_its_question_is_received(
    start_server: StartServer, open_room: OpenRoom, tmp_path: Path
) -> None:
    server, gate = start_server(), tmp_path / "gate"
    port = urlsplit(server.url).port
    assert port is not None
    room = open_room(server)
    with (
        FaultProxy(port, journal=Journal(tmp_path / "journal")) as network,
        closing(WorkerProcess(network.url, f"{MODULE}:GatedConfirm", log=tmp_path / "worker.log")),
    ):
        eventually(room.extensions, what="the extension")
        job = room.submit(GatedConfirm(gate=str(gate)))
        eventually(gate.exists, what="the start")
        network.hold_replies()
        (gate / "open").touch()
        eventually(job.questions, what="the question")
        job.answer(1, {"note": "at once"})
        network.heal()

        assert job.result(timeout=20) == "keep: at once"
