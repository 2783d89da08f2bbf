"""Starts `workroom` commands from a process that has imported everything already.

A suite starts hundreds of servers and workers, and most of what each start costs is imports. What comes out
is a process like any other, in a session of its own.
"""

from __future__ import annotations

import atexit
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
from typing import Any

import orjson

HEAVY = (
    "workroom.cli",
    "workroom.cli.worker",
    "workroom.client.sync",
    "workroom.runners.loading",
    "workroom.server.serving",
    "workroom.stores.redis.store",
)
_REQUEST_BYTES = 200_000


class Child:
    """What was born here, as `subprocess` would show it."""

    def __init__(self, pid: int, ending: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ending = ending

    def poll(self) -> int | None:
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._look(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("workroom", timeout or 0)
        return code

    def _look(self, seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._ending], [], [], seconds)[0]:
            self.returncode = int(os.read(self._ending, 100) or -signal.SIGKILL)
            os.close(self._ending)
        return self.returncode


class Nursery:
    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "workroom.testing.nursery", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        atexit.register(self.close)

    def bear(self, words: Sequence[str], environment: dict[str, str], stdout: int, stderr: int) -> Child:
        """Run `workroom …` with these words."""
        reading, writing = os.pipe()
        request = orjson.dumps({"words": words, "environment": environment, "folder": os.getcwd()})  # noqa: PTH109
        socket.send_fds(self._socket, [request], [stdout, stderr, writing])
        os.close(writing)
        return Child(int(self._socket.recv(100)), reading)

    def close(self) -> None:
        self._socket.close()
        self._process.wait(10)


class _Births:
    """The other side: forks for each request, and tells how each child ended."""

    def __init__(self, parent: socket.socket) -> None:
        self._parent = parent
        self._endings: dict[int, int] = {}
        self._woken, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(
            signal.SIGINT, signal.SIG_IGN
        )  # Ctrl-C is for who started us: they close what they opened

    def serve(self) -> list[str] | None:
        """The words of a command, in a child; None in here, at the end."""
        parent = self._parent.fileno()
        while True:
            ready, _, _ = select.select([parent, self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 1000)
                self._bury()
            if parent in ready:
                request, descriptors, _, _ = socket.recv_fds(self._parent, _REQUEST_BYTES, 3)
                if not request:
                    return None
                if (words := self._bear(orjson.loads(request), *descriptors)) is not None:
                    return words

    def _bear(self, request: dict[str, Any], stdout: int, stderr: int, ending: int) -> list[str] | None:
        pid = os.fork()
        if pid == 0:
            self._grow_up(request, stdout, stderr)
            return list(request["words"])
        self._endings[pid] = ending
        os.close(stdout)
        os.close(stderr)
        return None

    def _grow_up(self, request: dict[str, Any], stdout: int, stderr: int) -> None:
        os.setsid()
        self._parent.send(str(os.getpid()).encode())
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        os.closerange(3, 1024)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.path[:0] = [request["folder"], *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        random.seed()

    def _bury(self) -> None:
        while self._endings:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            ending = self._endings.pop(pid)
            os.write(ending, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(ending)


def main() -> None:
    for module in HEAVY:
        importlib.import_module(module)
    gc.freeze()
    words = _Births(socket.socket(fileno=int(sys.argv[1]))).serve()
    if words is not None:
        sys.argv = ["workroom", *words]
        importlib.import_module("workroom.cli").main()


if __name__ == "__main__":
    main()
