"""A private room, its contents, and callers with different rights to it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from typing import Any, TypeVar

import httpx
import jwt

from support.users import Document, LoopThread, Person, SocketListener, SocketWorker, extension, plain_http
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess

P = TypeVar("P", bound=Person)
CALLERS = (
    "nobody",
    "guest",
    "user",
    "viewer",
    "member",
    "owner",
    "worker",
    "other",
    "job",
    "expired",
    "admin",
)
PASSWORD = "correct horse battery"
_numbers = count(1)


class Bearer(Person):
    """A person with a given token, or without one."""

    def __init__(self, loop: LoopThread, url: str, user: str, token: str | None) -> None:
        self.url = url
        self.user = user
        self._loop = loop
        self._ears: list[SocketListener] = []
        self._http = plain_http(url)
        self.token = token or ""
        if token is not None:
            self._http.headers["Authorization"] = f"Bearer {token}"
        self.get = self._http.get
        self.put = self._http.put
        self.delete = self._http.delete
        self.request = self._http.request
        self.stream = self._http.stream


def signed(server: ServerProcess, **claims: Any) -> str:
    """A token signed with the server's key, with other claims."""
    key = bytes.fromhex((server.data_dir / "signing.key").read_text())
    now = int(time.time())
    session = {"sid": secrets.token_hex(12), "session_exp": now + 1000}
    usual = {"jti": secrets.token_hex(12), "sub": "admin", "role": "admin", "epoch": 1, "room": None}
    times = {"iat": now - 100, "exp": now + 1000, "aud": "workroom", "iss": "workroom"}
    return jwt.encode({**usual, **session, **times, **claims}, key, "HS256")


def job_token(item: Document) -> str:
    return f"job.{item['job_id']}.{item['attempt']}.{item['token']}"


class AccessScenario:
    """A private room with an owner, a member, a viewer, and a worker that runs a job of the member."""

    def __init__(self, server: ServerProcess, loop: LoopThread, stack: ExitStack) -> None:
        self.server = server
        self._loop = loop
        self._stack = stack
        self.admin = self._enter(Person(loop, server.url, "admin", ADMIN_PASSWORD))
        self.guest, self.viewer, self.member, self.owner = (
            self.person(name) for name in ("guest", "viewer", "member", "owner")
        )
        self.user = self._user()
        self.worker, self.other = self.machine("worker"), self.machine("other")
        self.nobody = self.bearer("nobody", None)
        self.expired = self.bearer("admin", signed(server, exp=int(time.time()) - 1))
        self.room = self.fresh_room()
        self.open = self.fresh_room(private=False)
        self.gone = self.fresh_room()
        assert self.owner.delete(f"/api/rooms/{self.gone}").status_code == 200
        self.hand: SocketWorker = self.worker.work(extension(self.room), slots=1)
        self._stack.callback(self.worker.close)
        self.done = self._done()
        self.document = self._new_document()
        self.member.order(self.room)
        self.item = self.hand.take()
        assert self.hand.start(self.item) is None
        self.job = self.bearer(self.member.user, job_token(self.item))
        assert self.hand.save(self.item, "plot.png", b"pixels").status_code == 200
        assert self.hand.show(self.item, "png", b"pixels").status_code == 200
        self.task = str(self._task())
        self.file = self.fresh_file(self.owner, self.room)
        self.fresh_preset(self.owner, name="wide")
        self.open_file = self.fresh_file(self.owner, self.open)
        self.fresh_record("s1")
        self.group = self.fresh_group()
        self._asker: SocketWorker = self.worker.work(extension(self.room, "Asker"), slots=64)

    def person(self, name: str) -> Person:
        return self._enter(Person(self._loop, self.server.url, f"{name}-{next(_numbers)}"))

    def login(self, user: str, password: str) -> Person:
        return self._enter(Person(self._loop, self.server.url, user, password))

    def bearer(self, user: str, token: str | None) -> Bearer:
        return self._enter(Bearer(self._loop, self.server.url, user, token))

    def linked(self, maker: Person, room: str) -> Bearer:
        """A page that came with a view link."""
        ticket = maker.post(f"/api/rooms/{room}/view-link").json()["ticket"]
        granted = self.nobody.post("/api/login", json={"ticket": ticket}).json()
        return self.bearer(granted["user"], granted["token"])

    def machine(self, name: str, **fields: Any) -> Bearer:
        body = {"name": f"{name}-{next(_numbers)}", **fields}
        answer = self.admin.post("/api/tokens", json=body).json()
        return self.bearer(answer["user"], answer["token"])

    def things(self) -> dict[str, Callable[[], str]]:
        """Ids and names for paths and bodies; fresh ones are created by each call."""
        return {
            "room": lambda: self.room,
            "open": lambda: self.open,
            "job": lambda: str(self.item["job_id"]),
            "done": lambda: self.done,
            "worker": lambda: self.hand.id,
            "member": lambda: self.member.user,
            "guest": lambda: self.guest.user,
            "name": lambda: f"fresh-{next(_numbers)}",
            "fresh_room": self.fresh_room,
            "fresh_open": lambda: self.fresh_room(private=False),
            "fresh_job": lambda: str(self.member.order(self.room)["id"]),
            "owners_job": lambda: str(self.owner.order(self.room)["id"]),
            "fresh_asking": self.fresh_asking,
            "fresh_worker": self.fresh_worker,
            "fresh_waiting": self.fresh_waiting,
            "task": lambda: self.task,
            "fresh_task": self._new_task,
            "file": lambda: self.file,
            "open_file": lambda: self.open_file,
            "fresh_file": lambda: self.fresh_file(self.member, self.room),
            "owners_file": lambda: self.fresh_file(self.owner, self.room),
            "fresh_preset": lambda: self.fresh_preset(self.member),
            "room_preset": lambda: self.fresh_preset(self.owner),
            "fresh_open_file": lambda: self.fresh_file(self.owner, self.open),
            "document": lambda: self.document,
            "digest": lambda: "0" * 64,
            "fresh_document": self._new_document,
            "fresh_record": self.fresh_record,
            "group": lambda: self.group,
            "fresh_group": self.fresh_group,
            "version": lambda: str(self._write(self._new_document())["version"]),
        }

    def missing(self) -> dict[str, Callable[[], str]]:
        """Ids and names of things that do not exist."""
        jobs = dict.fromkeys(
            ("job", "done", "fresh_job", "owners_job", "fresh_asking"), lambda: secrets.token_hex(16)
        )
        workers = dict.fromkeys(("worker", "fresh_worker", "fresh_waiting"), lambda: secrets.token_hex(16))
        rooms = dict.fromkeys(("room", "fresh_room"), lambda: self.gone)
        groups = dict.fromkeys(("group", "fresh_group"), lambda: f"grp_{secrets.token_hex(16)}")
        files = dict.fromkeys(("file", "fresh_file", "owners_file"), lambda: secrets.token_hex(16))
        presets = dict.fromkeys(("fresh_preset", "room_preset"), lambda: secrets.token_hex(16))
        tasks = dict.fromkeys(("task", "fresh_task"), lambda: f"tq_{secrets.token_hex(16)}")
        return {**self.things(), **jobs, **workers, **rooms, **groups, **files, **presets, **tasks}

    def _new_document(self) -> str:
        key = f"fresh-{next(_numbers)}"
        self._write(key)
        return key

    def _write(self, key: str) -> Document:
        written: Document = self.owner.put(f"/api/rooms/{self.room}/state/{key}", json=next(_numbers)).json()
        return written

    def fresh_room(self, *, private: bool = True) -> str:
        name = f"room-{next(_numbers)}"
        assert self.owner.post("/api/rooms", json={"name": name, "private": private}).status_code == 201
        for user in (self.member.user, self.worker.user):
            self.owner.post(f"/api/rooms/{name}/members", json={"user": user})
        if private:
            viewer = {"user": self.viewer.user, "role": "viewer"}
            assert self.owner.post(f"/api/rooms/{name}/members", json=viewer).status_code == 201
        return name

    def workers_of(self, room: str) -> list[Document]:
        """The workers that serve this room alone."""
        found = self.owner.items(f"/api/rooms/{room}/workers")
        return [each for each in found if room in [offer["room"] for offer in each["extensions"]]]

    def fresh_asking(self) -> str:
        """A running job of the member with an open question."""
        job = self.member.order(self.room, "Asker")
        item = self._asker.take()
        assert self._asker.start(item) is None
        assert self._asker.ask(item)["answers"] == [None]
        return str(job["id"])

    def fresh_worker(self) -> str:
        return str(self.worker.register(extension(self.fresh_room())).json()["worker_id"])

    def fresh_waiting(self) -> str:
        """A worker of a new member that offers an extension the room already has."""
        person = self.person("newcomer")
        self.owner.post(f"/api/rooms/{self.room}/members", json={"user": person.user})
        registered = person.register(extension(self.room)).json()
        assert registered["awaiting_consent"], registered
        return str(registered["worker_id"])

    def fresh_file(self, person: Person, room: str) -> str:
        response = person.post(f"/api/rooms/{room}/files", params={"name": "notes.txt"}, content=b"notes")
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    def fresh_record(self, id: str | None = None) -> str:
        id = id or f"record-{next(_numbers)}"
        response = self.owner.put(f"/api/rooms/{self.room}/records/shots/{id}", json={"body": {}})
        assert response.status_code == 200, response.text
        return id

    def fresh_group(self) -> str:
        """An open group of the member."""
        body = {"jobs": [{"category": "analysis", "name": "Echo"}], "open": True}
        response = self.member.post(f"/api/rooms/{self.room}/groups", json=body)
        assert response.status_code == 202, response.text
        return str(response.json()["group"]["id"])

    def fresh_preset(self, person: Person, name: str | None = None) -> str:
        name = name or f"preset-{next(_numbers)}"
        path = f"/api/rooms/{self.room}/presets/analysis/Echo/room/{name}"
        response = person.put(path, json={"data": {}})
        assert response.status_code == 200, response.text
        return name

    def _task(self) -> str:
        policy = {"actor": "painter"}
        assert self.admin.register(extension(None, "Painter", policy=policy)).status_code == 201
        return self._new_task()

    def _new_task(self) -> str:
        response = self.member.task(self.room, "painter")
        assert response.status_code == 202, response.text
        return str(response.json()["task_id"])

    def _user(self) -> Person:
        body = {"name": f"user-{next(_numbers)}", "password": PASSWORD}
        assert self.admin.post("/api/users", json=body).status_code == 201
        return self.login(body["name"], PASSWORD)

    def _done(self) -> str:
        job = self.member.order(self.room)
        self.hand.run(self.hand.take())
        return str(job["id"])

    def _enter(self, person: P) -> P:
        self._stack.callback(person.close)
        return person


def rows(table: str) -> dict[str, dict[str, str]]:
    """Parse rows of `what cell cell …`, with one cell per caller."""
    lines = [line.split() for line in table.strip().splitlines() if line.strip()]
    cells = {" ".join(line[: -len(CALLERS)]): line[-len(CALLERS) :] for line in lines}
    return {what: dict(zip(CALLERS, line, strict=True)) for what, line in cells.items()}


def filled(value: Any, things: dict[str, Callable[[], str]]) -> Any:
    """Fill the placeholders of `value`."""
    if isinstance(value, str):
        for name, make in things.items():
            if f"{{{name}}}" in value:
                value = value.replace(f"{{{name}}}", make())
        return value
    if isinstance(value, dict):
        return {key: filled(each, things) for key, each in value.items()}
    return [filled(each, things) for each in value] if isinstance(value, list) else value


def without_names(response: httpx.Response, names: list[str]) -> Any:
    text = response.text
    for name in names:
        text = text.replace(name, "…")
    return response.status_code, text
