"""Where the chaos happens: a server, workers and clients as processes, and their journals."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from chaos.history import Document, History, Journal, assemble
from chaos.proxy import FaultProxy
from puppet import Puppet
from workroom.testing.processes import ADMIN_PASSWORD, Process, ServerProcess, WorkerProcess, eventually

QUICK = {"heartbeat": 0.3, "lease": 1.5, "grace": 0.5, "sweep": 0.1, "start": 2, "ack": 0.5}
ALL = ("chaos.work:Plain", "chaos.work:Stubborn", "chaos.work:Keyed")
UNFINISHED = ("pending", "assigned", "running")


class Stage:
    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.seed = seed
        self.chance = random.Random(seed)
        self.evidence: Counter[str] = Counter()
        self._stack = ExitStack()
        self._numbers: Counter[str] = Counter()
        self.journals = folder / "journals"
        self.journals.mkdir()
        self.journal = Journal(self.journals / "director.jsonl")
        self._stack.callback(self.journal.close)
        self.clients: list[Process] = []
        self.server: ServerProcess
        self.http: httpx.Client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def open(self, data_dir: Path | None = None, wrap: list[str] | None = None, **settings: Any) -> Self:
        self.server = ServerProcess(data_dir or self.folder / "data", wrap=wrap, **{**QUICK, **settings})
        self._stack.callback(self.server.close)
        self.http = self.login("root", ADMIN_PASSWORD)
        return self

    def login(self, name: str, password: str | None = None) -> httpx.Client:
        http = httpx.Client(base_url=self.server.url, timeout=20)
        self._stack.callback(http.close)
        secret = {} if password is None else {"password": password}
        token = http.post("/api/login", json={"name": name, **secret}).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        return http

    def proxy(self, *words: bytes) -> FaultProxy:
        port = urlsplit(self.server.url).port
        assert port is not None
        return self._stack.enter_context(FaultProxy(port, words))

    def worker(self, *extensions: str, url: str | None = None, slots: int = 1) -> WorkerProcess:
        name = self._name("worker")
        worker = WorkerProcess(
            url or self.server.url,
            *(extensions or ALL),
            room="demo",
            slots=slots,
            name=name,
            log=self.folder / f"{name}.log",
            environment={"CHAOS_JOURNAL": str(self.journals)},
        )
        self._stack.callback(worker.close)
        eventually(lambda: "Serving" in worker.log.read_text(), what=f"{name} serving")
        return worker

    def twin(self, worker_id: str) -> Process:
        name = self._name("twin")
        command = [sys.executable, "-m", "chaos.twin", self.server.url, worker_id]
        twin = Process(command, {"CHAOS_JOURNAL": str(self.journals)}, self.folder / f"{name}.log", None)
        self._stack.callback(twin.close)
        eventually(lambda: "Serving" in twin.log.read_text(), what=f"{name} serving")
        return twin

    def client(self, interval: float = 0.01) -> Process:
        name = self._name("client")
        path = self.journals / f"{name}.jsonl"
        command = [sys.executable, "-m", "chaos.client", self.server.url, str(path)]
        command += [f"{self.seed}-{name}", str(interval)]
        client = Process(command, {}, self.folder / f"{name}.log", subprocess.DEVNULL)
        self._stack.callback(client.close)
        self.clients.append(client)
        eventually(lambda: path.exists() and b"promised" in path.read_bytes(), what=f"a promise to {name}")
        return client

    def puppet(self, **options: Any) -> Puppet:
        puppet = Puppet(self.server.url, **options)
        self._stack.callback(puppet.close)
        puppet.hello()
        return puppet

    def submit(self, name: str, category: str = "analysis", **values: Any) -> str:
        answer = self.http.post(f"/api/rooms/demo/extensions/{category}/{name}/submit", json={"data": values})
        assert answer.status_code == 202, answer.text
        job: str = answer.json()["id"]
        self.journal.write("promised", job=job, name=name)
        return job

    def job(self, job: str) -> Document:
        document: Document = self.http.get(f"/api/jobs/{job}").json()
        return document

    def steps(self, job: str) -> list[Document]:
        items: list[Document] = self.http.get(f"/api/jobs/{job}/history").json()["items"]
        return items

    def wait_for(self, job: str, *statuses: str, seconds: float = 20) -> Document:
        def found() -> Document | None:
            document = self.job(job)
            return document if document["status"] in statuses else None

        return eventually(found, seconds, f"{job} being {' or '.join(statuses)}")

    def kill(self, process: Process) -> None:
        """kill -9, and write down when it was dead."""
        process.kill()
        assert process.child.returncode == -9
        self.journal.write("died", dead=process.pid)

    def kill_server(self) -> None:
        self.server.kill()
        assert self.server.process.child.returncode == -9

    def after_promises(self, least: int, most: int) -> None:
        """Let the clients get a random number of promises: when the fault strikes is part of the seed."""
        goal = self.promises() + self.chance.randint(least, most)
        eventually(lambda: self.promises() >= goal, what=f"{goal} promises")

    def has_begun(self, pid: int) -> int:
        """How many executions the journal of a worker tells of."""
        path = self.journals / f"worker-{pid}.jsonl"
        return path.read_bytes().count(b'"begin"') if path.exists() else 0

    def promises(self) -> int:
        return sum(path.read_bytes().count(b'"promised"') for path in self.journals.glob("*.jsonl"))

    def settle(self, seconds: float = 30) -> History:
        """Stop the clients, wait until nothing is unfinished, and read everything."""
        for client in self.clients:
            assert client.stop() == 0
        left: list[str] = []

        def none_left() -> bool:
            left[:] = self._unfinished()
            return not left

        try:
            eventually(none_left, seconds, "the end of every job")
        except AssertionError as error:
            raise AssertionError(
                f"seed {self.seed}: {error}; unfinished, among others: {left}; workers: {self._fleet()}"
            ) from None
        jobs = {document["id"]: document for document in self._pages()}
        steps = {job: self.steps(job) for job in jobs}
        return assemble(self.journals, jobs, steps)

    def _fleet(self) -> list[tuple[str, str, int, int]]:
        fleet = self.http.get("/api/workers").json()["items"]
        return [(each["name"], each["state"], each["assigned_jobs"], each["running_jobs"]) for each in fleet]

    def _unfinished(self) -> list[str]:
        pages = [self._page({"status": status, "limit": 5}) for status in UNFINISHED]
        return [
            f"{item['id']} {item['status']} {item['waiting_for']}" for page in pages for item in page["items"]
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
