"""A queue behind FastAPI, as people build it, or FastAPI alone."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path

from fastapi import FastAPI
from pydantic import BaseModel

from http_load import Target
from peers.joblog import JobLog
from peers.system import System, script
from ports import free_port, until_open

BEHIND = os.environ.get("BENCH_BEHIND")


def queue(log: JobLog, folder: Path) -> System | None:
    return import_module(f"peers.systems.{BEHIND}").Measured(log, folder) if BEHIND else None


class Job(BaseModel):
    n: int


def create_app() -> FastAPI:
    path = Path(os.environ["BENCH_LOG"])
    behind = queue(JobLog(path), path.parent)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if behind is not None:
            await behind.open()
        yield

    app = FastAPI(lifespan=lifespan)

    @app.post("/empty")
    async def empty() -> dict[str, bool]:
        return {"ok": True}

    @app.post("/jobs", status_code=202)
    async def submit(job: Job) -> dict[str, int]:
        """A blocking client is called on the loop: faster here than FastAPI's threads."""
        assert behind is not None
        await behind.submit(job.n)
        return {"n": job.n}

    return app


class Measured(System):
    def __init__(self, log: JobLog, folder: Path) -> None:
        super().__init__(log, folder)
        self._behind = queue(log, folder)
        self._port = free_port()

    def commands(self) -> list[list[str]]:
        serve = [script("uvicorn"), "--factory", f"{__name__}:create_app", "--port", str(self._port)]
        serve += ["--no-access-log", "--log-level", "error"]
        return [serve, *(self._behind.commands() if self._behind else [])]

    async def open(self) -> None:
        await until_open(self._port)
        if self._behind is not None:
            await self._behind.open()

    async def close(self) -> None:
        if self._behind is not None:
            await self._behind.close()

    async def submit(self, n: int) -> None:
        if self._behind is not None:
            await self._behind.submit(n)

    async def until_done(self, count: int) -> None:
        if self._behind is not None:
            await self._behind.until_done(count)

    async def http(self) -> Target:
        return Target(self._port, "/jobs" if self._behind else "/empty", {"n": 1})
