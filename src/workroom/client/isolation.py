"""Runs a job in a process of its own: it can be killed, and limits on memory and time are the kernel's."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from typing import IO, Any

import orjson

from workroom.domain.job import JobError, JobState
from workroom.runtime import capture
from workroom.runtime.context import JobContext
from workroom.runtime.extension import ISOLATED, Extension
from workroom.runtime.outcome import Outcome


def execute_isolated(
    extension: type[Extension], data: bytes, job: JobContext, environment: dict[str, str]
) -> Outcome:
    """Start the process, pass its progress on, and give its outcome, or how it died.

    Its standard input stays open as long as this process lives: at its end the job dies too.
    """
    begun = time.perf_counter()
    reading, writing = os.pipe()
    child = subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-m", "workroom.client.isolated", str(writing)],
        stdin=subprocess.PIPE,
        pass_fds=[writing],
        env={**os.environ, **environment, ISOLATED: "1"},
        start_new_session=True,
    )
    os.close(writing)
    job.when_cancelled(lambda: _kill(child))
    threading.Thread(target=_bury, args=(child,), daemon=True).start()
    with open(reading, "rb") as lines:  # noqa: PTH123 - a descriptor, not a path
        _brief(child, extension, data, job)
        outcome = _follow(lines, job)
    child.wait()
    assert child.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        child.stdin.close()
    run_ms = (time.perf_counter() - begun) * 1000
    found = outcome or _death(child.returncode, job, extension)
    return Outcome(found.status, found.result, found.error, run_ms)


def _brief(child: subprocess.Popen[bytes], extension: type[Extension], data: bytes, job: JobContext) -> None:
    module = sys.modules[extension.__module__]
    brief = {
        "module": extension.__module__,
        "file": getattr(module, "__file__", None),
        "name": extension.__qualname__,
        "path": sys.path,
        "data": orjson.Fragment(data),
        "job": {"job_id": job.id, "room": job.room, "user": job.user, "attempt": job.attempt},
        "logs": asdict(job.printing.limits),
        "level": logging.getLogger().level,
        "quiet": capture.is_quiet(),
        "memory_mb": extension.isolation and extension.isolation.memory_mb,
        "cpu_s": extension.isolation and extension.isolation.cpu_s,
    }
    assert child.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        child.stdin.write(orjson.dumps(brief) + b"\n")
        child.stdin.flush()


def _follow(lines: IO[bytes], job: JobContext) -> Outcome | None:
    for line in lines:
        message: dict[str, Any] = orjson.loads(line)
        if "progress" in message:
            job.relay(message["progress"])
            continue
        if "lines" in message:
            job.printing.relay(message["lines"])
            continue
        error = message["error"] and JobError(**message["error"])
        result = None if message["result"] is None else orjson.dumps(message["result"])
        return Outcome(JobState(message["status"]), result, error)
    return None


def _death(code: int, job: JobContext, extension: type[Extension]) -> Outcome:
    if job.cancelled:
        return Outcome(JobState.CANCELLED)
    how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    limits = extension.isolation
    message = f"the process of the job died: {how}"
    if limits is not None and (limits.memory_mb or limits.cpu_s):
        message += f" (limits: memory {limits.memory_mb} MB, CPU {limits.cpu_s} s)"
    return Outcome(JobState.FAILED, error=JobError("ProcessDied", message, {"exit_code": code}, ""))


def _bury(child: subprocess.Popen[bytes]) -> None:
    """What the job leaves behind would hold its pipe open, and its slot."""
    child.wait()
    _kill(child)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """The whole group: what the job started dies with it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
