"""A process that starts the processes of a test run, and ends them when the run is over.

Servers and workers start as forks of a process that has imported Workroom already, because imports are most
of what a start costs. Other commands are executed. Each child has a session of its own.

The fork server reads requests from a socket. When the socket closes, even because the test run was killed, it
kills the children that are still alive.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import random
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

WORKROOM = [sys.executable, "-m", "workroom"]
_PRELOADED = (
    "workroom.cli",
    "workroom.cli.workers.worker",
    "workroom.client.sync_room",
    "workroom.runners.loading",
    "workroom.server.process",
    "workroom.stores.redis.store",
)
_REQUEST_BYTES = 200_000
_NOT_FOUND = 127  # as a shell exits
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # the end of the test run ends the fork server


@dataclass(frozen=True)
class Streams:
    """Descriptors of a child's standard streams."""

    stdin: int
    stdout: int
    stderr: int


class Child:
    """A child of the fork server, with the methods of `subprocess.Popen`."""

    def __init__(self, pid: int, exit_pipe: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._exit_pipe = exit_pipe

    def poll(self) -> int | None:
        return self._read_exit_code(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._read_exit_code(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("workroom", timeout or 0)
        return code

    def _read_exit_code(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._exit_pipe], [], [], timeout)[0]:
            self.returncode = int(os.read(self._exit_pipe, 100) or -signal.SIGKILL)
            os.close(self._exit_pipe)
        return self.returncode


class ForkServer:
    """The client's side: starts the fork server and sends it requests."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "workroom.testing.forkserver", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        atexit.register(self.close)

    def start(
        self, command: Sequence[str], environment: dict[str, str], folder: Path, streams: Streams
    ) -> Child:
        exit_pipe, writing = os.pipe()
        request = {"command": command, "environment": environment, "folder": str(folder)}
        descriptors = [streams.stdin, streams.stdout, streams.stderr, writing]
        socket.send_fds(self._socket, [orjson.dumps(request)], descriptors)
        os.close(writing)
        return Child(int(self._socket.recv(100)), exit_pipe)

    def close(self) -> None:
        self._socket.close()
        self._process.wait(10)


class _Server:
    """The server's side: forks for each request and reports exit codes."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._exit_pipes: dict[int, int] = {}
        self._woken, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in _IGNORED:
            signal.signal(number, signal.SIG_IGN)

    def serve(self) -> list[str] | None:
        """Return the arguments of `workroom` in a child, and None in the server when it ends."""
        requests = self._requests.fileno()
        while True:
            ready, _, _ = select.select([requests, self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 1000)
                self._report_exits()
            if requests in ready:
                request, descriptors, _, _ = socket.recv_fds(self._requests, _REQUEST_BYTES, 4)
                if not request:
                    self._kill_children()
                    return None
                if (arguments := self._fork(orjson.loads(request), descriptors)) is not None:
                    return arguments

    def _fork(self, request: dict[str, Any], descriptors: list[int]) -> list[str] | None:
        command: list[str] = request["command"]
        is_workroom = command[: len(WORKROOM)] == WORKROOM
        if is_workroom:
            _preload()
        pid = os.fork()
        if pid == 0:
            self._become_child(request, descriptors)
            if not is_workroom:
                _execute(command)
            return command[len(WORKROOM) :]
        *streams, self._exit_pipes[pid] = descriptors
        for stream in streams:
            os.close(stream)
        return None

    def _become_child(self, request: dict[str, Any], descriptors: list[int]) -> None:
        os.setsid()
        self._requests.send(str(os.getpid()).encode())
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, *_IGNORED):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for target, stream in enumerate(descriptors[:3]):
            os.dup2(stream, target)
        os.closerange(3, 1024)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])

    def _report_exits(self) -> None:
        while self._exit_pipes:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            exit_pipe = self._exit_pipes.pop(pid)
            with contextlib.suppress(BrokenPipeError):  # nobody waits for this child
                os.write(exit_pipe, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(exit_pipe)

    def _kill_children(self) -> None:
        for pid in self._exit_pipes:
            try:
                os.killpg(pid, signal.SIGKILL)
            except ProcessLookupError:  # it has ended, or has no session yet
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _preload() -> None:
    if _PRELOADED[-1] not in sys.modules:
        for module in _PRELOADED:
            importlib.import_module(module)
        gc.freeze()


def _execute(command: list[str]) -> None:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and ignored signals are inherited
    try:
        os.execvp(command[0], command)  # noqa: S606 - the test's own command
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
        os._exit(_NOT_FOUND)


def _run(arguments: list[str]) -> None:
    """Run `workroom` as if this process had just started."""
    paths = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:0] = [str(Path.cwd()), *paths]
    sys.argv = ["workroom", *arguments]
    random.seed()
    importlib.import_module("workroom.cli").main()


def main() -> None:
    arguments = _Server(socket.socket(fileno=int(sys.argv[1]))).serve()
    if arguments is not None:
        _run(arguments)


if __name__ == "__main__":
    main()
