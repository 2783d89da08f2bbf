"""Extensions for tests. Each execution appends a line to the file SAMPLES_LOG."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from pydantic import BaseModel, Field, SecretStr

from workroom import Extension, JobContext, Room


def trace(word: str) -> None:
    path = os.environ.get("SAMPLES_LOG")
    if path:
        with Path(path).open("a") as file:
            file.write(f"{os.getpid()} {word}\n")


class Point(BaseModel):
    x: float
    y: float = 0.0


class Echo(Extension, category="analysis"):
    """Gives back what it got."""

    text: str = "hello"
    times: int = Field(1, ge=1, le=10)
    point: Point | None = None

    def run(self, job: JobContext) -> dict[str, object]:
        trace(f"echo {job.id}")
        return {"text": self.text * self.times, "point": self.point}


class Vault(Extension, category="analysis"):
    """Reports its secret in every possible way."""

    key: SecretStr
    how: str = ""

    def run(self, job: JobContext) -> dict[str, object]:
        key = self.key.get_secret_value()
        print("printed " + key)
        print("x" * 995 + key)
        job.progress(0.5, "at " + key)
        if self.how == "raise":
            raise ValueError("raised " + key)
        return {"length": len(key), "echo": key}


class Metered(Extension, category="analysis", rate="20/s", rate_key="{provider}"):
    """Starts no more than 20 times in a second for each provider."""

    provider: str = "slow"

    def run(self) -> str:
        return self.provider


class Nap(Extension, category="analysis"):
    """Sleeps in small steps, so that it can be cancelled."""

    seconds: float = 0.2

    def run(self, job: JobContext) -> str:
        trace(f"nap {job.id}")
        steps = max(1, round(self.seconds / 0.02))
        for _ in job.track(range(steps), "sleeping"):
            time.sleep(self.seconds / steps)
        return "rested"


class Count(Extension, category="analysis"):
    """Says at each number how far it is."""

    to: int = 10_000
    pause: float = 0.0001

    def run(self, job: JobContext) -> None:
        for number in range(1, self.to + 1):
            time.sleep(self.pause)
            job.progress(number / self.to, "counting", current=number, total=self.to)


class AsyncNap(Extension, category="modifiers"):
    seconds: float = 0.05

    async def run(self, job: JobContext) -> str:
        trace(f"async-nap {job.id}")
        await asyncio.sleep(self.seconds)
        return "rested"


class Break(Extension, category="analysis"):
    """Raises an exception with fields."""

    message: str = "it broke"

    def run(self) -> None:
        error = ValueError(self.message)
        error.part = "gear"  # type: ignore[attr-defined]
        raise error


class Die(Extension, category="analysis"):
    """Kills its process."""

    def run(self, job: JobContext) -> None:
        trace(f"die {job.id}")
        os._exit(9)


class Relay(Extension, category="analysis"):
    """Submits another job in the same room, over the worker's own connections."""

    text: str = "hi"

    def run(self, room: Room) -> str:
        room.submit(Echo(text=self.text))
        return room.name


class Theme(Extension, category="settings"):
    dark: bool = False

    def run(self) -> None: ...


class Environment(Extension, category="analysis"):
    """What its process was started with."""

    def run(self) -> dict[str, str]:
        return dict(os.environ)
