"""A server, workers and clients as processes, with their journals."""

from __future__ import annotations

import random
import signal
import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from support.chaos.checker import check
from support.chaos.history import Document, History, Journal, assemble, lines
from support.chaos.proxy import FaultProxy, Upstream
from support.scripted_worker import ScriptedWorker
from workroom.testing.processes import ADMIN_PASSWORD, Process, ServerProcess, WorkerProcess, eventually

QUICK = {"heartbeat": 0.3, "lease": 2, "grace": 1, "sweep": 0.1, "start": 2, "ack": 0.5}
CALM = {"lease": 60, "grace": 60, "start": 20}  # healthy workers survive a restart on a busy machine
PATIENT = {
    "lease": 600,
    "grace": 600,
    "start": 600,
}  # scripted workers send no heartbeats
SERVER_KILLED = "server killed"
FROZEN = "worker frozen"
PATIENCE = 60
ALL = ("support.chaos.work:Plain", "support.chaos.work:Stubborn", "support.chaos.work:Keyed")
TRACEBACK = "Traceback (most recent call last)"
LOSSES = ("WorkerLost", "MaxRetriesExceeded")
UNFINISHED = ("pending", "assigned", "running")


class Stage:
    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.seed = seed
        self.chance = random.Random(seed)
        self._stack = ExitStack()
        self._numbers: Counter[str] = Counter()
        self.journals = folder / "journals"
        self.journals.mkdir()
        self.journal = Journal(self.journals / "director.jsonl")
        self._stack.callback(self.journal.close)
        self._clients: list[Process] = []
        self.server: ServerProcess
        self.http: httpx.Client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def open(
        self,
        settings: Mapping[str, float | str] = QUICK,
        *,
        data_dir: Path | None = None,
        wrap: list[str] | None = None,
    ) -> None:
        where = data_dir or self.folder / "data"
        self.server = ServerProcess(where, wrap=wrap, **{**QUICK, **settings})
        self._stack.callback(self.server.close)
        self.http = self.login("admin", ADMIN_PASSWORD)
        self.take_any_worker()

    def defer(self, end: Callable[[], object]) -> None:
        """Call this when the stage closes."""
        self._stack.callback(end)

    def take_any_worker(self) -> None:
        """A worker is a different guest at each address."""
        self.http.patch("/api/rooms/demo", json={"workers": "anyone"}).raise_for_status()

    def address(self) -> str:
        """The address for the next process."""
        return self.server.url

    def login(self, name: str, password: str | None = None) -> httpx.Client:
        http = httpx.Client(base_url=self.server.url, timeout=PATIENCE)
        self._stack.callback(http.close)
        secret = {} if password is None else {"password": password}
        token = http.post("/api/login", json={"name": name, **secret}).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        return http

    def proxy(self, *words: bytes) -> FaultProxy:
        return self.proxy_to(port_of(self.server), words=words)

    def proxy_to(self, *upstreams: Upstream, words: tuple[bytes, ...] = ()) -> FaultProxy:
        return self._stack.enter_context(FaultProxy(*upstreams, journal=self.journal, words=words))

    def worker(self, *extensions: str, url: str | None = None, slots: int = 1) -> WorkerProcess:
        worker = self.launch(*extensions, url=url, slots=slots)
        is_serving(worker)
        return worker

    def workers(self, *urls: str | None, slots: int = 1) -> list[WorkerProcess]:
        """Start one worker for each address, all together."""
        workers = [self.launch(url=url, slots=slots) for url in urls]
        for worker in workers:
            is_serving(worker)
        return workers

    def launch(self, *extensions: str, url: str | None = None, slots: int = 1) -> WorkerProcess:
        name = self._name("worker")
        worker = WorkerProcess(
            url or self.address(),
            *(extensions or ALL),
            room="demo",
            slots=slots,
            name=name,
            log=self.folder / f"{name}.log",
            environment={"CHAOS_JOURNAL": str(self.journals)},
        )
        self._stack.callback(worker.close)
        return worker

    def script(self, module: str, *arguments: str) -> Process:
        """A worker process of another kind: `python -m support.chaos.MODULE URL …`."""
        command = [sys.executable, "-m", f"support.chaos.{module}", self.address(), *arguments]
        log = self.folder / f"{self._name(module)}.log"
        process = Process(command, {"CHAOS_JOURNAL": str(self.journals)}, log)
        self._stack.callback(process.close)
        return process

    def client(self, interval: float = 0.03) -> None:
        name = self._name("client")
        path = self.journals / f"{name}.jsonl"
        command = [sys.executable, "-m", "support.chaos.client", self.address(), str(path)]
        command += [f"{self.seed}-{name}", str(interval)]
        client = Process(command, {}, self.folder / f"{name}.log")
        self._stack.callback(client.close)
        self._clients.append(client)
        eventually(
            lambda: path.exists() and b"promised" in path.read_bytes(), PATIENCE, f"a promise to {name}"
        )

    def scripted_workers(self, count: int) -> list[ScriptedWorker]:
        with ThreadPoolExecutor(count) as threads:
            return list(threads.map(lambda _: self.scripted(), range(count)))

    def scripted(self) -> ScriptedWorker:
        scripted = ScriptedWorker(self.server.url)
        self._stack.callback(scripted.close)
        scripted.hello()
        return scripted

    def submit(self, name: str, category: str = "analysis", **values: Any) -> str:
        answer = self.http.post(f"/api/rooms/demo/extensions/{category}/{name}/submit", json={"data": values})
        assert answer.status_code == 202, answer.text
        job: str = answer.json()["id"]
        self.journal.write("promised", job=job, name=name)
        return job

    def submit_many(self, name: str, count: int) -> list[str]:
        jobs = [{"category": "analysis", "name": name, "data": {}}] * count
        answer = self.http.post("/api/rooms/demo/jobs/batch", json={"jobs": jobs}).json()
        ids = [str(item["job"]["id"]) for item in answer["items"]]
        for job in ids:
            self.journal.write("promised", job=job, name=name)
        return ids

    def job(self, job: str) -> Document:
        document: Document = self.http.get(f"/api/jobs/{job}").json()
        return document

    def steps(self, job: str) -> list[Document]:
        items: list[Document] = self.http.get(f"/api/jobs/{job}/history").json()["items"]
        return items

    def fleet(self) -> list[Document]:
        items: list[Document] = self.http.get("/api/workers").json()["items"]
        return items

    def wait_for(self, job: str, *statuses: str) -> Document:
        def has_come() -> Document | None:
            document = self.job(job)
            return document if document["status"] in statuses else None

        document = eventually(has_come, PATIENCE, f"{job} being {' or '.join(statuses)}")
        assert document is not None
        return document

    def wait_for_end(self, job: str) -> Document:
        return self.wait_for(job, "completed", "failed", "cancelled")

    def seen(self, event: str, job: str) -> list[Document]:
        """The journal lines of a job."""
        written = [line for line in lines(self.journals) if line["event"] == event]
        return [line for line in written if line["job"] == job]

    def wait_for_begin(self, job: str, attempt: int = 1) -> int:
        """Wait until user code runs; return the pid of its process."""

        def begun() -> list[int]:
            return [line["pid"] for line in self.seen("begin", job) if line["attempt"] >= attempt]

        return eventually(begun, PATIENCE, f"{job} being executed")[0]

    def kill(self, process: Process, fault: str) -> None:
        """Send SIGKILL and record when the process ended."""
        process.kill()
        assert process.child.returncode == -signal.SIGKILL
        self.journal.write("died", dead=process.pid)
        self.journal.witness(fault, dead=process.pid)

    def kill_server(self) -> None:
        self.server.kill()
        self.server_was_killed(SERVER_KILLED)

    def server_was_killed(self, fault: str) -> None:
        assert self.server.process.child.returncode == -signal.SIGKILL
        self.journal.witness(fault, dead=self.server.process.pid)

    def freeze(self, process: Process, fault: str = FROZEN) -> None:
        """Send SIGSTOP and wait until the process has stopped."""
        process.signal(signal.SIGSTOP)
        stat = Path(f"/proc/{process.pid}/stat")
        eventually(
            lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", PATIENCE, "a frozen process"
        )
        self.journal.witness(fault, frozen=process.pid)

    def after_promises(self, least: int, most: int) -> None:
        """Wait for a random number of accepted jobs, so that the seed decides when the fault happens."""
        goal = self._promises() + self.chance.randint(least, most)
        eventually(lambda: self._promises() >= goal, PATIENCE, f"{goal} promises")

    def verdict(self, faults: Mapping[str, int]) -> History:
        """Return the checked history; each fault must have occurred this many times."""
        history = self._finish()
        check(history, faults)
        assert not self._tracebacks()
        return history

    def _tracebacks(self) -> list[str]:
        """What servers and workers logged around each unexpected exception."""
        logs = [path.read_text(errors="replace") for path in self.folder.rglob("*.log")]
        return [log[max(0, log.index(TRACEBACK) - 500) :][:5_000] for log in logs if TRACEBACK in log]

    def _promises(self) -> int:
        return sum(path.read_bytes().count(b'"promised"') for path in self.journals.glob("*.jsonl"))

    def _finish(self) -> History:
        """Stop the clients, wait until all jobs have ended, and read the history."""
        for client in self._clients:
            assert client.stop() == 0
        try:
            jobs = eventually(self._ended, PATIENCE, "the end of every job")
        except AssertionError as error:
            told = f"seed {self.seed}: {error}; unfinished: {self._unfinished()}; workers: {self._states()}"
            raise AssertionError(told) from None
        steps = {job: self.steps(job) for job in jobs}
        return assemble(self.journals, jobs, steps)

    def _states(self) -> list[tuple[str, str, int, int]]:
        return [
            (each["name"], each["state"], each["assigned_jobs"], each["running_jobs"])
            for each in self.fleet()
        ]

    def _ended(self) -> dict[str, Document]:
        """All jobs, once each has ended: a job that is retried moves between pages."""
        if self._unfinished():
            return {}
        jobs = {document["id"]: document for document in self._pages()}
        return {} if any(job["status"] in UNFINISHED for job in jobs.values()) else jobs

    def _unfinished(self) -> list[str]:
        pages = [self._page({"status": status, "limit": 5}) for status in UNFINISHED]
        return [
            f"{job['id']} {job['status']} {job['waiting_for']}" for page in pages for job in page["items"]
        ]

    def _pages(self) -> list[Document]:
        items: list[Document] = []
        cursor: dict[str, Any] = {}
        while True:
            page = self._page({"limit": 500, **cursor})
            items += page["items"]
            if page["next_cursor"] is None:
                return items
            cursor = {"cursor": page["next_cursor"]}

    def _page(self, params: dict[str, Any]) -> Document:
        page: Document = self.http.get("/api/jobs", params=params).json()
        return page

    def _name(self, kind: str) -> str:
        self._numbers[kind] += 1
        return f"{kind}-{self._numbers[kind]}"


def is_serving(process: Process) -> None:
    eventually(lambda: "Serving" in process.log.read_text(), PATIENCE, f"{process.log.stem} serving")


def port_of(server: ServerProcess) -> int:
    port = urlsplit(server.url).port
    assert port is not None
    return port


def errors(jobs: Mapping[str, Document], *, besides: Collection[str] = ()) -> list[Document]:
    """The errors of all jobs, except those of these types."""
    found = [{"job": id_, **job["error"]} for id_, job in jobs.items() if job["error"]]
    return [error for error in found if error["type"] not in besides]
