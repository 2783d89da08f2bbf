"""Servers and workers as users start them.

Tests fork theirs from a process that has imported everything and frozen it for the garbage collector: quicker
to start, but also quicker to run than what users have.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workroom.testing.forkserver import WORKROOM
from workroom.testing.processes import Process, ServerProcess, eventually

BARE = ["env"]  # a command that does not start with Python is executed, not forked


def fresh_server(data_dir: Path, *extensions: str, **settings: Any) -> ServerProcess:
    return ServerProcess(data_dir, *extensions, wrap=BARE, **settings)


def fresh_worker(url: str, *extensions: str, room: str, name: str, log: Path) -> Process:
    """Return once the worker is ready."""
    command = [*BARE, *WORKROOM, "worker", *extensions, "--room", room, "--name", name, "--url", url]
    worker = Process(command, {}, log)
    eventually(lambda: "Serving" in log.read_text(), seconds=60, what=f"worker {name}")
    return worker
