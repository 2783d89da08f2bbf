"""Extensions that print."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

from workroom import Extension, JobContext, current_job
from workroom.progress import tqdm

log = logging.getLogger("printing")


class Chatter(Extension, category="analysis"):
    """Prints, warns and logs its own name repeatedly, next to others that do the same."""

    name: str
    lines: int = 200
    barriers: ClassVar[dict[str, threading.Barrier]] = {}

    def run(self) -> None:
        self.barriers[self.name[:-1]].wait(20)
        for number in range(self.lines):
            print(self.name, number)
            print(self.name, number, file=sys.stderr)
            log.warning("%s %s", self.name, number)
            time.sleep(0)


class AsyncChatter(Extension, category="analysis"):
    name: str
    lines: int = 200

    async def run(self) -> None:
        for number in range(self.lines):
            print(self.name, end=" ")
            await asyncio.sleep(0)
            print(number)
            print(self.name, number, file=sys.stderr)
            log.warning("%s %s", self.name, number)
            await asyncio.sleep(0)


class Threads(Extension, category="analysis"):
    """Prints from a thread, a timer and a pool that all jobs share."""

    name: str
    pool: ClassVar[ThreadPoolExecutor] = ThreadPoolExecutor(2)
    barriers: ClassVar[dict[str, threading.Barrier]] = {}

    def run(self) -> None:
        self.barriers[self.name[:-1]].wait(20)
        thread = threading.Thread(target=self._say, args=["thread"])
        parts = [thread, threading.Timer(0, self._say, ["timer"])]
        for part in parts:
            part.start()
        list(self.pool.map(self._say, ["pool"] * 50))
        asyncio.run(asyncio.to_thread(self._say, "asyncio"))
        for part in parts:
            part.join()

    def _say(self, where: str) -> None:
        print(self.name, where)
        time.sleep(0.001)


class Apart(Extension, category="analysis", isolation="process"):
    """`Threads` in a process of its own."""

    name: str
    lines: int = 50

    def run(self) -> None:
        for number in range(self.lines):
            print(self.name, number)
            print(self.name, number, file=sys.stderr)
            log.warning("%s %s", self.name, number)
        log.error("wrong %d", "arguments")
        print("no end of line", end="")


class Odd(Extension, category="analysis"):
    """Prints text that is hard to store."""

    def run(self) -> None:
        print("half", end="")
        print(" a line")
        print("10%\r50%\r100%")
        print("wide " * 5000)
        print("lone \ud800 surrogate")
        print()
        try:
            raise ValueError("with a trace")
        except ValueError:
            log.exception("it broke")
        print("the end", end="")


class Flood(Extension, category="analysis"):
    lines: int

    def run(self) -> int:
        for number in range(self.lines):
            print("line", number)
        return self.lines


class Halting(Extension, category="analysis"):
    """Prints a line, waits for the test, prints another."""

    key: str
    gates: ClassVar[dict[str, threading.Event]] = {}

    def run(self, job: JobContext) -> None:
        print("before")
        job.progress(0.1, "first")
        job.progress(0.2, "second")
        self.gates[self.key].wait(20)
        print("after")


class Bars(Extension, category="analysis"):
    def run(self) -> dict[str, object]:
        job = current_job()
        assert job is not None
        count = sum(1 for _ in tqdm(range(10_000), desc="bar"))
        return {"job": job.id, "count": count}
