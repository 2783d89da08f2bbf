"""Runs a job in its own process: it can be killed, and the kernel enforces its limits."""

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
from workroom.errors import WorkroomError
from workroom.runtime import capture
from workroom.runtime.context import JobContext
from workroom.runtime.extension import ISOLATED, Extension
from workroom.runtime.forks import close_in_children
from workroom.runtime.outcome import Outcome


def execute_isolated(
    extension: type[Extension], data: bytes, job: JobContext, environment: dict[str, str]
) -> Outcome:
    """Start the process, relay its progress and output, and return how it ended.

    Its standard input stays open as long as this process lives; at end of file it kills itself.
    """
    started = time.perf_counter()
    read_end, write_end = os.pipe()
    child = subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-m", "workroom.client.worker.execution.isolated", str(write_end)],
        stdin=subprocess.PIPE,
        pass_fds=[write_end],
        env={**os.environ, **environment, ISOLATED: "1"},
        start_new_session=True,
    )
    os.close(write_end)
    assert child.stdin is not None
    close_in_children(child.stdin)  # or a child of another job would keep this one alive without its worker
    job.when_cancelled(lambda: _kill(child))
    threading.Thread(target=_kill_leftovers, args=(child,), daemon=True).start()
    with open(read_end, "rb") as messages:  # noqa: PTH123 - a descriptor, not a path
        _send_job(child, extension, data, job)
        outcome = _relay(messages, job, child)
    child.wait()
    with contextlib.suppress(BrokenPipeError):
        child.stdin.close()
    run_ms = (time.perf_counter() - started) * 1000
    found = outcome or _death(child.returncode, job, extension)
    return Outcome(found.status, found.result, found.error, run_ms)


def _send_job(
    child: subprocess.Popen[bytes], extension: type[Extension], data: bytes, job: JobContext
) -> None:
    module = sys.modules[extension.__module__]
    document = {
        "module": extension.__module__,
        "file": getattr(module, "__file__", None),
        "name": extension.__qualname__,
        "path": sys.path,
        "data": orjson.Fragment(data),
        "job": {"job_id": job.id, "room": job.room, "user": job.user, "attempt": job.attempt},
        "logs": asdict(job.output.limits),
        "level": logging.getLogger().level,
        "quiet": capture.is_quiet(),
        "memory_mb": extension.isolation and extension.isolation.memory_mb,
        "cpu_s": extension.isolation and extension.isolation.cpu_s,
    }
    assert child.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        child.stdin.write(orjson.dumps(document) + b"\n")
        child.stdin.flush()


def _relay(messages: IO[bytes], job: JobContext, child: subprocess.Popen[bytes]) -> Outcome | None:
    """Return the outcome that the process sends last, or None if it died before."""
    replies = threading.Lock()
    for line in messages:
        message: dict[str, Any] = orjson.loads(line)
        if "call" in message:
            threading.Thread(target=_make_call, args=(message, job, child, replies), daemon=True).start()
            continue
        if "progress" in message:
            job.relay(message["progress"])
            continue
        if "lines" in message:
            job.output.relay(message["lines"])
            continue
        error = message["error"] and JobError(**message["error"])
        result = None if message["result"] is None else orjson.dumps(message["result"])
        return Outcome(JobState(message["status"]), result, error)
    return None


def _make_call(
    message: dict[str, Any], job: JobContext, child: subprocess.Popen[bytes], replies: threading.Lock
) -> None:
    """A thread of its own: an answer may take days."""
    reply: dict[str, Any] = {"reply": message["call"], "value": None, "error": None}
    try:
        reply["value"] = job.exchanges.relay(message["name"], message["arguments"]).result()
    except WorkroomError as error:
        reply["error"] = {"code": error.code, "detail": error.detail, "fields": error.fields}
    assert child.stdin is not None
    with replies, contextlib.suppress(BrokenPipeError, ValueError):
        child.stdin.write(orjson.dumps(reply) + b"\n")
        child.stdin.flush()


def _death(code: int, job: JobContext, extension: type[Extension]) -> Outcome:
    if job.cancelled:
        return Outcome(JobState.CANCELLED)
    cause = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    limits = extension.isolation
    message = f"the job's process died: {cause}"
    if limits is not None and (limits.memory_mb or limits.cpu_s):
        message += f" (limits: memory {limits.memory_mb} MB, CPU {limits.cpu_s} s)"
    return Outcome(JobState.FAILED, error=JobError("ProcessDied", message, {"exit_code": code}, ""))


def _kill_leftovers(child: subprocess.Popen[bytes]) -> None:
    """Kill what the job started and left running: it would keep the pipe open, and so the slot."""
    child.wait()
    _kill(child)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kill the whole process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
