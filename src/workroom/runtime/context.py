"""The `job` argument of `run()`: identity, progress, files and cancellation."""

from __future__ import annotations

import asyncio
import math
import operator
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sized
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

from workroom.errors import JobCancelled, StaleAttempt
from workroom.runtime.content import Source
from workroom.runtime.exchanges import Call, JobExchanges, Schema, decode_answer
from workroom.runtime.job_files import JobFiles, Uploader
from workroom.runtime.outcome import to_text
from workroom.runtime.output import JobOutput

T = TypeVar("T")
_INTERVAL_SECONDS = 0.2
_MAX_COUNT = 2**53 - 1  # the largest integer that every JSON reader keeps exactly
_MAX_MS = 1e12
_now = time.monotonic

STEP = "workroom.step"
"""The audit event of a job's steps, with the name of the step and the id of the job: assigned, started,
each message of its progress, and ended. Tests end a worker there; without a hook, it costs nothing."""

ProgressSink = Callable[[dict[str, Any]], None]
CallLater = Callable[[float, Callable[[], None]], None]
_Progress = tuple[float, float | None, str, float | None, float | None, float | None]  # plain Python values


class JobContext:
    """The running job. Safe to use from any thread."""

    def __init__(
        self,
        job_id: str,
        room: str,
        user: str,
        attempt: int,
        send_progress: ProgressSink,
        *,
        output: JobOutput | None = None,
        call_later: CallLater | None = None,
        open_uploader: Callable[[], Uploader] | None = None,
        exchange: Call | None = None,
    ) -> None:
        self.id = job_id
        self.room = room
        self.user = user
        self.attempt = attempt
        self._send_progress = send_progress
        self._files = JobFiles(open_uploader)
        self.exchanges = JobExchanges(exchange)
        self._is_cancelled = False
        self._is_over = False
        self._on_cancel: list[Callable[[], object]] = []
        self._started = _now()
        self._next_send = 0.0
        self._message = ""
        self._latest: _Progress | None = None
        self._sent: _Progress | None = None
        self._lock = threading.RLock()
        self._call_later = call_later
        self._mask: Callable[[str], str] | None = None
        self.output = output or JobOutput(lambda _: None)

    def mask(self, mask: Callable[[str], str]) -> None:
        """Mask secrets in the job's output and progress messages."""
        self._mask = self.output.mask = mask

    @property
    def cancelled(self) -> bool:
        return self._is_cancelled

    @property
    def is_over(self) -> bool:
        """Whether the job was cancelled or timed out, so that no other attempt follows this one."""
        return self._is_over

    def cancel(self, *, is_over: bool = False) -> None:
        self._is_over = self._is_over or is_over
        self._is_cancelled = True
        for act in self._on_cancel:
            act()

    def when_cancelled(self, act: Callable[[], object]) -> None:
        """Call a function, from any thread, when the job is cancelled; at once if it already is."""
        self._on_cancel.append(act)
        if self._is_cancelled:
            act()

    def check(self) -> None:
        """Raise JobCancelled if this job was cancelled."""
        if self._is_cancelled:
            raise JobCancelled()

    def progress(
        self,
        fraction: float | None = None,
        message: str = "",
        *,
        current: float | None = None,
        total: float | None = None,
        elapsed_ms: float | None = None,
    ) -> None:
        """Report progress. Call it as often as you like: a few reports a second are sent, always the last."""
        if type(fraction) is not float and fraction is not None:
            fraction = _number(fraction, "fraction")
        if type(current) is not int and current is not None:
            current = _number(current, "current")
        if type(total) is not int and total is not None:
            total = _number(total, "total")
        if elapsed_ms is not None:
            elapsed_ms = _number(elapsed_ms, "elapsed_ms")
        if type(message) is not str:
            message = to_text(message)
        if message and message is not self._message:
            self._message = message
            sys.audit(STEP, message, self.id)
        now = _now()
        before, self._latest = self._latest, (now, fraction, message, current, total, elapsed_ms)
        if now >= self._next_send:
            self.flush_progress()
        elif before is self._sent:  # the first call that is held back
            self._flush_later()

    def flush_progress(self) -> None:
        """Send the latest progress, if it was held back."""
        with self._lock:
            latest = self._latest
            if latest is None or latest is self._sent:
                return
            self._next_send = _now() + _INTERVAL_SECONDS
            self._sent = latest
            self._send_progress(self._document(*latest))
            if self._latest is not latest:  # set meanwhile by a thread that saw this one as held back
                self._flush_later()

    def _flush_later(self) -> None:
        if self._call_later is not None:
            self._call_later(max(0.0, self._next_send - _now()), self.flush_progress)

    def take_progress(self) -> dict[str, Any] | None:
        """Return the latest progress, if it was held back; the caller sends it."""
        with self._lock:
            latest, before, self._sent = self._latest, self._sent, self._latest
        return None if latest is None or latest is before else self._document(*latest)

    def save(self, name: str, source: Source, *, media_type: str | None = None) -> dict[str, Any]:
        """Save an artifact: bytes, a path, or a binary file of any size. Waits until the server has it.

        Saving under the same name replaces it. In `async def run`, use `await job.save_async(...)`.
        """
        try:
            return self._files.save(name, source, media_type)
        except StaleAttempt:
            self.check()
            raise

    async def save_async(self, name: str, source: Source, *, media_type: str | None = None) -> dict[str, Any]:
        return await asyncio.to_thread(self.save, name, source, media_type=media_type)

    def show(self, thing: Any, kind: str | None = None) -> None:
        """Show a preview in the browser: a figure, an image, an array of pixels, atoms, a string or a dict.

        It replaces the one before. Strings are plain text unless `kind="markdown"`. Each call renders; at
        most two a second are sent, always the last.
        """
        self._files.show(thing, kind)

    def preview(self, frame: int, positions: Any) -> None:
        """Show everybody in the room where the atoms of a frame are now, without changing the frame.

        Call it as often as you like: at most ten a second are sent, others are dropped, none are stored.
        """
        self._files.preview(frame, positions)

    def fetch(self, file_id: str) -> Path:
        """Download a file of the room; the copy is deleted when the job ends."""
        return self._files.fetch(file_id)

    def set_external(self, provider: str, id: str) -> None:
        """Record the id under which a provider has accepted a request of this job.

        It is durable when this returns, even if another attempt has taken over meanwhile. The first id of a
        provider counts: another one raises ExternalTaken. In `async def run`, use `set_external_async`.
        """
        self.exchanges.set_external(provider, id).result()

    async def set_external_async(self, provider: str, id: str) -> None:
        await asyncio.wrap_future(self.exchanges.set_external(provider, id))

    def intend(self, provider: str, request_digest: str) -> None:
        """Record that a request is about to be sent to a provider. It is durable when this returns.

        A later attempt that finds an intent and no external id does not know whether it was sent.
        """
        self.exchanges.intend(provider, request_digest).result()

    async def intend_async(self, provider: str, request_digest: str) -> None:
        await asyncio.wrap_future(self.exchanges.intend(provider, request_digest))

    @property
    def external(self) -> dict[str, str]:
        """The ids that providers gave to requests of this job, in any attempt; read from the server."""
        return _ids(self.exchanges.read().result())

    async def external_async(self) -> dict[str, str]:
        return _ids(await asyncio.wrap_future(self.exchanges.read()))

    @property
    def intents(self) -> list[dict[str, Any]]:
        """What this job was about to send, in any attempt: provider, digest, attempt and time of each."""
        return list(self.exchanges.read().result()["intents"])

    async def intents_async(self) -> list[dict[str, Any]]:
        return list((await asyncio.wrap_future(self.exchanges.read()))["intents"])

    def ask(self, text: str, schema: Schema, *, timeout: float | None = None, key: str | None = None) -> Any:
        """Ask the people in the room, and wait for the first answer; it fits the schema.

        `schema` is a Pydantic model, of which an instance is returned, or a JSON Schema of an object. The
        job keeps its lease and its concurrency key meanwhile, and frees its slot. Raises AnswerTimeout if
        nobody answers in so many seconds. A later attempt that asks the same again, by its text or by a
        `key`, finds the answer. In `async def run`, use `await job.ask_async(...)`.
        """
        return decode_answer(schema, self._ask(text, schema, timeout, key).result())

    async def ask_async(
        self,
        text: str,
        schema: Schema,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - how long people have
        key: str | None = None,
    ) -> Any:
        return decode_answer(schema, await asyncio.wrap_future(self._ask(text, schema, timeout, key)))

    def _ask(self, text: str, schema: Schema, timeout: float | None, key: str | None) -> Future[Any]:
        self.check()
        return self.exchanges.ask((self._mask or str)(text), schema, timeout, key)

    def close(self) -> None:
        """Send the last preview and delete fetched files. Called after `run()`."""
        self._files.close()

    def relay(self, document: dict[str, Any]) -> None:
        """Send progress that another process has throttled."""
        self._send_progress(document)

    def _document(
        self,
        at: float,
        fraction: float | None,
        message: str,
        current: float | None,
        total: float | None,
        elapsed_ms: float | None,
    ) -> dict[str, Any]:
        return {
            "fraction": _fraction(fraction),
            "current": _count(current),
            "total": _count(total),
            "message": (self._mask or str)(to_text(message))[:1000],
            "elapsed_ms": _milliseconds((at - self._started) * 1000 if elapsed_ms is None else elapsed_ms),
        }

    def track(self, items: Iterable[T], message: str = "", *, total: int | None = None) -> Iterator[T]:
        """Iterate with a progress bar, and stop when the job is cancelled."""
        count: float | None = len(items) if isinstance(items, Sized) else None
        if total is not None:
            count = _number(total, "total")
        share = 1 / count if count else None
        progress, done = self.progress, 0  # locals: this loop is hot
        for item in items:
            if self._is_cancelled:
                raise JobCancelled()
            progress(share and done * share, message, current=done, total=count)
            yield item
            done += 1
        progress(share and done * share, message, current=done, total=count)


_current: ContextVar[JobContext | None] = ContextVar("workroom_job", default=None)


def current_job() -> JobContext | None:
    """The job whose `run()` called this, directly or in its coroutines and threads; None outside of jobs."""
    return _current.get()


@asynccontextmanager
async def waiting(code: str, of: str) -> AsyncIterator[None]:
    """The current job, if there is one, waits meanwhile, and gives up its slot if it can."""
    job = current_job()
    if job is None:
        yield
        return
    async with job.exchanges.waiting(code, of):
        yield


@contextmanager
def job_scope(job: JobContext | None) -> Iterator[None]:
    """Make a job the current one."""
    token = _current.set(job)
    try:
        yield
    finally:
        _current.reset(token)


def _ids(read: dict[str, Any]) -> dict[str, str]:
    return {each["provider"]: each["id"] for each in read["external"]}


def _number(value: Any, name: str) -> int | float:
    """A plain number for any real one, such as those of NumPy; anything else is refused in the caller's line.

    An integer that no float can hold becomes infinite.
    """
    with suppress(Exception):
        return int(operator.index(value))
    try:
        return float(value)
    except Exception as error:
        shown = to_text(value, repr)[:100]
        raise TypeError(f"job.progress() takes a number as {name}, not {shown}") from error


def _count(value: int | float | None) -> int | float | None:
    """None for counts that JSON cannot hold."""
    if isinstance(value, int) and abs(value) <= _MAX_COUNT:
        return value
    number = _float(value)
    return number if number is not None and math.isfinite(number) else None


def _milliseconds(value: float) -> float:
    return round(min(max(0.0, _count(value) or 0.0), _MAX_MS), 1)


def _fraction(fraction: float | None) -> float | None:
    """Between 0 and 1, or None if unknown."""
    number = _float(fraction)
    return None if number is None or math.isnan(number) else min(1.0, max(0.0, number))


def _float(value: float | None) -> float | None:
    try:
        return None if value is None else float(value)
    except OverflowError:
        return math.inf if value and value > 0 else -math.inf
