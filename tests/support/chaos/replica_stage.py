"""A stage with several servers on one Valkey. Each process knows all their addresses."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx

from support.chaos.proxy import FaultProxy
from support.chaos.stage import PATIENCE, QUICK, Stage
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually
from workroom.testing.valkey import Valkey

VALKEY_KILLED = "Valkey killed"
SERVER_FROZEN = "server frozen"
KEY = "a key that all servers on a store share"


class ReplicaStage(Stage):
    """The test reads through a server that is not broken at that moment."""

    valkey: Valkey
    servers: list[ServerProcess]
    links: list[FaultProxy]
    _turns: deque[ServerProcess] | None = None  # a single server on SQLite has none

    def open_replicas(
        self, settings: Mapping[str, float], servers: int = 3, wrap_last: list[str] | None = None
    ) -> None:
        """Start servers; each reaches Valkey over its own link. `wrap_last` starts the last one's command."""
        if not hasattr(self, "valkey"):
            self.start_valkey()
        socket = Path(self.valkey.url.removeprefix("unix://"))
        self.links = [self.proxy_to(socket) for _ in range(servers)]
        with ThreadPoolExecutor(servers) as threads:
            wraps = [*[None] * (servers - 1), wrap_last]
            self.servers = list(threads.map(partial(self._replica, settings), range(servers), wraps))
        self._turns = deque(self.servers)
        self.server = self.servers[0]
        self.http = self.login("admin", ADMIN_PASSWORD)
        self.take_any_worker()
        self._eyes = {server.url: self._eye(server) for server in self.servers}
        eventually(self._is_known_everywhere, PATIENCE, "the director being known at each server")

    def start_valkey(self, port: int = 0) -> None:
        """Start Valkey before the servers, to make it the primary of another."""
        self.valkey = Valkey(self.folder / "valkey", port=port)
        self.valkey.start()
        self._stack.callback(self.valkey.stop)

    def begin_anew(self) -> None:
        """The store was emptied: nobody is known any more."""
        self.server = self.servers[0]
        self.http = self.login("admin", ADMIN_PASSWORD)
        self.take_any_worker()

    def _is_known_everywhere(self) -> bool:
        return all(eye.get("/api/users/me").is_success for eye in self._eyes.values())

    def _replica(self, settings: Mapping[str, float], number: int, wrap: list[str] | None) -> ServerProcess:
        store = f"redis://127.0.0.1:{self.links[number].port}/0"
        folder = self.folder / f"server-{number + 1}"
        server = ServerProcess(folder, store=store, signing_key=KEY, wrap=wrap, **{**QUICK, **settings})
        self._stack.callback(server.close)
        return server

    def _eye(self, server: ServerProcess) -> httpx.Client:
        """A token of one server is valid at all of them."""
        http = httpx.Client(base_url=server.url, headers=dict(self.http.headers), timeout=PATIENCE)
        self._stack.callback(http.close)
        return http

    def address(self) -> str:
        """The addresses of all servers, in a different order for each process."""
        if self._turns is None:
            return super().address()
        urls = [server.url for server in self._turns]
        self._turns.rotate(-1)
        return ",".join(urls)

    def link_of(self, server: ServerProcess) -> FaultProxy:
        return self.links[self.servers.index(server)]

    def look_from_elsewhere(self, server: ServerProcess) -> None:
        self.server = next(each for each in self.servers if each is not server and each.process.is_alive)
        self.http = self._eyes[self.server.url]

    def kill_one(self, server: ServerProcess) -> None:
        self.server = server
        self.kill_server()
        self.look_from_elsewhere(server)

    @contextmanager
    def frozen(self, server: ServerProcess) -> Iterator[None]:
        self.look_from_elsewhere(server)
        self.freeze(server.process, SERVER_FROZEN)
        try:
            yield
        finally:
            server.process.signal(signal.SIGCONT)

    @contextmanager
    def without_valkey(self) -> Iterator[None]:
        """Kill Valkey; acknowledged writes are in its file."""
        dead = self.valkey.pid
        self.valkey.kill()
        self.journal.witness(VALKEY_KILLED, dead=dead)
        yield
        self.valkey.start()

    def after_refusals(self, count: int) -> None:
        """Wait until this many more requests of clients have failed."""
        goal = self._refusals() + count
        eventually(lambda: self._refusals() >= goal, PATIENCE, f"{count} refusals")

    def _refusals(self) -> int:
        written = [path.read_bytes() for path in self.journals.glob("client-*.jsonl")]
        return sum(text.count(b'"refused"') + text.count(b'"unanswered"') for text in written)
