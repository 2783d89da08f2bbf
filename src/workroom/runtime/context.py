"""What `run()` gets as `job`: its identity, its progress, and whether it was cancelled."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from pathlib import Path
from typing import Any, TypeVar

from workroom.errors import JobCancelled, StaleAttempt
from workroom.runtime.content import Source
from workroom.runtime.desk import Desk
from workroom.runtime.outcome import text_of
from workroom.runtime.outlet import Outlet
from workroom.runtime.printing import Printing

T = TypeVar("T")
_INTERVAL = 0.2
_now = time.monotonic

ProgressSink = Callable[[dict[str, Any]], None]
Later = Callable[[float, Callable[[], None]], None]
_Said = tuple[float, float | None, str, float | None, float | None, float | None]


class JobContext:
    """The job that is being run. Safe to use from any thread."""

    def __init__(
        self,
        job_id: str,
        room: str,
        user: str,
        attempt: int,
        sink: ProgressSink,
        *,
        printing: Printing | None = None,
        later: Later | None = None,
        outlet: Callable[[], Outlet] | None = None,
    ) -> None:
        self.id = job_id
        self.room = room
        self.user = user
        self.attempt = attempt
        self._sink = sink
        self._desk = Desk(outlet)
        self._cancelled = threading.Event()
        self._on_cancel: list[Callable[[], None]] = []
        self._begun = time.monotonic()
        self._next_report = 0.0
        self._unsent: _Said | None = None
        self._sending = threading.RLock()
        self._later = later
        self.printing = printing or Printing(lambda _: None)

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    def cancel(self) -> None:
        self._cancelled.set()
        for act in self._on_cancel:
            act()

    def when_cancelled(self, act: Callable[[], None]) -> None:
        """Do this when the job is cancelled, from whatever thread; at once if it was."""
        self._on_cancel.append(act)
        if self._cancelled.is_set():
            act()

    def check(self) -> None:
        """Raise JobCancelled if somebody has cancelled this job."""
        if self._cancelled.is_set():
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
        """Tell how far the job is. Call it as often as you like: a few a second are sent, the last always."""
        now = _now()
        said = (now, fraction, message, current, total, elapsed_ms)
        if now >= self._next_report:
            with self._sending:
                self._send(said)
            return
        is_first = self._unsent is None
        self._unsent = said
        if is_first and self._later is not None:
            self._later(self._next_report - now, self.catch_up)

    def catch_up(self) -> None:
        """Send the last progress that was held back, if any."""
        with self._sending:
            if self._unsent is not None:
                self._send(self._unsent)

    def last_words(self) -> dict[str, Any] | None:
        """The last progress, if it was held back."""
        with self._sending:
            unsent, self._unsent = self._unsent, None
        return None if unsent is None else self._document(*unsent)

    def save(self, name: str, source: Source, *, media_type: str | None = None) -> dict[str, Any]:
        """Keep a file with the job: bytes, a path, or a binary file of any size. Waits until it is kept.

        The same name again replaces it. In `async def run`, write `await job.save_async(...)`.
        """
        try:
            return self._desk.save(name, source, media_type)
        except StaleAttempt:
            self.check()
            raise

    async def save_async(self, name: str, source: Source, *, media_type: str | None = None) -> dict[str, Any]:
        return await asyncio.to_thread(self.save, name, source, media_type=media_type)

    def show(self, thing: Any, kind: str | None = None) -> None:
        """Replace what the page shows of this job: a figure, an image, pixels, atoms, a text, a dict.

        A text is plain unless you say `kind="markdown"`. Each call draws; two a second are sent, the last
        always.
        """
        self._desk.show(thing, kind)

    def fetch(self, file_id: str) -> Path:
        """Bring a file of the room here, until the job ends."""
        return self._desk.fetch(file_id)

    def close(self) -> None:
        """The end of run(): send the last preview, remove what was fetched."""
        self._desk.close()

    def relay(self, document: dict[str, Any]) -> None:
        """Pass on progress that was throttled already."""
        self._sink(document)

    def _send(self, said: _Said) -> None:
        self._next_report = time.monotonic() + _INTERVAL
        self._unsent = None
        self._sink(self._document(*said))

    def _document(
        self,
        at: float,
        fraction: float | None,
        message: object,
        current: float | None,
        total: float | None,
        elapsed_ms: float | None,
    ) -> dict[str, Any]:
        return {
            "fraction": _share(fraction),
            "current": current,
            "total": total,
            "message": text_of(message)[:1000],
            "elapsed_ms": round((at - self._begun) * 1000 if elapsed_ms is None else max(0, elapsed_ms), 1),
        }

    def track(self, items: Iterable[T], message: str = "", *, total: int | None = None) -> Iterator[T]:
        """Iterate with a progress bar, and stop when the job is cancelled."""
        count = total if total is not None else len(items) if isinstance(items, Sized) else None
        share = 1 / count if count else None
        progress, is_cancelled, done = self.progress, self._cancelled.is_set, 0  # a hot loop
        for item in items:
            if is_cancelled():
                raise JobCancelled()
            progress(share and done * share, message, current=done, total=count)
            yield item
            done += 1
        progress(share and done * share, message, current=done, total=count)


def _share(fraction: float | None) -> float | None:
    """Between 0 and 1, or unknown."""
    if fraction is None or math.isnan(fraction := float(fraction)):
        return None
    return min(1.0, max(0.0, fraction))
