"""Commands as users type them, in processes of their own."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import orjson

from workroom.testing.forkserver import WORKROOM
from workroom.testing.processes import Process, eventually, start_process

_SECONDS = 60
_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE = 24, 1
_WITHOUT_PRIVILEGE = f"""
import ctypes, os, sys
ctypes.CDLL(None).prctl({_PR_CAPBSET_DROP}, {_CAP_DAC_OVERRIDE}, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""  # prctl is refused, and not needed, where the tests do not run as root


@dataclass(frozen=True)
class Ran:
    """The outcome of a command."""

    code: int
    out: str
    error: str

    @property
    def complaint(self) -> str:
        """The one line on stderr, without its prefix."""
        assert self.error.startswith("workroom: "), self.error
        assert self.error.count("\n") == 1, self.error
        return self.error.removeprefix("workroom: ").strip()

    @property
    def json(self) -> Any:
        assert self.error == ""
        return orjson.loads(self.out)


class Started(Process):
    """A command that runs until it is stopped."""

    def __init__(self, arguments: Sequence[str], environment: dict[str, str], log: Path) -> None:
        super().__init__([*WORKROOM, *arguments], environment, log)

    @property
    def printed(self) -> str:
        return self.log.read_text()

    def wait_for(self, text: str) -> str:
        """Wait until the command has printed a text; return everything it has printed."""
        eventually(lambda: text in self.printed or not self.is_alive, _SECONDS, f"'{text}'")
        assert text in self.printed, self.printed
        return self.printed

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.signal(signal.SIGINT)

    def end(self) -> int:
        return self.child.wait(_SECONDS)


Run = Callable[..., Ran]
Start = Callable[..., Started]


def workroom(*arguments: str, cwd: Path | None = None, stdin: str = "", **environment: str) -> Ran:
    """Run `workroom` to its end."""
    return ran([*WORKROOM, *arguments], cwd=cwd, stdin=stdin, **environment)


def workroom_bound_by_modes(*arguments: str, cwd: Path | None = None) -> Ran:
    """Run `workroom` as one who cannot write files that are read-only, even if the tests run as root."""
    return ran([sys.executable, "-c", _WITHOUT_PRIVILEGE, *WORKROOM, *arguments], cwd=cwd)


def ran(command: list[str], cwd: Path | None = None, stdin: str = "", **environment: str) -> Ran:
    """Run a command to its end."""
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as error:
        given.write(stdin.encode())
        for file in (given, out, error):
            file.seek(0)
        child = start_process(
            command,
            environment,
            stdin=given.fileno(),
            stdout=out.fileno(),
            stderr=error.fileno(),
            folder=cwd,
        )
        code = child.wait(_SECONDS)
        out.seek(0)
        error.seek(0)
        return Ran(code, out.read().decode(), error.read().decode())


def ran_on_a_terminal(*arguments: str) -> tuple[str, str]:
    """Run `workroom` with its standard error on a terminal; return its output and what the terminal shows."""
    ours, theirs = pty.openpty()
    command = [*WORKROOM, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(ours), b""))
        out, _ = process.communicate(timeout=_SECONDS)
    os.close(ours)
    return out, shown.decode()


def _read(terminal: int) -> bytes:
    """Empty once the other side is closed."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""
