"""Servers and workers as users start them.

Tests fork theirs from a process that has imported everything and frozen it for the garbage collector: quicker
to start, but also quicker to run than what users have.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from workroom.testing.forkserver import WORKROOM
from workroom.testing.processes import Process, ServerProcess, eventually

HERE = Path(__file__).parent


def fresh_server(
    data_dir: Path, *extensions: str, source: Path | None = None, **settings: Any
) -> ServerProcess:
    return ServerProcess(data_dir, *extensions, wrap=_executed(source), **settings)


def fresh_worker(
    url: str,
    *extensions: str,
    room: str,
    name: str,
    log: Path,
    slots: int = 1,
    source: Path | None = None,
) -> Process:
    """Return once the worker is ready."""
    command = [*_executed(source), *WORKROOM, "worker", *extensions]
    command += ["--room", room, "--name", name, "--url", url, "--slots", str(slots)]
    worker = Process(command, {}, log)
    eventually(lambda: "Serving" in log.read_text(), seconds=60, what=f"worker {name}")
    return worker


def _executed(source: Path | None) -> list[str]:
    """Executed and not forked, because it does not start with Python; `source` holds another `workroom`."""
    paths = [str(source)] * (source is not None) + [os.environ.get("PYTHONPATH", ""), str(HERE)]
    return ["env", f"PYTHONPATH={os.pathsep.join(filter(None, paths))}"]
