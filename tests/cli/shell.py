"""Commands as users type them, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


def workroom(*arguments: str, cwd: Path | None = None, **environment: str) -> Ran:
    """Run a command to its end."""
    return Ran(
        subprocess.run(
            [*WORKROOM, *arguments],
            cwd=cwd,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    )
