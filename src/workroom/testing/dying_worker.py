"""`python -m workroom.testing.dying_worker STEP worker ...`: a worker that is killed at a step of a job.

The process ends as by `kill -9`, in the instant in which the step is reached: nothing is reported after it.
"""

from __future__ import annotations

import os
import signal
import sys

from workroom.cli import main
from workroom.runtime.context import STEP


def die_at(step: str) -> None:
    """The steps are assigned, started, each message of `job.progress`, and ended."""

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == STEP and arguments[0] == step:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


if __name__ == "__main__":
    die_at(sys.argv.pop(1))
    main()
