"""Real processes: a server on a free port, and workers that can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeVar

import orjson

from workroom.testing.nursery import Child, Nursery

T = TypeVar("T")
_Child = subprocess.Popen[bytes] | Child
WORKROOM = [sys.executable, "-m", "workroom"]
NEVER = 3600  # unless a test asks for the sweeper, nothing may depend on it
UNLIMITED = "1000000/second"
_BIRTH = threading.Lock()  # threads may start several processes; the nursery hears one at a time
ADMIN_PASSWORD = "open sesame"  # noqa: S105 - of servers that tests start


def eventually(check: Callable[[], T], seconds: float = 20.0, what: str = "the condition") -> T:
    """Wait until `check` gives something true, and give it back."""
    deadline = time.monotonic() + seconds
    while True:
        found = check()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come true within {seconds} s; last seen: {found!r}")
        time.sleep(0.02)


class Process:
    """A child in a process group of its own, so that a signal reaches it and nobody else."""

    def __init__(
        self, command: list[str], environment: dict[str, str], log: Path, *, talks: bool = False
    ) -> None:
        """One that talks has its standard output read here; what others say goes to the log."""
        self.log = log
        self.output: BinaryIO | None = None
        with ExitStack() as stack:
            logged: BinaryIO = stack.enter_context(log.open("ab"))
            said = logged
            if talks:
                self.output, said = _pipe()
                stack.callback(said.close)
            self.child = _born(command, {**os.environ, **environment}, said.fileno(), logged.fileno())

    @property
    def pid(self) -> int:
        return self.child.pid

    @property
    def is_alive(self) -> bool:
        return self.child.poll() is None

    def signal(self, number: int) -> None:
        if self.is_alive:
            os.killpg(self.child.pid, number)

    def kill(self) -> None:
        """kill -9: no goodbye."""
        self.signal(signal.SIGKILL)
        self.child.wait(10)

    def stop(self, seconds: float = 30.0) -> int:
        """SIGTERM, and wait for the end."""
        self.signal(signal.SIGTERM)
        return self.child.wait(seconds)

    def close(self) -> None:
        if self.is_alive:
            self.signal(signal.SIGCONT)
            self.kill()
        if self.output is not None:
            self.output.close()


def _pipe() -> tuple[BinaryIO, BinaryIO]:
    reading, writing = os.pipe()
    return open(reading, "rb"), open(writing, "wb")  # noqa: PTH123 - descriptors, closed by who asked


def _born(command: list[str], environment: dict[str, str], stdout: int, stderr: int) -> _Child:
    if command[: len(WORKROOM)] == WORKROOM:
        with _BIRTH:
            return _nursery().bear(command[len(WORKROOM) :], environment, stdout, stderr)
    return subprocess.Popen(  # noqa: S603 - the command is the test's own
        command,
        env=environment,
        stdout=stdout,
        stderr=stderr,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )


@cache
def _nursery() -> Nursery:
    return Nursery()


class ServerProcess:
    """`workroom serve` as users run it. Restarts keep the port and the data."""

    def __init__(
        self, data_dir: Path, *extensions: str, wrap: list[str] | None = None, **settings: Any
    ) -> None:
        self.data_dir = data_dir
        self._extensions = extensions
        self._wrap = wrap or []
        self._settings = {
            "workers": 0,
            "sweep": NEVER,
            "shutdown": 5,
            "admin_password": ADMIN_PASSWORD,
            "register_rate": UNLIMITED,
            "login_rate": UNLIMITED,
            "guess_rate": UNLIMITED,
            **settings,
        }
        self._port = 0
        self.admin_code = ""
        data_dir.mkdir(parents=True, exist_ok=True)
        self.process = self._start()

    def _start(self) -> Process:
        command = [*self._wrap, *WORKROOM, "serve", "--json", "--port", str(self._port)]
        command += ["--data-dir", str(self.data_dir)]
        for extension in self._extensions:
            command += ["--extensions", extension]
        environment = {f"WORKROOM_{name.upper()}": str(value) for name, value in self._settings.items()}
        process = Process(command, environment, self.data_dir / "server.log", talks=True)
        assert process.output is not None
        line = process.output.readline()
        if not line:
            process.child.wait(10)
            process.close()
            raise AssertionError(f"the server did not start:\n{process.log.read_text()}")
        address = orjson.loads(line)
        self._port = address["port"]
        self.admin_code = address["admin_link"].partition("#login=")[2]
        return process

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def log(self) -> str:
        return self.process.log.read_text()

    def kill(self) -> None:
        self.process.kill()

    def restart(self) -> None:
        if self.process.is_alive:
            self.process.stop()
        self.process.close()
        self.process = self._start()

    def close(self) -> None:
        if self.process.is_alive:
            try:
                self.process.stop()
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class WorkerProcess(Process):
    """`workroom worker` as users run it."""

    def __init__(
        self,
        url: str,
        *extensions: str,
        room: str | None = None,
        slots: int = 1,
        name: str = "worker",
        log: Path,
        environment: dict[str, str] | None = None,
    ) -> None:
        where = ["--public", "--password", ADMIN_PASSWORD] if room is None else ["--room", room]
        command = [*WORKROOM, "worker", *extensions, *where]
        command += ["--slots", str(slots), "--name", name, "--url", url]
        super().__init__(command, environment or {}, log)
