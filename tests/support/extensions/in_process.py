"""Extensions that the tests of the client serve, in this process or in one of their own."""

from __future__ import annotations

import asyncio
import threading
from typing import ClassVar

from pydantic import Field, field_validator

from workroom import AsyncRoom, Extension, JobContext, Room


class Add(Extension, category="analysis"):
    """Adds two numbers."""

    a: int = 0
    b: int = Field(0, ge=0)

    def run(self) -> int:
        return self.a + self.b


class Even(Extension, category="analysis"):
    """Has a constraint that a schema cannot express."""

    n: int = 0

    @field_validator("n")
    @classmethod
    def _even(cls, n: int) -> int:
        if n % 2:
            raise ValueError("must be even")
        return n

    def run(self) -> int:
        return self.n


class Fail(Extension, category="analysis"):
    message: str = "it broke"

    def run(self) -> None:
        raise LookupError(self.message)


class Hold(Extension, category="analysis"):
    """Runs until it is released or cancelled. The test and the worker share a process."""

    key: str
    gates: ClassVar[dict[str, threading.Event]] = {}
    begun: ClassVar[set[str]] = set()

    @classmethod
    def gate(cls, key: str) -> threading.Event:
        return cls.gates.setdefault(key, threading.Event())

    def run(self, job: JobContext) -> str:
        self.begun.add(self.key)
        while not self.gate(self.key).wait(0.01):
            job.check()
        return "let go"


class Count(Extension, category="analysis"):
    """Reports progress, and continues when the test has seen it."""

    key: str
    steps: int = 4

    def run(self, job: JobContext) -> int:
        for step in job.track(range(self.steps), "counting"):
            Hold.gate(f"{self.key}-{step}").wait(10)
        return self.steps


class Meet(Extension, category="analysis"):
    """Ends only when this many jobs of it run at the same time."""

    key: str
    people: int = 2
    barriers: ClassVar[dict[str, threading.Barrier]] = {}
    lock: ClassVar[threading.Lock] = threading.Lock()

    def run(self) -> str:
        with self.lock:
            barrier = self.barriers.setdefault(self.key, threading.Barrier(self.people))
        barrier.wait(10)
        return "met"


class AsyncMeet(Extension, category="analysis"):
    """`Meet` as a coroutine."""

    key: str
    people: int = 2
    barriers: ClassVar[dict[str, asyncio.Barrier]] = {}

    async def run(self) -> str:
        barrier = self.barriers.setdefault(self.key, asyncio.Barrier(self.people))
        async with asyncio.timeout(10):
            await barrier.wait()
        return "met"


class WhoAmI(Extension, category="analysis"):
    """Returns what `run()` can read about its job."""

    def run(self, room: Room, job: JobContext) -> dict[str, object]:
        return {
            "room": room.name,
            "job": [job.id, job.room, job.user, job.attempt, job.cancelled],
            "kind": type(room).__name__,
        }


class AsyncWhoAmI(Extension, category="analysis"):
    async def run(self, job: JobContext, room: AsyncRoom) -> dict[str, object]:
        return {"room": room.name, "job": job.id, "kind": type(room).__name__}


class Ask(Extension, category="analysis"):
    """Submits another job and returns its result."""

    a: int = 1

    def run(self, room: Room) -> object:
        return room.submit(Add(a=self.a)).result(timeout=20)


class AsyncAsk(Extension, category="analysis"):
    a: int = 1

    async def run(self, room: AsyncRoom) -> object:
        job = await room.submit(Add(a=self.a))
        return await job.result(timeout=20)
