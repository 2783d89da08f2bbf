"""Runs an isolated job, given on standard input: `python -m workroom.client.worker.execution.isolated FD`."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import itertools
import logging
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import orjson

Document = dict[str, Any]
Send = Callable[[Document], None]


def main() -> None:
    job = orjson.loads(sys.stdin.buffer.readline())
    send = _sender(int(sys.argv[1]))
    calls = Calls(send)
    threading.Thread(target=_follow_worker, args=(calls,), daemon=True).start()
    _limit(job)
    sys.path[:] = job["path"]
    outcome = _outcome(job, send, calls)
    _flush_traces()
    send(outcome)
    os._exit(0)


class Calls:
    """Calls of the worker by this process: requests go through its pipe, replies come on standard input."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._numbers = itertools.count(1)
        self._open: dict[int, Future[Any]] = {}

    def call(self, name: str, arguments: Document) -> Future[Any]:
        number, future = next(self._numbers), Future[Any]()
        self._open[number] = future
        self._send({"call": number, "name": name, "arguments": arguments})
        return future

    def reply(self, reply: Document) -> None:
        from workroom.errors import from_code  # noqa: PLC0415 - after the limits are set

        future, error = self._open.pop(reply["reply"]), reply["error"]
        if error is None:
            future.set_result(reply["value"])
        else:
            future.set_exception(from_code(error["code"], error["detail"], **error["fields"]))


def _outcome(job: Document, send: Send, calls: Calls) -> Document:
    """How the job ended, including a failure to start."""
    from workroom.runtime.outcome import job_error  # noqa: PLC0415 - after the limits are set

    try:
        return _run(job, send, calls)
    except BaseException as error:
        return {"status": "failed", "result": None, "error": job_error(error)}


def _flush_traces() -> None:
    from workroom import tracing  # noqa: PLC0415 - after the limits are set

    tracing.flush()


def _follow_worker(calls: Calls) -> None:
    """The pipe reaches end of file when the worker dies, however that happens: die with it."""
    for line in sys.stdin.buffer:
        calls.reply(orjson.loads(line))
    os.killpg(0, signal.SIGKILL)


def _limit(job: Document) -> None:
    if job["memory_mb"]:
        size = job["memory_mb"] * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    if job["cpu_s"]:
        resource.setrlimit(resource.RLIMIT_CPU, (job["cpu_s"], job["cpu_s"] + 1))


def _sender(descriptor: int) -> Send:
    pipe, lock = os.fdopen(descriptor, "wb"), threading.Lock()

    def send(message: Document) -> None:
        with lock:
            pipe.write(orjson.dumps(message) + b"\n")
            pipe.flush()

    return send


def _run(document: Document, send: Send, calls: Calls) -> Document:
    from workroom import tracing  # noqa: PLC0415 - after the limits are set
    from workroom.domain.jobs.logs import LogLimits  # noqa: PLC0415
    from workroom.runtime.context import JobContext  # noqa: PLC0415
    from workroom.runtime.executor import execute  # noqa: PLC0415
    from workroom.runtime.output import JobOutput  # noqa: PLC0415

    _capture_output(document)
    job = JobContext(
        **document["job"],
        send_progress=lambda progress: send({"progress": progress}),
        output=JobOutput(lambda lines: send({"lines": lines}), LogLimits(**document["logs"])),
        call_later=_call_later,
        open_uploader=lambda: _uploader(document["job"]),
        exchange=calls.call,
    )
    extension = _extension(document)
    tracing.configure("workroom-job")
    with tracing.attached(os.environ.get(tracing.VARIABLE)):
        outcome = execute(
            extension, orjson.dumps(document["data"]), job, _room_factory(job.room, extension), asyncio.run
        )
    last = job.take_progress()
    if last is not None:
        send({"progress": last})
    result = None if outcome.result is None else orjson.Fragment(outcome.result)
    return {"status": outcome.status, "result": result, "error": outcome.error}


def _capture_output(job: Document) -> None:
    """Capture output as the worker does, with its log level and verbosity."""
    from workroom.runtime import capture  # noqa: PLC0415

    if job["quiet"]:
        capture.be_quiet()
    logging.getLogger().setLevel(job["level"])
    capture.install()


def _call_later(seconds: float, act: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()


def _extension(job: Document) -> Any:
    """Import the class. If it is defined in a script, run the script under another name to get it."""
    first, *rest = job["name"].split(".")
    if job["module"] == "__main__":
        found = _run_script(job["file"])[first]
    else:
        found = getattr(importlib.import_module(job["module"]), first)
    for part in rest:
        found = getattr(found, part)
    return found


def _run_script(file: str) -> dict[str, Any]:
    """Run the script for its definitions: here it registers nothing, and `room.wait()` ends it."""
    from workroom.runtime.extension import ScriptEnd  # noqa: PLC0415

    names: dict[str, Any] = {"__name__": "__workroom__", "__file__": file}
    with contextlib.suppress(ScriptEnd):
        exec(compile(Path(file).read_bytes(), file, "exec"), names)  # noqa: S102 - the worker's own script
    return names


def _uploader(job: Document) -> Any:
    from workroom.client.worker.reports.job_files import open_uploader  # noqa: PLC0415 - slow to import, rarely needed

    return open_uploader(job["job_id"], job["room"])


def _room_factory(name: str, extension: Any) -> Any:
    """Makes the room that `run()` takes, with a connection of this process and the job's token."""

    def room_for(is_async: bool) -> Any:
        from workroom.client.context import open_context  # noqa: PLC0415 - slow to import, rarely needed
        from workroom.client.room_data.writer import JobWriter  # noqa: PLC0415

        writer = JobWriter(extension.extension_name, extension.keep_on_failure)
        return open_context().room_for(name, os.environ["WORKROOM_TOKEN"], writer, is_async)

    return room_for


if __name__ == "__main__":
    main()
