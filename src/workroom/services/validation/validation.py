"""Validates values against schemas: at once if that is provably fast, else in another process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import monotonic, perf_counter
from typing import Any

import orjson

from workroom.errors import InvalidData, InvalidSchema, TooManyRequests, WorkroomError
from workroom.services.lifecycle.background import BackgroundTasks
from workroom.services.validation.fair_turns import FairTurns
from workroom.services.validation.pool import ValidatorEnded, ValidatorPool
from workroom.services.validation.schemas import (
    Fault,
    compile_schema,
    faults_of,
    quick_check,
    refuse_faults,
    weight_of,
    work_of,
)

AT_ONCE = 2_000_000  # of work: some tens of milliseconds at most
FAULTS_AT_ONCE = 50_000  # the same unit; describing faults takes longer than finding that there are any
_WORTH_COUNTING = 0.0001  # seconds
_TURN = 0.02
_MAX_BATCH_FAULTS = 1000
_BRIEF_DETAIL = 200
_BURST = 0.2
_PER_SECOND = 0.1
_MANY = 1000


@dataclass(frozen=True, slots=True)
class ValidationLimits:
    processes: int = 2
    seconds: float = 1.0
    request_seconds: float = 10.0
    max_waiting: int = 16


class Validation:
    """Schemas and values come from users: together they must not block the server."""

    def __init__(self, limits: ValidationLimits, tasks: BackgroundTasks) -> None:
        self._limits = limits
        self._pool = ValidatorPool(limits.processes, limits.seconds, tasks)
        self._turns = FairTurns(
            limits.processes, limits.max_waiting, "values that take long to check", limits.seconds
        )
        self._allowance = _Allowance()

    def passes(self, user: str, schema: bytes, data: Any, size: int) -> bool:
        """True if validation is provably fast and the values are valid. Otherwise call `check`."""
        check = quick_check(schema, AT_ONCE)
        if check is None or size > check.max_size or self._allowance.is_spent(user):
            return False
        began = perf_counter()
        passed = check.is_valid(data)
        took = perf_counter() - began
        if took > _WORTH_COUNTING:
            self._allowance.spend(user, took)
        return passed

    async def check(
        self, user: str, schema: bytes, data: Any, encoded: bytes, batch: Batch | None = None
    ) -> None:
        """Raises InvalidData with the path and message of each fault."""
        if work_of(schema, len(encoded)) <= FAULTS_AT_ONCE and not self._allowance.is_spent(user):
            began = perf_counter()
            faults = faults_of(schema, data)
            self._allowance.spend(user, perf_counter() - began)
        else:
            if batch is not None:
                batch.check_time()
            faults = await self._faults_aside(user, schema, encoded)
        refuse_faults(faults)

    async def compile(self, user: str, schema: bytes, batch: Batch) -> None:
        """Raises InvalidSchema if the schema cannot be compiled in time."""
        if weight_of(schema).is_proven and not self._allowance.is_spent(user):
            began = perf_counter()
            compile_schema(schema)
            self._allowance.spend(user, perf_counter() - began)
            return
        batch.check_time()
        try:
            answer = await self._ask(user, orjson.dumps({"schema": schema.decode()}))
        except ValidatorEnded as end:
            what = f"longer than {self._limits.seconds:g} s" if end.took_too_long else "too much memory"
            raise InvalidSchema(f"the schema cannot be used: compiling it takes {what}") from None
        if "invalid_schema" in answer:
            raise InvalidSchema(answer["invalid_schema"])

    def batch(self) -> Batch:
        return Batch(self._limits.request_seconds)

    async def aclose(self) -> None:
        await self._pool.aclose()

    async def _faults_aside(self, user: str, schema: bytes, encoded: bytes) -> list[Fault]:
        head = orjson.dumps({"schema": schema.decode()})
        try:
            answer = await self._ask(user, head[:-1] + b',"data":' + encoded + b"}")
        except ValidatorEnded as end:
            what = f"longer than {self._limits.seconds:g} s" if end.took_too_long else "too much memory"
            raise InvalidData(
                f"checking these values against the extension's schema takes {what}: "
                "send smaller values, or ask who offers the extension for a simpler schema",
                errors=[],
            ) from None
        if "invalid_schema" in answer:
            raise InvalidSchema(answer["invalid_schema"])
        faults: list[Fault] = answer["faults"]
        return faults

    async def _ask(self, user: str, question: bytes) -> Any:
        """A process may have ended because of an earlier request: try once more with a new one."""
        async with self._turns.turn(user):
            try:
                return orjson.loads(await self._pool.request(question + b"\n"))
            except ValidatorEnded as end:
                if end.took_too_long:
                    raise
            return orjson.loads(await self._pool.request(question + b"\n"))


class Batch:
    """The values of one request: limits their validation time, and lets other requests run in between."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends_at = monotonic() + seconds
        self._pauses_at = monotonic() + _TURN
        self._faults = 0

    @property
    def is_long(self) -> bool:
        """Whether other requests should run now: see `pause`."""
        return monotonic() > self._pauses_at

    async def pause(self) -> None:
        """Let other requests run."""
        await asyncio.sleep(0)
        self._pauses_at = monotonic() + _TURN

    def brief(self, refusal: WorkroomError) -> WorkroomError:
        """The same refusal, shortened after many others: the response has a limit."""
        self._faults += len(refusal.fields.get("errors", ()))
        if self._faults <= _MAX_BATCH_FAULTS or not isinstance(refusal, InvalidData):
            return refusal
        return InvalidData(refusal.detail[:_BRIEF_DETAIL], errors=[])

    def check_time(self) -> None:
        if monotonic() > self._ends_at:
            raise TooManyRequests(
                f"validating one request may take {self._seconds:g} s in total, and it took longer: "
                "send the rest in another request",
                retry_after_ms=1000,
            )


class _Allowance:
    """Limits how long one user's values are validated on the event loop; beyond that a process does it."""

    def __init__(self) -> None:
        self._spent: dict[str, tuple[float, float]] = {}  # seconds spent, and when

    def is_spent(self, user: str) -> bool:
        if user not in self._spent:
            return False
        left = self._left(user)
        if left >= _BURST:
            del self._spent[user]
        return left <= 0

    def spend(self, user: str, seconds: float) -> None:
        if seconds < _WORTH_COUNTING:
            return
        if len(self._spent) > _MANY:
            self._spent = {each: spent for each, spent in self._spent.items() if self._left(each) < _BURST}
        self._spent[user] = (_BURST - self._left(user) + seconds, monotonic())

    def _left(self, user: str) -> float:
        spent, at = self._spent.get(user, (0.0, 0.0))
        return _BURST - max(0.0, spent - (monotonic() - at) * _PER_SECOND)
