"""People and workers that use plain HTTP and a plain Socket.IO client, not the SDK."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Self, TypeVar

import httpx
import socketio

from workroom.testing.processes import eventually

T = TypeVar("T")
Document = dict[str, Any]

OPEN: Document = {"type": "object"}


def extension(room: str | None, name: str = "Echo", **fields: Any) -> Document:
    """An extension as a worker registers it; without a room it is public."""
    where: Document = {"public": True} if room is None else {"room": room}
    return {"category": "analysis", "name": name, "schema": OPEN, **where, **fields}


def fence(item: Document) -> Document:
    return {name: item[name] for name in ("job_id", "attempt", "token")}


def lines(*texts: str, first: int = 1) -> list[Document]:
    return [
        {"seq": seq, "at": "2026-01-20T12:00:00.000Z", "stream": "stdout", "text": text}
        for seq, text in enumerate(texts, first)
    ]


def plain_http(url: str) -> httpx.Client:
    """A client that opens a connection per request, and so never reuses a closed one."""
    limits = httpx.Limits(max_keepalive_connections=0)
    return httpx.Client(base_url=url, timeout=20, transport=httpx.HTTPTransport(verify=False, limits=limits))


class LoopThread:
    """The event loop of all sockets, so that events arrive in the order in which they were sent."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], seconds: float = 20) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class SocketListener:
    """A connected socket that records all events."""

    def __init__(self, loop: LoopThread, url: str, auth: Any) -> None:
        self.heard: list[tuple[str, Any]] = []
        self._loop = loop
        self._socket = socketio.AsyncClient(reconnection=False, handle_sigint=False)
        self._socket.on("*", self._receive)
        try:
            loop.run(self._socket.connect(url, auth=auth, transports=["websocket"], wait_timeout=10))
        except BaseException:
            self.close()
            raise

    @property
    def is_connected(self) -> bool:
        return bool(self._socket.connected)

    def wait_closed(self) -> None:
        eventually(lambda: not self.is_connected, what="the socket being closed")

    def call(self, event: str, body: Any = None) -> Any:
        """Emit and wait for the ack."""
        return self._loop.run(self._socket.call(event, body, timeout=10))

    def join(self, room: str) -> Self:
        assert self.call("room:join", {"room": room}) == {"room": room}
        return self

    def items(self, event: str, **fields: Any) -> list[Document]:
        """The received items of an event, where these fields have these values."""
        found = [item for name, items in list(self.heard) if name == event for item in items]
        return [item for item in found if all(item[field] == value for field, value in fields.items())]

    def expect(self, event: str, **fields: Any) -> Document:
        """Wait for an item of an event; return the first."""
        return eventually(lambda: self.items(event, **fields), 10, f"{event} with {fields}")[0]

    def flush(self) -> None:
        """Wait until all events sent to this socket so far have been received."""
        self.call("job:unwatch", {"job_id": "nothing"})

    def close(self) -> None:
        self._loop.run(self._close())

    async def _close(self) -> None:
        """A connection that the server has closed or refused keeps its HTTP session."""
        await self._socket.shutdown()
        http = self._socket.eio.http
        if http is not None and not http.closed:
            await http.close()

    def _receive(self, event: str, *args: Any) -> bool:
        (payload,) = args
        self.heard.append((event, payload))
        return True


class SocketWorker(SocketListener):
    """A worker that is controlled by the test: it starts and finishes nothing by itself."""

    def __init__(self, loop: LoopThread, person: Person, worker_id: str) -> None:
        self.person = person
        self.id = worker_id
        self.nonce = secrets.token_hex(8)
        self._taken = 0
        super().__init__(loop, person.url, {"token": person.token})
        self.session = self.hello()["session"]

    def hello(self, boot_id: str = "the first boot", **fields: Any) -> Document:
        answer: Document = self.call("worker:hello", {"worker_id": self.id, "boot_id": boot_id, **fields})
        return answer

    def take(self) -> Document:
        """Wait for the next assignment."""
        wanted = self._taken + 1
        found = eventually(lambda: self._assigned(at_least=wanted), 10, "an assignment")
        self._taken = wanted
        return found[wanted - 1]

    def holds_nothing_new(self) -> bool:
        """Whether every assigned job has been taken."""
        self.flush()
        return len(self.items("job:assigned")) == self._taken

    def start(self, item: Document) -> Any:
        return self.call("job:start", [{**fence(item), "nonce": self.nonce}])["answers"][0]

    def finish(self, item: Document, status: str = "completed", **report: Any) -> Any:
        return self.call("job:finish", [{**fence(item), "status": status, **report}])["answers"][0]

    def progress(self, item: Document, **report: Any) -> Any:
        return self.call("job:progress", [{**fence(item), **report}])["answers"][0]

    def ask(self, item: Document, key: str = "keep", **fields: Any) -> Document:
        """Ask a question of the attempt; return the whole reply."""
        question = {"key": key, "text": f"{key}?", "schema": OPEN, **fields}
        reply: Document = self.call("job:ask", [{**fence(item), **question}])
        return reply

    def run(self, item: Document, result: Any = None) -> None:
        assert self.start(item) is None
        assert self.finish(item, result=result) is None

    def put_status(self, item: Document, status: str, **report: Any) -> httpx.Response:
        """Send a report by REST."""
        named = {"worker_id": self.id, "attempt": item["attempt"], "token": item["token"], "status": status}
        return self.person.put(f"/api/jobs/{item['job_id']}/status", json={**named, **report})

    def put_progress(self, item: Document, **report: Any) -> httpx.Response:
        named = {"worker_id": self.id, "attempt": item["attempt"], "token": item["token"]}
        return self.person.put(f"/api/jobs/{item['job_id']}/progress", json={**named, **report})

    def log(self, item: Document, *texts: str, first: int = 1) -> Any:
        """Send log lines of the attempt, numbered from `first`."""
        return self.call("job:log", [{**fence(item), "lines": lines(*texts, first=first)}])["answers"][0]

    def post_logs(self, item: Document, *texts: str, first: int = 1) -> httpx.Response:
        named = {"worker_id": self.id, "attempt": item["attempt"], "token": item["token"]}
        body = {**named, "lines": lines(*texts, first=first)}
        return self.person.post(f"/api/jobs/{item['job_id']}/logs", json=body)

    def save(self, item: Document, name: str, content: Any, **headers: str) -> httpx.Response:
        """Read a file of the job with the worker's token."""
        path = f"/api/jobs/{item['job_id']}/artifacts/{name}"
        return self.person.put(path, params=self.speaks_for(item), content=content, headers=headers)

    def show(self, item: Document, kind: str, content: bytes) -> httpx.Response:
        params = {"kind": kind, **self.speaks_for(item)}
        return self.person.put(f"/api/jobs/{item['job_id']}/preview", params=params, content=content)

    def move(self, item: Document, frame: int, positions: bytes) -> httpx.Response:
        params = {**self.speaks_for(item), "frame": frame}
        return self.person.post(f"/api/jobs/{item['job_id']}/positions", params=params, content=positions)

    def speaks_for(self, item: Document) -> Document:
        return {"worker_id": self.id, "attempt": item["attempt"], "token": item["token"]}

    def _assigned(self, at_least: int) -> list[Document]:
        found = self.items("job:assigned")
        return found if len(found) >= at_least else []


class Person:
    """A person with a token."""

    def __init__(self, loop: LoopThread, url: str, user: str, password: str | None = None) -> None:
        self.url = url
        self.user = user
        self._loop = loop
        self._ears: list[SocketListener] = []
        self._http = plain_http(url)
        self.token: str = self.post("/api/login", json={"name": user, "password": password}).json()["token"]
        self._http.headers["Authorization"] = f"Bearer {self.token}"
        self.get = self._http.get
        self.put = self._http.put
        self.delete = self._http.delete
        self.request = self._http.request
        self.stream = self._http.stream

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self._http.post(path, **options)

    def create_room(self, name: str, **fields: Any) -> str:
        """Create a room; return its name."""
        response = self.post("/api/rooms", json={"name": name, **fields})
        assert response.status_code == 201, response.text
        return name

    def register(self, *extensions: Document, **worker: Any) -> httpx.Response:
        return self.post("/api/workers/register", json={"extensions": list(extensions), **worker})

    def submit(self, room: str, name: str = "Echo", data: Any = None, **options: Any) -> httpx.Response:
        """Submit a job; return the response."""
        category, params = options.pop("category", "analysis"), options.pop("params", None)
        path = f"/api/rooms/{room}/extensions/{category}/{name}/submit"
        return self.post(path, json={"data": data or {}, **options}, params=params)

    def order(self, room: str, name: str = "Echo", data: Any = None, **options: Any) -> Document:
        """Submit a job that must be accepted; return it."""
        response = self.submit(room, name, data, **options)
        assert response.status_code == 202, response.text
        job: Document = response.json()
        return job

    def task(self, workflow: str | None, actor: str | None = None, **payload: Any) -> httpx.Response:
        """Request a task of an actor; without an actor, register one first."""
        if actor is None:
            policy = {"actor": "painter", "retries": 3}
            assert self.register(extension(None, "Painter", policy=policy)).status_code in (200, 201)
        if workflow is not None:
            payload["workflow_run_id"] = workflow
        return self.post("/api/task", json={"actor": actor or "painter", "payload": payload})

    def job(self, job_id: str) -> Document:
        response = self.get(f"/api/jobs/{job_id}")
        assert response.status_code == 200, response.text
        job: Document = response.json()
        return job

    def items(self, path: str, **params: Any) -> list[Document]:
        """The items of a list."""
        response = self.get(path, params=params)
        assert response.status_code == 200, response.text
        items: list[Document] = response.json()["items"]
        return items

    def rooms(self) -> list[Document]:
        """All rooms that this person may enter, page by page: a server that many tests share has many."""
        found: list[Document] = []
        after: str | None = ""
        while after is not None:
            page = self.get("/api/rooms", params={"limit": 500, **({"after": after} if after else {})}).json()
            found += page["items"]
            after = page["next_after"]
        return found

    def listen(self, *rooms: str) -> SocketListener:
        """Connect a socket and join these rooms."""
        ear = SocketListener(self._loop, self.url, {"token": self.token})
        self._ears.append(ear)
        for room in rooms:
            ear.join(room)
        return ear

    def work(self, *extensions: Document, **worker: Any) -> SocketWorker:
        """Register a worker and connect it."""
        response = self.register(*extensions, **worker)
        assert response.status_code in (200, 201), response.text
        return self.speak_for(response.json()["worker_id"])

    def speak_for(self, worker_id: str) -> SocketWorker:
        """Connect as a worker that is registered."""
        hand = SocketWorker(self._loop, self, worker_id)
        self._ears.append(hand)
        return hand

    def close(self) -> None:
        for ear in self._ears:
            ear.close()
        self._http.close()


Meet = Callable[..., Person]


def the_problem(response: httpx.Response, status: int, code: str) -> Document:
    """Assert that the response is this problem; return its document."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem: Document = response.json()
    assert (problem["status"], problem["code"]) == (status, code), problem
    assert problem["type"] == f"urn:workroom:{code}"
    assert problem["title"]
    assert problem["detail"]
    return problem
