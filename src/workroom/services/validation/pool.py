"""The processes for slow validations; one that was killed is replaced in the background."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys

import structlog

from workroom.services.lifecycle.background import BackgroundTasks

log = structlog.get_logger()

_WALL_SECONDS = 10.0  # of the clock for a second of CPU time: the machine may be busy
_START_SECONDS = 30.0
_MAX_ANSWER = 1_000_000


class ValidatorEnded(Exception):
    """The process ended without a reply."""

    def __init__(self, *, took_too_long: bool = False, had_retired: bool = False) -> None:
        super().__init__()
        self.took_too_long = took_too_long
        self.had_retired = had_retired  # after its last reply: it never read this request


class ValidatorPool:
    """Processes are started on first use."""

    def __init__(self, size: int, seconds: float, tasks: BackgroundTasks) -> None:
        self._size = size
        self._seconds = seconds
        self._tasks = tasks
        self._count = 0
        self._idle: asyncio.LifoQueue[_Validator | None] = asyncio.LifoQueue()
        self._all: set[_Validator] = set()

    async def request(self, question: bytes) -> bytes:
        """The reply to a request of one line."""
        while True:
            try:
                return await self._request(question)
            except ValidatorEnded as end:
                if not end.had_retired:
                    raise

    async def _request(self, question: bytes) -> bytes:
        validator = await self._find()
        try:
            answer = await validator.request(question, self._seconds * _WALL_SECONDS)
        except BaseException:
            self._tasks.start(self._replace(validator))
            raise
        self._idle.put_nowait(validator)
        return answer

    async def aclose(self) -> None:
        for validator in list(self._all):
            await self._end(validator)

    async def _find(self) -> _Validator:
        while True:
            if self._idle.empty() and self._count < self._size:
                self._count += 1
                return await self._start()
            validator = await self._idle.get()
            if validator is None:
                continue
            if validator.is_alive:
                return validator
            self._count -= 1
            await self._end(validator)

    async def _start(self) -> _Validator:
        try:
            validator = await _Validator.start(self._seconds)
        except BaseException:
            self._count -= 1
            self._idle.put_nowait(None)  # the next caller starts a process itself
            raise
        self._all.add(validator)
        return validator

    async def _replace(self, validator: _Validator) -> None:
        await self._end(validator)
        try:
            self._idle.put_nowait(await self._start())
        except (OSError, ValidatorEnded) as error:
            log.error("validator_not_started", reason=str(error))

    async def _end(self, validator: _Validator) -> None:
        self._all.discard(validator)
        await validator.end()


class _Validator:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._input, self._output = process.stdin, process.stdout

    @classmethod
    async def start(cls, seconds: float) -> _Validator:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "workroom.services.validation.validator",
            str(seconds),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_MAX_ANSWER,
        )
        validator = cls(process)
        try:
            await validator.request(b"", _START_SECONDS)  # its first line means that it is ready
        except BaseException:
            await validator.end()
            raise
        return validator

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None and not self._output.at_eof()

    async def request(self, question: bytes, seconds: float) -> bytes:
        try:
            async with asyncio.timeout(seconds):
                with contextlib.suppress(OSError, RuntimeError):  # uvloop's error for a closed pipe
                    self._input.write(question)
                    await self._input.drain()
                answer = await self._output.readline()
                if answer.endswith(b"\n"):
                    return answer
                code = await self._process.wait()
        except TimeoutError:
            raise ValidatorEnded(took_too_long=True) from None
        raise ValidatorEnded(took_too_long=code == -signal.SIGPROF, had_retired=code == 0)

    async def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
