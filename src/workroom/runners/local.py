"""Worker processes that the server starts, watches and restarts."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
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
        self._environment = {**_inherited(), "WORKROOM_URL": url, "WORKROOM_TOKEN": token}
        self._processes = processes
        self._keepers: list[asyncio.Task[None]] = []
        self._children: set[asyncio.subprocess.Process] = set()

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._keepers = [loop.create_task(self._keep(number)) for number in range(self._processes)]

    async def stop(self) -> None:
        """Ask all to leave, and wait a little."""
        await self._start_no_more()
        for child in self._children:
            _signal(child, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STOP_SECONDS):
                await asyncio.gather(*(child.wait() for child in self._children))

    async def kill(self) -> None:
        """Insist. Nobody is left after this."""
        await self._start_no_more()
        for child in self._children:
            _signal(child, signal.SIGKILL)
        await asyncio.gather(*(child.wait() for child in self._children))

    async def _start_no_more(self) -> None:
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)

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
        child = await asyncio.create_subprocess_exec(
            *self._command, env=environment, start_new_session=True, stdin=asyncio.subprocess.PIPE
        )
        self._children.add(child)
        code = await child.wait()
        self._children.discard(child)
        return code


def _signal(child: asyncio.subprocess.Process, number: int) -> None:
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            child.send_signal(number)


def _inherited() -> dict[str, str]:
    """The admin's password is the server's to know, not that of the code it runs."""
    return {name: value for name, value in os.environ.items() if name != "WORKROOM_ADMIN_PASSWORD"}
