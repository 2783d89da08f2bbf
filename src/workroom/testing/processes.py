"""Real processes for tests: a server on a free port, and workers that can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeVar

import orjson

from workroom.testing.forkserver import WORKROOM, Child, ForkServer, Streams

T = TypeVar("T")
_DYING = "workroom.testing.dying_worker"
NEVER = 3600  # the sweeper runs only in tests that set its interval
UNLIMITED = "1000000/second"
_ROOMY = {  # one guest of a test or a benchmark does the work of many people
    "guest_rate": UNLIMITED,
    "room_rate": UNLIMITED,
    "chat_rate": UNLIMITED,
    "annotate_rate": UNLIMITED,
    "quota_rooms_guest": 1000,
    "quota_extensions_guest": 1000,
    "quota_workers_guest": 10_000,
    "quota_slots_guest": 100_000,
    "quota_jobs_guest": 10_000_000,
}
_STARTING = (
    threading.Lock()
)  # threads may start several processes; the fork server takes one request at a time
ADMIN_PASSWORD = "open sesame"  # noqa: S105 - of servers that tests start


def eventually(check: Callable[[], T | None], seconds: float = 20.0, what: str = "the condition") -> T:
    """Wait until `check` returns something true, and return it."""
    deadline = time.monotonic() + seconds
    while True:
        found = check()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come true within {seconds} s; last seen: {found!r}")
        time.sleep(0.02)


def start_process(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdout: int,
    stderr: int,
    stdin: int | None = None,
    folder: Path | None = None,
) -> Child:
    """Start a process that does not outlive this one, however this one ends."""
    with ExitStack() as stack:
        if stdin is None:
            stdin = os.open(os.devnull, os.O_RDONLY)
            stack.callback(os.close, stdin)
        streams = Streams(stdin, stdout, stderr)
        with _STARTING:
            return _fork_server().start(command, {**os.environ, **environment}, folder or Path.cwd(), streams)


@cache
def _fork_server() -> ForkServer:
    return ForkServer()


class Process:
    """A process with a process group of its own: a signal reaches it and its children alone."""

    def __init__(
        self, command: list[str], environment: dict[str, str], log: Path, *, pipe_output: bool = False
    ) -> None:
        """Output goes to the log; with `pipe_output`, standard output is read from `output`."""
        self.log = log
        self.output: BinaryIO | None = None
        with ExitStack() as stack:
            logged: BinaryIO = stack.enter_context(log.open("ab"))
            stdout = logged
            if pipe_output:
                self.output, stdout = _pipe()
                stack.callback(stdout.close)
            self.child = start_process(command, environment, stdout=stdout.fileno(), stderr=logged.fileno())

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
        """Send SIGKILL and wait for the end."""
        self.signal(signal.SIGKILL)
        self.child.wait(10)

    def stop(self, seconds: float = 30.0) -> int:
        """Send SIGTERM and wait for the end."""
        self.signal(signal.SIGTERM)
        self.signal(signal.SIGCONT)  # a frozen process handles no signal
        return self.child.wait(seconds)

    def close(self) -> None:
        if self.is_alive:
            self.signal(signal.SIGCONT)
            self.kill()
        if self.output is not None:
            self.output.close()


def _pipe() -> tuple[BinaryIO, BinaryIO]:
    reading, writing = os.pipe()
    return open(reading, "rb"), open(writing, "wb")  # noqa: PTH123 - descriptors; the caller closes them


class ServerProcess:
    """`workroom serve` as users run it. A restart keeps the port and the data."""

    def __init__(self, data_dir: Path, *extensions: str, **settings: Any) -> None:
        """Settings by name; `wrap` is a command that starts the server's command."""
        self.data_dir = data_dir
        self._extensions = extensions
        self._wrap: list[str] = settings.pop("wrap", None) or []
        self._settings = {
            "workers": 0,
            "packs": "[]",
            "sweep": NEVER,
            "shutdown": 5,
            "rooms": "demo",
            "admin_password": ADMIN_PASSWORD,
            "register_rate": UNLIMITED,
            "login_rate": UNLIMITED,
            "guess_rate": UNLIMITED,
            "account_guess_rate": UNLIMITED,
            "invite_guess_rate": UNLIMITED,
            "code_guess_rate": UNLIMITED,
            **_ROOMY,
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
        process = Process(command, environment, self.data_dir / "server.log", pipe_output=True)
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

    def restart(self, **settings: Any) -> None:
        """Restart with these settings changed."""
        self._settings.update(settings)
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
        dies_at: str | None = None,
    ) -> None:
        """`dies_at` is the step of its first job at which it is killed: see `dying_worker`."""
        where = ["--public", "--password", ADMIN_PASSWORD] if room is None else ["--room", room, "--create"]
        start = WORKROOM if dies_at is None else [sys.executable, "-m", _DYING, dies_at]
        command = [*start, "worker", *extensions, *where]
        command += ["--slots", str(slots), "--name", name, "--url", url]
        super().__init__(command, environment or {}, log)
