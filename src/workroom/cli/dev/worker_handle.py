"""One worker process as its supervisor sees it."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from typing import Any

import orjson

from workroom.cli.dev.worker_process import GO

Report = tuple["WorkerHandle", str, Any]  # kind and value; "ended" comes last, with the exit code
_MODULE = "workroom.cli.dev.worker_process"


class WorkerHandle:
    """Puts the process's reports, and its end, into a queue."""

    def __init__(self, arguments: dict[str, Any], reports: queue.Queue[Report]) -> None:
        self.has_problem = False  # and has reported it
        self._reports = reports
        reading, writing = os.pipe()
        command = [sys.executable, "-m", _MODULE, orjson.dumps(arguments).decode(), str(writing)]
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            command, stdin=subprocess.PIPE, pass_fds=[writing], start_new_session=True
        )
        os.close(writing)
        threading.Thread(target=self._read, args=(reading,), daemon=True).start()

    def serve(self) -> None:
        """Let the process register what it has loaded. Its standard input stays open: its end is a signal."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(GO.encode())
            self._process.stdin.flush()

    def stop(self, seconds: float) -> None:
        """Let running jobs end for so long, and then end them: a second signal does."""
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is None:
                self._process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
                break
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()

    def _read(self, reading: int) -> None:
        with os.fdopen(reading) as lines:
            for line in lines:
                for kind, value in orjson.loads(line).items():
                    self._reports.put((self, kind, value))
        self._reports.put((self, "ended", self._process.wait()))
