"""Values are checked against schemas; what may take long, in a process that can be stopped."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import Any

import orjson

from workroom.errors import InvalidData
from workroom.services.schemas import refuse_faults, weight_of

_AT_ONCE = 2_000_000  # checks that may be made without leaving the loop: some tens of milliseconds
_SECONDS = 1.0
_LINE_LIMIT = 16_000_000


class Validation:
    """The schema is somebody's, and so is the value: together they must not stop the server."""

    def __init__(self) -> None:
        self._child: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    def is_quick(self, schema: bytes, size: int) -> bool:
        """Can values that have this size as JSON be checked without leaving the loop?"""
        return weight_of(schema) * max(size, 100) <= _AT_ONCE

    async def check(self, schema: bytes, data: Any) -> None:
        """Refuse values that do not fit, and say where; aside."""
        refuse_faults(await self._aside(schema, data))

    async def aclose(self) -> None:
        await self._stop()

    async def _aside(self, schema: bytes, data: Any) -> list[dict[str, str]]:
        line = orjson.dumps({"schema": schema.decode(), "data": data}) + b"\n"
        async with self._turn:
            child = self._child or await self._start()
            assert child.stdin is not None
            assert child.stdout is not None
            try:
                async with asyncio.timeout(_SECONDS):
                    child.stdin.write(line)
                    await child.stdin.drain()
                    answer = await child.stdout.readline()
                faults: list[dict[str, str]] = orjson.loads(answer)
            except (TimeoutError, orjson.JSONDecodeError, BrokenPipeError, ConnectionResetError):
                await self._stop()
                raise InvalidData(
                    "checking these values against the extension's schema takes too long", errors=[]
                ) from None
            return faults

    async def _start(self) -> asyncio.subprocess.Process:
        self._child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "workroom.services.validator",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LINE_LIMIT,
        )
        assert self._child.stdout is not None
        await self._child.stdout.readline()
        return self._child

    async def _stop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
