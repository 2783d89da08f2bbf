"""Worker processes that the server starts, watches and restarts."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Sequence

import structlog

log = structlog.get_logger()

_BACKOFF_SECONDS = 0.5
_MAX_BACKOFF_SECONDS = 30.0
_HEALTHY_SECONDS = 10.0
_STOP_SECONDS = 10.0


class LocalRunner:
    """Each process is a worker like any other; its token says that it is the server's own.

    Its standard input is a pipe that closes with the server, however the server ends: it then finishes what
    it runs and leaves.
    """

    def __init__(self, url: str, token: str, extensions: Sequence[str], processes: int, slots: int) -> None:
        self._command = [
            sys.executable,
            "-m",
            "workroom",
            "worker",
            *extensions,
            "--public",
            "--packs",
            f"--slots={slots}",
            "--quiet",
            "--until-eof",
        ]
        self._environment = {**os.environ, "WORKROOM_URL": url, "WORKROOM_TOKEN": token}
        self._processes = processes
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._keep(number)) for number in range(self._processes)]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _keep(self, number: int) -> None:
        """Run one process for ever: it is started again when it dies, ever more slowly if it dies young."""
        delay = _BACKOFF_SECONDS
        loop = asyncio.get_running_loop()
        while True:
            begun = loop.time()
            code = await self._run_once(number)
            delay = _BACKOFF_SECONDS if loop.time() - begun > _HEALTHY_SECONDS else delay * 2
            delay = min(delay, _MAX_BACKOFF_SECONDS)
            log.warning("local_worker_ended", number=number, exit_code=code, restart_in_s=delay)
            await asyncio.sleep(delay)

    async def _run_once(self, number: int) -> int:
        environment = {**self._environment, "WORKROOM_WORKER_NAME": f"local-{number + 1}"}
        process = await asyncio.create_subprocess_exec(
            *self._command, env=environment, start_new_session=True, stdin=asyncio.subprocess.PIPE
        )
        try:
            return await process.wait()
        finally:
            if process.returncode is None:
                await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask, wait, then insist."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
