"""Commands as users type them, in processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson

from workroom.testing.processes import Process, eventually

WORKROOM = [sys.executable, "-m", "workroom"]


class Ran:
    """A command that has ended."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code = done.returncode
        self.out = done.stdout
        self.error = done.stderr

    @property
    def complaint(self) -> str:
        """The one line on stderr that says what is wrong."""
        assert self.error.startswith("workroom: "), self.error
        assert self.error.count("\n") == 1, self.error
        return self.error.removeprefix("workroom: ").strip()

    @property
    def json(self) -> Any:
        assert self.error == ""
        return orjson.loads(self.out)


class Started(Process):
    """A command that goes on until it is told to end."""

    def __init__(self, arguments: Sequence[str], environment: dict[str, str], log: Path) -> None:
        super().__init__([*WORKROOM, *arguments], environment, log)

    @property
    def said(self) -> str:
        return self.log.read_text()

    def says(self, words: str) -> str:
        """Wait for words; all that was said so far."""
        eventually(lambda: words in self.said or not self.is_alive, 60, f"'{words}'")
        assert words in self.said, self.said
        return self.said

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.signal(signal.SIGINT)

    def end(self) -> int:
        return self.child.wait(60)


Run = Callable[..., Ran]
Start = Callable[..., Started]


def workroom(*arguments: str, cwd: Path | None = None, stdin: str = "", **environment: str) -> Ran:
    """Run a command to its end."""
    return ran([*WORKROOM, *arguments], cwd=cwd, stdin=stdin, **environment)


def ran(command: list[str], cwd: Path | None = None, stdin: str = "", **environment: str) -> Ran:
    return Ran(
        subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **environment},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    )
