"""The inside of an isolated job: `python -m workroom.client.isolated FD`, the brief on standard input."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson


def main() -> None:
    brief = orjson.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_die_with_parent, daemon=True).start()
    _limit(brief)
    sys.path[:] = brief["path"]
    send = _sender(int(sys.argv[1]))
    send(_outcome(brief, send))
    os._exit(0)


def _outcome(brief: dict[str, Any], send: Any) -> dict[str, Any]:
    """How it ended, also if it could not even begin."""
    from workroom.runtime.outcome import error_of  # noqa: PLC0415 - after the limits are set

    try:
        return _run(brief, send)
    except BaseException as error:
        return {"status": "failed", "result": None, "error": error_of(error)}


def _die_with_parent() -> None:
    """The worker's end of the pipe closes with the worker, however it ends."""
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGKILL)


def _limit(brief: dict[str, Any]) -> None:
    if brief["memory_mb"]:
        size = brief["memory_mb"] * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    if brief["cpu_s"]:
        resource.setrlimit(resource.RLIMIT_CPU, (brief["cpu_s"], brief["cpu_s"] + 1))


def _sender(descriptor: int) -> Any:
    pipe = os.fdopen(descriptor, "wb")

    def send(message: dict[str, Any]) -> None:
        pipe.write(orjson.dumps(message) + b"\n")
        pipe.flush()

    return send


def _run(brief: dict[str, Any], send: Any) -> dict[str, Any]:
    from workroom.domain.logs import LogLimits  # noqa: PLC0415 - after the limits are set
    from workroom.runtime.context import JobContext  # noqa: PLC0415
    from workroom.runtime.executor import execute  # noqa: PLC0415
    from workroom.runtime.printing import Printing  # noqa: PLC0415

    _listen(brief)
    job = JobContext(
        **brief["job"],
        sink=lambda document: send({"progress": document}),
        printing=Printing(lambda lines: send({"lines": lines}), LogLimits(**brief["logs"])),
        later=_later,
        outlet=lambda: _outlet(brief["job"]),
    )
    extension = _extension(brief)
    outcome = execute(extension, orjson.dumps(brief["data"]), job, _room(job.room), asyncio.run)
    last = job.last_words()
    if last is not None:
        send({"progress": last})
    result = None if outcome.result is None else orjson.Fragment(outcome.result)
    return {"status": outcome.status, "result": result, "error": outcome.error}


def _listen(brief: dict[str, Any]) -> None:
    """Output is captured here as in the worker, with its level and as quietly."""
    from workroom.runtime import capture  # noqa: PLC0415

    if brief["quiet"]:
        capture.be_quiet()
    logging.getLogger().setLevel(brief["level"])
    capture.install()


def _later(seconds: float, act: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()


def _extension(brief: dict[str, Any]) -> Any:
    """Import the class; one from a script is found by running the script under another name."""
    first, *rest = brief["name"].split(".")
    if brief["module"] == "__main__":
        found = _run_script(brief["file"])[first]
    else:
        found = getattr(importlib.import_module(brief["module"]), first)
    for part in rest:
        found = getattr(found, part)
    return found


def _run_script(file: str) -> dict[str, Any]:
    """Run the script for its definitions: in here it registers nothing, and waiting ends it."""
    from workroom.runtime.extension import ScriptEnd  # noqa: PLC0415

    names: dict[str, Any] = {"__name__": "__workroom__", "__file__": file}
    with contextlib.suppress(ScriptEnd):
        exec(compile(Path(file).read_bytes(), file, "exec"), names)  # noqa: S102 - the worker's own script
    return names


def _outlet(job: dict[str, Any]) -> Any:
    """The way out for files, if the code has any."""
    from workroom.client.outlet import open_outlet  # noqa: PLC0415 - the client is heavy

    return open_outlet(job["job_id"], job["room"])


def _room(name: str) -> Any:
    """The room, over a connection of this process's own, if the code asks for it."""

    def room_for(is_async: bool) -> Any:
        import workroom  # noqa: PLC0415 - the client is heavy, and most jobs do not need it

        return workroom.AsyncRoom(name) if is_async else workroom.Room(name)

    return room_for


if __name__ == "__main__":
    main()
