"""Extensions that ask people, wait for children, and call providers."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel

from workroom import AsyncRoom, Extension, JobContext, Room
from workroom.errors import AnswerTimeout
from workroom.testing.processes import eventually


class Verdict(StrEnum):
    KEEP = "keep"
    DISCARD = "discard"


class Choice(BaseModel):
    """What to do with a structure."""

    verdict: Verdict = Verdict.KEEP
    note: str = ""


class Confirm(Extension, category="analysis"):
    """Asks whether to keep a structure."""

    text: str = "Keep this structure?"
    timeout: float | None = None

    def run(self, job: JobContext) -> str:
        try:
            choice = job.ask(self.text, Choice, timeout=self.timeout)
        except AnswerTimeout:
            return "nobody answered"
        assert isinstance(choice, Choice)
        return f"{choice.verdict}: {choice.note}"


class GatedConfirm(Confirm, category="analysis"):
    """`Confirm` that makes a folder, and asks once it has a file `open`."""

    gate: str

    def run(self, job: JobContext) -> str:
        Path(self.gate).mkdir()
        eventually(Path(self.gate, "open").exists)
        return super().run(job)


class AsyncConfirm(Extension, category="analysis"):
    """`Confirm` as a coroutine, with a plain schema."""

    async def run(self, job: JobContext) -> int:
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        first = await job.ask_async("How many?", schema)
        second = await job.ask_async("How many?", schema)
        return int(first["n"]) + int(second["n"])


class IsolatedConfirm(Confirm, category="analysis", isolation="process"):
    """`Confirm` in a process of its own."""


class PatientConfirm(Confirm, category="analysis", retries=3):
    """`Confirm` that survives the loss of its worker."""


class Quick(Extension, category="analysis"):
    def run(self) -> str:
        return "quick"


class Descend(Extension, category="analysis"):
    """Submits itself and waits for the result, so many levels deep."""

    depth: int = 0

    def run(self, room: Room) -> int:
        if self.depth == 0:
            return 0
        child = room.submit(Descend(depth=self.depth - 1))
        return int(child.result()) + 1


class Delegate(Extension, category="analysis"):
    """Submits a job that asks, and waits for it."""

    def run(self, room: Room) -> str:
        return str(room.submit(Confirm()).result())


class Gather(Extension, category="analysis"):
    """Submits a group and waits until it has ended."""

    def run(self, room: Room) -> int:
        group = room.submit_many([Quick()] * 3)
        group.wait()
        return len(group.results())


class Listen(Extension, category="analysis"):
    """Submits a job and listens to it."""

    def run(self, room: Room) -> list[str]:
        return list(room.submit(Quick()).stream())


class AsyncDescend(Extension, category="analysis"):
    """`Descend` as a coroutine, with two children at each level."""

    depth: int = 0

    async def run(self, room: AsyncRoom) -> int:
        if self.depth == 0:
            return 1
        children = [await room.submit(AsyncDescend(depth=self.depth - 1)) for _ in range(2)]
        return sum([int(await child.result()) for child in children])


class Braid(Extension, category="analysis"):
    """Several coroutines, each of which submits one job after another."""

    async def run(self, room: AsyncRoom) -> int:
        return sum(await asyncio.gather(*(self._strand(room, strand) for strand in range(4))))

    async def _strand(self, room: AsyncRoom, strand: int) -> int:
        for _ in range(3):
            child = await room.submit(Quick())
            await child.result()
            await asyncio.sleep(0.01 * strand)
        return 3


class IsolatedDescend(Extension, category="analysis", isolation="process"):
    """`Descend` in processes of their own."""

    depth: int = 0

    def run(self, room: Room) -> int:
        if self.depth == 0:
            return 0
        return int(room.submit(IsolatedDescend(depth=self.depth - 1)).result()) + 1


class Generate(Extension, category="media"):
    """Calls a provider: first the intent, then the request, then its id."""

    id: str = "g-1"
    seen: ClassVar[list[object]] = []

    def run(self, job: JobContext) -> dict[str, object]:
        before = job.external, job.intents
        job.intend("leonardo", "d-1")
        job.set_external("leonardo", self.id)
        job.set_external("leonardo", self.id)
        return {
            "before": before,
            "external": job.external,
            "intents": [each["digest"] for each in job.intents],
        }


class IsolatedGenerate(Generate, category="media", isolation="process"):
    """`Generate` in a process of its own."""


class AsyncGenerate(Extension, category="media"):
    async def run(self, job: JobContext) -> dict[str, str]:
        await job.intend_async("leonardo", "d-1")
        await job.set_external_async("leonardo", "g-1")
        assert len(await job.intents_async()) == 1
        return await job.external_async()
