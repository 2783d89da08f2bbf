"""A listener on the loopback interface for what runs beside the application: local workers, and its rooms."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn

from workroom.errors import StartRefused
from workroom.runners.loading import find_packs, load
from workroom.runtime.actors import actor_lanes
from workroom.server.app import create_app
from workroom.server.embedding.running import Running
from workroom.server.http.context import Services
from workroom.server.process import (
    Address,
    Server,
    listen,
    local_runner,
    lock_data_dir,
    own_specs,
    uvicorn_config,
)
from workroom.services.lifecycle.background import Readiness
from workroom.settings import Settings

_LOOPBACK = "127.0.0.1"


class _OwnConfig(uvicorn.Config):
    def configure_logging(self) -> None:
        """The loggers of uvicorn belong to the application's server."""


class _OwnServer(Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are for the application's server."""
        yield

    def freeze_objects(self) -> None:
        """The application's objects are its own."""


@asynccontextmanager
async def run_server(settings: Settings) -> AsyncIterator[Running]:
    """Open the store and start the local workers; the end of the block stops both. Raises StartRefused."""
    lock = await asyncio.to_thread(lock_data_dir, settings.data_dir)
    listener = listen(_LOOPBACK, 0)
    opened: list[Services] = []
    started = asyncio.Event()
    readiness = Readiness()
    try:
        packs = find_packs(settings.packs)
        classes = [*(each for found in packs for each in found.pack.extensions), *load(settings.extensions)]
        address = Address(_LOOPBACK, listener.getsockname()[1], "")
        print(address.url, file=lock, flush=True)
        app = create_app(
            settings,
            own_specs(classes, settings.runner),
            readiness,
            on_open=opened.append,
            lanes=actor_lanes(classes),
            packs=packs,
            has_own_sockets=False,
        )
        server = _OwnServer(
            uvicorn_config(app, settings, fast=False, kind=_OwnConfig),
            runner=local_runner(address, settings, classes, [path or str(Path.cwd()) for path in sys.path]),
            announce=started.set,
            readiness=readiness,
            timeout=settings.shutdown,
        )
        serving = asyncio.create_task(server.serve([listener]))
        await _until_started(serving, started, readiness)
        server.graceful_shutdown = opened[0].shutdown
        try:
            yield Running(app, opened[0], address.url, asyncio.get_running_loop(), threading.get_ident())
        finally:
            server.should_exit = True
            await serving
    finally:
        listener.close()
        lock.close()


async def _until_started(serving: asyncio.Task[None], started: asyncio.Event, readiness: Readiness) -> None:
    waiting = asyncio.create_task(started.wait())
    try:
        await asyncio.wait((serving, waiting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
    if not started.is_set():
        await asyncio.gather(serving, return_exceptions=True)
        raise StartRefused(readiness.refusal or "Workroom did not start: see its log")
