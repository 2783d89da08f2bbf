"""Extensions that try to break their worker process."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import sys
import tempfile
import threading
import time
from decimal import Decimal
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


class _Hidden(Exception):
    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("nothing to see")


class _Fatal(Exception):
    def __str__(self) -> str:
        raise SystemExit("not even an Exception")


def _with_names(*names: Any) -> Exception:
    error = ValueError("it has odd fields")
    for name in names:
        vars(error)[name] = 1
    return error


class Scalar:
    """A number as NumPy has them: neither an int nor a float."""

    def __init__(self, value: int) -> None:
        self._value = value

    def __index__(self) -> int:
        return self._value

    def __hash__(self) -> int:
        return self._value


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
    "words that end the process": _Fatal,
    "hidden fields": _Hidden,
    "a field named by half a surrogate": lambda: _with_names("\udcff"),
    "a field named by a number": lambda: _with_names(1),
}

REPORTS: dict[str, Any] = {
    "above one": 1.5,
    "below zero": -0.5,
    "not a number": float("nan"),
    "a fraction": Fraction(1, 2),
    "a text": "half",
    "no real number": 1j,
    "a decimal": Decimal("0.5"),
    "a number of its own type": Scalar(1),
    "more than a float can hold": 10**400,
}
REFUSED_REPORTS = ("a text", "no real number")


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
            job.progress(0.1)
            job.progress(REPORTS[self.what])  # held back, so a sender handles it later


class IsolatedReport(Report, category="hazards", isolation="process"): ...


class Count(Extension, category="hazards"):
    """Reports odd counts and messages."""

    what: str

    def run(self, job: JobContext) -> None:
        job.progress(0.1)
        job.progress(0.2, Scalar(1), current=REPORTS[self.what], total=REPORTS[self.what])  # type: ignore[arg-type]


class Hand(Extension, category="hazards"):
    """Hands over odd things to show, save and log, and returns what it was refused."""

    def run(self, job: JobContext) -> list[str]:
        logging.getLogger("hazards").warning(_Secretive())
        logging.addLevelName(35, Scalar(35))  # type: ignore[arg-type]
        logging.getLogger("hazards").log(35, "a level that is no text")
        job.show("half a surrogate: \udcff")
        refusals = []
        with tempfile.NamedTemporaryFile("w+") as text:
            for act in (
                lambda: job.show(Scalar(1)),
                lambda: job.show("x", kind="hologram"),
                lambda: job.save(Scalar(1), b"x"),  # type: ignore[arg-type]
                lambda: job.save("x", Scalar(1)),  # type: ignore[arg-type]
                lambda: job.save("x", text),
                lambda: job.save("x", b"x", media_type="no media type"),
            ):
                try:
                    act()
                except Exception as error:
                    refusals.append(str(error))
        return refusals


class Keys(Extension, category="hazards", isolation="process"):
    def run(self) -> Any:
        return {1: {Scalar(2): "two"}}


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


class _Late(BaseException):
    """Raised in a thread by another one."""


class Snipe(Extension, category="hazards"):
    """Has exceptions raised in its thread a little later: most of them land after `run()`."""

    def run(self) -> str:
        target = ctypes.c_ulong(threading.get_ident())

        def snipe() -> None:
            for _ in range(20):
                ctypes.pythonapi.PyThreadState_SetAsyncExc(target, ctypes.py_object(_Late))
                time.sleep(0.01)

        threading.Thread(target=snipe, name="sniper", daemon=True).start()
        return "left"


class Snipers(Extension, category="hazards"):
    """Counts the threads that still raise exceptions in others."""

    def run(self) -> int:
        return sum(thread.name == "sniper" for thread in threading.enumerate())


class Spill(Extension, category="hazards"):
    """Leaves a task behind that tries to end the event loop."""

    async def run(self) -> str:
        async def leave() -> None:
            raise SystemExit(3)

        self._task = asyncio.get_running_loop().create_task(leave())
        await asyncio.sleep(0.05)
        return "spilled"
