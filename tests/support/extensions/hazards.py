"""Extensions that try to break their worker process."""

from __future__ import annotations

import asyncio
import sys
import threading
from fractions import Fraction
from typing import Any

from workroom import Extension, JobContext


class _Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words for it")


class _Secretive:
    def __repr__(self) -> str:
        raise RuntimeError("not telling")


def _with_field(value: object) -> Exception:
    error = ValueError("it has a field")
    error.field = value  # type: ignore[attr-defined]
    return error


ENDS: dict[str, Any] = {
    "RecursionError": lambda: RecursionError("too deep"),
    "ExceptionGroup": lambda: ExceptionGroup("many", [ValueError("a"), TypeError("b")]),
    "CancelledError": asyncio.CancelledError,
    "GeneratorExit": GeneratorExit,
    "KeyboardInterrupt": KeyboardInterrupt,
    "SystemExit": lambda: SystemExit(3),
}

MESSAGES: dict[str, Any] = {
    "no words": _Unprintable,
    "a field without repr": lambda: _with_field(_Secretive()),
    "a field of 20 MB": lambda: _with_field("x" * 20_000_000),
    "20 MB": lambda: ValueError("x" * 20_000_000),
    "a long type": lambda: type("E" * 300, (Exception,), {})("x"),
    "half a surrogate": lambda: ValueError("file \udcff"),
}

REPORTS: dict[str, Any] = {
    "above one": 1.5,
    "below zero": -0.5,
    "not a number": float("nan"),
    "a fraction": Fraction(1, 2),
    "a text": "half",
}


class Leave(Extension, category="hazards"):
    """Tries to end its thread, its loop or its process; `well` succeeds."""

    how: str

    def run(self) -> None:
        if self.how != "well":
            raise ENDS[self.how]()


class AsyncLeave(Extension, category="hazards"):
    how: str

    async def run(self) -> None:
        if self.how != "well":
            raise ENDS[self.how]()


class Raise(Extension, category="hazards"):
    """Raises exceptions that are hard to report."""

    what: str

    def run(self) -> None:
        if self.what != "well":
            raise MESSAGES[self.what]()


class Report(Extension, category="hazards"):
    """Reports invalid progress, then valid progress."""

    what: str = ""

    def run(self, job: JobContext) -> None:
        if self.what == "a long message":
            job.progress(0.5, "x" * 2000)
        elif self.what == "half a surrogate":
            job.progress(0.5, "\udcff")
        elif self.what == "more steps than announced":
            list(job.track(range(10), total=5))
        elif self.what:
            job.progress(REPORTS[self.what])


class Wait(Extension, category="hazards"):
    """Reports progress and waits until it is cancelled."""

    def run(self, job: JobContext) -> None:
        job.progress(0.25, "waiting")
        never = threading.Event()
        while not job.cancelled:
            never.wait(0.01)


class Burst(Extension, category="hazards"):
    """Returns a large result."""

    megabytes: float

    def run(self) -> str:
        return "x" * int(self.megabytes * 1_000_000)


class Print(Extension, category="hazards"):
    def run(self) -> str:
        sys.stdout.write("said by run() on stdout\n")
        sys.stderr.write("said by run() on stderr\n")
        sys.stdout.flush()
        return "printed"
