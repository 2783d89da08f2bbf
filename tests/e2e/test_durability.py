"""202 is a promise: it holds when the server is killed, and it is given only after the disk has it."""

from __future__ import annotations

import contextlib
import re
import secrets
import threading
from pathlib import Path

import httpx

from support.extensions.samples import Echo
from support.scripted_worker import MakeScriptedWorker
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import ServerProcess, eventually


class Submitter(threading.Thread):
    """Submits until told to stop, and writes down every job that was promised."""

    def __init__(self, url: str, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self._http = httpx.Client(base_url=url, timeout=5)
        token = self._http.post("/api/login", json={"name": "ada"}).json()["token"]
        self._http.headers["Authorization"] = f"Bearer {token}"
        self._stop_asked = stop
        self.promised: list[str] = []

    def run(self) -> None:
        with contextlib.closing(self._http):
            while not self._stop_asked.is_set():
                try:
                    answer = self._http.post(
                        "/api/rooms/demo/extensions/analysis/Echo/submit", json={"data": {}}
                    )
                except httpx.TransportError:
                    self._stop_asked.wait(0.05)
                    continue
                if answer.status_code == 202:
                    self.promised.append(answer.json()["id"])


def test_every_202_survives_kill_9_of_the_server_and_is_completed_after_the_restart(
    start_server: StartServer, open_room: OpenRoom, start_worker: StartWorker
) -> None:
    server = start_server()
    start_worker(server, "support.extensions.samples:Echo")
    stop = threading.Event()
    submitters = [Submitter(server.url, stop) for _ in range(4)]
    for submitter in submitters:
        submitter.start()

    for _ in range(3):
        _wait_for_promises(submitters)
        server.kill()
        server.restart()
    _wait_for_promises(submitters)
    stop.set()
    for submitter in submitters:
        submitter.join()

    promised = {job for submitter in submitters for job in submitter.promised}
    assert len(promised) > 200
    with httpx.Client(base_url=server.url) as http:
        token = http.post("/api/login", json={"name": "ada"}).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        unfinished = set(promised)

        def all_completed() -> bool:
            for job_id in list(unfinished):
                document = http.get(f"/api/jobs/{job_id}").json()
                assert document.get("status") not in ("failed", "cancelled", 404), document
                if document["status"] == "completed":
                    unfinished.discard(job_id)
            return not unfinished

        eventually(all_completed, 60, "every promised job being completed")


def test_workers_come_back_by_themselves_after_a_restart(
    workroom_server: ServerProcess, open_room: OpenRoom, start_worker: StartWorker
) -> None:
    start_worker(workroom_server, "support.extensions.samples:Echo")
    workroom_server.kill()
    workroom_server.restart()

    assert open_room(workroom_server).submit(Echo(text="again")).result(timeout=20)["text"] == "again"


def test_each_202_and_each_answer_to_start_follows_a_finished_fdatasync_of_its_row(
    start_server: StartServer, make_scripted_worker: MakeScriptedWorker, tmp_path: Path
) -> None:
    trace = tmp_path / "strace"
    calls = "trace=pwrite64,fdatasync,write,writev,sendto,sendmsg"
    server = start_server(wrap=["strace", "-f", "-qq", "-s", "5000", "-e", calls, "-o", str(trace)])
    scripted = make_scripted_worker(server)
    jobs, nonces = [], []
    for _ in range(5):
        answer = scripted.http.post("/api/rooms/demo/extensions/analysis/Scripted/submit", json={"data": {}})
        assert answer.status_code == 202
        jobs.append(answer.json()["id"])
        scripted.nonce = secrets.token_hex(8)
        nonces.append(scripted.nonce)
        item = scripted.take()
        assert scripted.start(item) is None
        assert scripted.finish(item) is None
    scripted.close()
    server.close()

    lines = trace.read_text(errors="replace").splitlines()
    for job in jobs:
        assert _synced(lines, job) < _promised(lines, job)
    answers = [
        number for number, line in enumerate(lines) if _is_socket(line) and 'answers\\":[null]' in line
    ]
    starts = answers[0::2]
    for nonce, start in zip(nonces, starts, strict=True):
        assert _synced(lines, nonce) < start


def _wait_for_promises(submitters: list[Submitter], count: int = 50) -> None:
    def promised() -> int:
        return sum(len(submitter.promised) for submitter in submitters)

    before = promised()
    eventually(lambda: promised() > before + count)


def _is_socket(line: str) -> bool:
    return bool(re.search(r"\b(write|writev|sendto|sendmsg)\(", line))


def _promised(lines: list[str], job: str) -> int:
    """The line that first calls this job pending; it may have been pushed to a worker before that."""
    pending = re.compile(rf'{job}\\"(?:(?!job_id).)*\\"status\\":\\"pending\\"')
    return next(number for number, line in enumerate(lines) if _is_socket(line) and pending.search(line))


def _synced(lines: list[str], word: str) -> int:
    """The line at which the fdatasync after the write of `word` to the log has returned."""
    written = next(number for number, line in enumerate(lines) if "pwrite64(" in line and word in line)
    thread = lines[written].split()[0]
    return next(
        number
        for number, line in enumerate(lines)
        if number > written and line.startswith(f"{thread} ") and re.search(r"fdatasync.*= 0", line)
    )
