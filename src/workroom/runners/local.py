"""Worker processes that the server starts and restarts."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Collection, Sequence

import structlog

log = structlog.get_logger()

_BACKOFF_SECONDS = 0.5
_MAX_BACKOFF_SECONDS = 30.0
_HEALTHY_SECONDS = 10.0
_STOP_SECONDS = 10.0


class LocalRunner:
    """Each process is an ordinary worker with the role `runner`.

    Its standard input is a pipe that closes when the server ends, however that happens: the worker then
    finishes what it runs and leaves.
    """

    def __init__(
        self,
        url: str,
        token: str,
        extensions: Sequence[str],
        processes: int,
        slots: int,
        secrets: Collection[str] = (),
        packs: Sequence[str] | None = None,
        import_paths: Sequence[str] = (),
    ) -> None:
        """`secrets` are values that the processes must not inherit, whatever the variable is called.

        `packs` names the installed packs to serve; all if it is None. `import_paths` come before their own.
        """
        self._command = [
            sys.executable,
            "-m",
            "workroom",
            "worker",
            *extensions,
            "--public",
            *(["--packs"] if packs is None else [f"--pack={name}" for name in packs]),
            f"--slots={slots}",
            "--quiet",
            "--until-eof",
        ]
        self._environment = {**_inherited(secrets), "WORKROOM_URL": url, "WORKROOM_TOKEN": token}
        if import_paths:
            self._environment["PYTHONPATH"] = os.pathsep.join(import_paths)
        self._processes = processes
        self._supervisors: list[asyncio.Task[None]] = []
        self._children: set[asyncio.subprocess.Process] = set()

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._supervisors = [loop.create_task(self._supervise(number)) for number in range(self._processes)]

    async def stop(self) -> None:
        """Let all processes finish, and wait a limited time."""
        await self._stop_supervisors()
        for child in self._children:
            _signal(child, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STOP_SECONDS):
                await asyncio.gather(*(child.wait() for child in self._children))

    async def kill(self) -> None:
        """Kill all processes."""
        await self._stop_supervisors()
        for child in self._children:
            _signal(child, signal.SIGKILL)
        await asyncio.gather(*(child.wait() for child in self._children))

    async def _stop_supervisors(self) -> None:
        for supervisor in self._supervisors:
            supervisor.cancel()
        await asyncio.gather(*self._supervisors, return_exceptions=True)

    async def _supervise(self, number: int) -> None:
        """Keep one process running; back off if it dies soon after each start."""
        delay = _BACKOFF_SECONDS
        loop = asyncio.get_running_loop()
        while True:
            started = loop.time()
            code = await self._run_once(number)
            delay = _BACKOFF_SECONDS if loop.time() - started > _HEALTHY_SECONDS else delay * 2
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


def _inherited(secrets: Collection[str]) -> dict[str, str]:
    """Drop the server's settings: they contain passwords and keys. Those of packs are for the workers, and
    so is what jobs may fetch from.
    """
    return {name: value for name, value in os.environ.items() if _is_shared(name) and value not in secrets}


def _is_shared(name: str) -> bool:
    upper = name.upper()
    return not upper.startswith("WORKROOM_") or upper.startswith(("WORKROOM_PACK_", "WORKROOM_OUTBOUND_"))
