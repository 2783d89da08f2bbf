"""Processes that end with the one that started them."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

GRACE_SECONDS = 5.0


@contextmanager
def running(commands: Sequence[Sequence[str]], log: Path) -> Iterator[None]:
    with log.open("ab") as output, ExitStack() as stack:
        for command in commands:
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )
            stack.callback(_end, child)
        yield


def _end(child: subprocess.Popen[bytes]) -> None:
    """Terminate the process, then kill its group, since its children may survive it."""
    child.terminate()
    with suppress(subprocess.TimeoutExpired):
        child.wait(GRACE_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait(GRACE_SECONDS)
