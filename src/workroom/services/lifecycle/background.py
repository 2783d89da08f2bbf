"""Background tasks of the server, and whether it still takes part."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import structlog

log = structlog.get_logger()

_CANCEL_AGAIN_SECONDS = 1.0


class Readiness:
    """A server that is about to stop is not ready: it dispatches no more jobs."""

    def __init__(self) -> None:
        self.is_ready = True
        self.refusal = ""  # why the server cannot start

    def leave(self) -> None:
        """The server is about to stop; workers keep the jobs they have."""
        self.is_ready = False


class BackgroundTasks:
    """Keeps a reference to every task, logs its failure and awaits its end."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._end)
        return task

    async def aclose(self) -> None:
        """Cancel all tasks. A driver may swallow a cancellation, so cancel again until they have ended."""
        while tasks := list(self._tasks):
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=_CANCEL_AGAIN_SECONDS)

    def _end(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("background_task_failed", exc_info=error)
