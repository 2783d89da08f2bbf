"""Extensions that misbehave. Each records what it does in a diary, a file that the test reads."""

from __future__ import annotations

import ctypes
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from workroom import Concurrency, Extension, JobContext, Room


class Diary(Extension):
    """An extension that keeps a diary."""

    diary: str = os.devnull

    def note(self, word: str) -> None:
        with Path(self.diary).open("a") as file:
            file.write(f"{word}\n")


def notes(diary: Path) -> list[str]:
    return diary.read_text().splitlines() if diary.exists() else []


class Fork(Diary):
    """Leaves a forked process behind, notes its id, and waits."""

    def run(self) -> None:
        child = os.fork()
        if not child:
            time.sleep(60)
            os._exit(0)
        self.note(str(child))
        time.sleep(60)


class ForkAndReturn(Extension):
    """Returns twice."""

    def run(self) -> int:
        return os.fork()


class HoldLock(Extension):
    """Holds the GIL, as some numerical libraries do."""

    seconds: int

    def run(self) -> str:
        ctypes.PyDLL(None).sleep(self.seconds)
        return "released"


class Mark(Diary):
    word: str = "mark"

    def run(self) -> str:
        self.note(self.word)
        return self.word


class Hold(Diary):
    """Runs until the gate, a file, exists or the job is cancelled."""

    gate: str

    def run(self, job: JobContext) -> int:
        self.note(f"{os.getpid()}")
        while not Path(self.gate).exists():
            job.check()
            time.sleep(0.01)
        return os.getpid()


class TwiceHold(Hold, retries=1):
    """`Hold`, retried when its worker is lost."""


class Poison(Diary, retries=1):
    """Kills its worker in each attempt."""

    def run(self) -> None:
        self.note("poison")
        os._exit(9)


class Strict(Diary, retries=3):
    """Is retried only when its worker is lost."""

    def run(self) -> None:
        self.note("strict")
        raise ValueError("not for me")


class Flaky(Diary, retries=1, retry_on="error"):
    """Fails a given number of times."""

    failures: int = 1

    def run(self) -> int:
        self.note("try")
        tries = len(notes(Path(self.diary)))
        if tries <= self.failures:
            raise ValueError(f"try {tries} failed")
        return tries


class Faulty(Diary):
    def run(self) -> None:
        raise ValueError("out of order")


class Deaf(Diary, timeout=0.5):
    """Records that it was cancelled, and continues until the gate exists."""

    gate: str

    def run(self, job: JobContext) -> None:
        while not job.cancelled:
            time.sleep(0.01)
        self.note("told")
        while not Path(self.gate).exists():
            time.sleep(0.01)


class Paint(Diary, concurrency=Concurrency("{provider}", {"midjourney": 1, "leonardo": 3})):
    provider: str
    gate: str

    def run(self) -> None:
        self.note(f"+ {self.provider}")
        while not Path(self.gate).exists():
            time.sleep(0.01)
        self.note(f"- {self.provider}")


class Spin(Diary, timeout=1.5, isolation="process"):
    """Ignores every signal."""

    def run(self) -> None:
        while True:
            pass


class Glutton(Diary, isolation="process", memory_mb=512):
    def run(self) -> int:
        return len(bytearray(2_000_000_000))


class Burner(Diary, isolation="process", cpu_s=1):
    def run(self) -> None:
        while True:
            pass


class Apart(Diary, isolation="process"):
    """Succeeds, in a process of its own."""

    def run(self, job: JobContext) -> dict[str, int]:
        job.progress(0.5, "half of it")
        job.progress(1.0, "all of it")
        return {"pid": os.getpid(), "parent": os.getppid()}


class ApartBreak(Diary, isolation="process"):
    def run(self) -> None:
        error = ValueError("broken apart")
        error.part = "gear"  # type: ignore[attr-defined]
        raise error


class Parent(Diary, isolation="process"):
    """Starts a child process; neither ends by itself."""

    def run(self) -> None:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        self.note(f"{os.getpid()}")
        self.note(f"{child.pid}")
        child.wait()


class Orphaner(Diary, isolation="process"):
    """Dies while a child that it forked lives on."""

    def run(self) -> None:
        child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,))
        child.start()
        self.note(f"{child.pid}")
        os.kill(os.getpid(), signal.SIGKILL)


class DiesOnce(Diary, retries=1):
    """Kills its worker in the first attempt."""

    def run(self) -> int:
        self.note("try")
        tries = len(notes(Path(self.diary)))
        if tries == 1:
            os._exit(9)
        return tries


class Speak(Diary):
    """Uses every kind of report."""

    def run(self, job: JobContext, room: Room) -> str:
        print("printed")
        logging.getLogger("speak").warning("logged")
        job.progress(0.5, "half way")
        job.save("words.txt", b"saved")
        room.post("said")
        return room.name


class Exclusive(Diary, isolation="process", concurrency=Concurrency("one")):
    """Holds a key, and ends only when it is killed."""

    def run(self) -> None:
        self.note(f"{os.getpid()}")
        while True:
            time.sleep(0.01)


class Patient(Hold, retries=1, on_lost="continue"):
    """`Hold`, which continues over an outage although it could be retried."""
