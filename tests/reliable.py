"""Extensions that misbehave. Each writes what it does into a diary: a file that its test reads."""

from __future__ import annotations

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
    """A unit of work that can write down what happened to it."""

    diary: str = os.devnull

    def note(self, word: str) -> None:
        with Path(self.diary).open("a") as file:
            file.write(f"{word}\n")


def notes(diary: Path) -> list[str]:
    return diary.read_text().splitlines() if diary.exists() else []


class Mark(Diary):
    word: str = "mark"

    def run(self) -> str:
        self.note(self.word)
        return self.word


class Hold(Diary):
    """Runs until the gate, a file, is there, or the job is cancelled."""

    gate: str

    def run(self, job: JobContext) -> int:
        self.note(f"{os.getpid()}")
        while not Path(self.gate).exists():
            job.check()
            time.sleep(0.01)
        return os.getpid()


class TwiceHold(Hold, retries=1):
    """The same; a lost worker is no reason to give up."""


class Poison(Diary, retries=1):
    """Takes its worker down each time."""

    def run(self) -> None:
        self.note("poison")
        os._exit(9)


class Strict(Diary, retries=3):
    """Tried again only if its worker is lost."""

    def run(self) -> None:
        self.note("strict")
        raise ValueError("not for me")


class Flaky(Diary, retries=1, retry_on="error"):
    """Fails as often as it is told."""

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
    """Is told to stop, writes that down, and goes on until the gate is there."""

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
    """Hears nothing and nobody."""

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
    """Behaves, in a process of its own."""

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
    """Has a child; neither ends by itself."""

    def run(self) -> None:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        self.note(f"{os.getpid()}")
        self.note(f"{child.pid}")
        child.wait()


class Orphaner(Diary, isolation="process"):
    """Dies without a word while a child that it forked lives on."""

    def run(self) -> None:
        child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,))
        child.start()
        self.note(f"{child.pid}")
        os.kill(os.getpid(), signal.SIGKILL)


class DiesOnce(Diary, retries=1):
    """Takes its worker down the first time."""

    def run(self) -> int:
        self.note("try")
        tries = len(notes(Path(self.diary)))
        if tries == 1:
            os._exit(9)
        return tries


class Speak(Diary):
    """Uses all that a job can say."""

    def run(self, job: JobContext, room: Room) -> str:
        print("printed")
        logging.getLogger("speak").warning("logged")
        job.progress(0.5, "half way")
        job.save("words.txt", b"saved")
        room.say("said")
        return room.name
