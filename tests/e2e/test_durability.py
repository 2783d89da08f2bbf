"""202 is a promise: it holds when the server is killed, and it is given only after the disk has it."""

from __future__ import annotations

import contextlib
import re
import secrets
import threading
from pathlib import Path

import httpx

from puppet import MakePuppet
from samples import Echo
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
    start_worker(server, "samples:Echo")
    stop = threading.Event()
    submitters = [Submitter(server.url, stop) for _ in range(4)]
    for submitter in submitters:
        submitter.start()

    for _ in range(3):
        before = sum(len(submitter.promised) for submitter in submitters)
        eventually(lambda before=before: sum(len(each.promised) for each in submitters) > before + 50)
        server.kill()
        server.restart()
    before = sum(len(submitter.promised) for submitter in submitters)
    eventually(lambda: sum(len(each.promised) for each in submitters) > before + 50)
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
    start_worker(workroom_server, "samples:Echo")
    workroom_server.kill()
    workroom_server.restart()

    assert open_room(workroom_server).submit(Echo(text="again")).result(timeout=20)["text"] == "again"


def test_each_202_and_each_answer_to_start_follows_a_finished_fdatasync_of_its_row(
    start_server: StartServer, make_puppet: MakePuppet, tmp_path: Path
) -> None:
    trace = tmp_path / "strace"
    calls = "trace=pwrite64,fdatasync,write,writev,sendto,sendmsg"
    server = start_server(wrap=["strace", "-f", "-qq", "-s", "5000", "-e", calls, "-o", str(trace)])
    puppet = make_puppet(server)
    jobs, nonces = [], []
    for _ in range(5):
        answer = puppet.http.post("/api/rooms/demo/extensions/analysis/Puppet/submit", json={"data": {}})
        assert answer.status_code == 202
        jobs.append(answer.json()["id"])
        puppet.nonce = secrets.token_hex(8)
        nonces.append(puppet.nonce)
        item = puppet.take()
        assert puppet.start(item) is None
        assert puppet.finish(item) is None
    puppet.close()
    server.close()

    lines = trace.read_text(errors="replace").splitlines()
    for job in jobs:
        promise = _first(
            lines, rf"(write|send)\w*\(.*{job}", skip="pwrite64", contains='\\"status\\":\\"pending\\"'
        )
        assert _synced(lines, job) < promise
    answers = [
        number for number, line in enumerate(lines) if _is_socket(line) and 'answers\\":[null]' in line
    ]
    starts = answers[0::2]
    for nonce, answer in zip(nonces, starts, strict=True):
        assert _synced(lines, nonce) < answer


def _is_socket(line: str) -> bool:
    return bool(re.search(r"\b(write|writev|sendto|sendmsg)\(", line))


def _first(lines: list[str], pattern: str, *, skip: str, contains: str) -> int:
    return next(
        number
        for number, line in enumerate(lines)
        if re.search(pattern, line) and skip not in line and contains in line
    )


def _synced(lines: list[str], word: str) -> int:
    """The line at which the fdatasync after the write of `word` to the log has returned."""
    written = next(number for number, line in enumerate(lines) if "pwrite64(" in line and word in line)
    thread = lines[written].split()[0]
    return next(
        number
        for number, line in enumerate(lines)
        if number > written and line.startswith(f"{thread} ") and re.search(r"fdatasync.*= 0", line)
    )
