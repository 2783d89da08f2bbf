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
        self._is_cancelled = False
        self._on_cancel: list[Callable[[], None]] = []
        self._begun = _now()
        self._next_report = 0.0
        self._said: _Said | None = None
        self._sent: _Said | None = None
        self._sending = threading.RLock()
        self._later = later
        self.printing = printing or Printing(lambda _: None)

    @property
    def cancelled(self) -> bool:
        return self._is_cancelled

    def cancel(self) -> None:
        self._is_cancelled = True
        for act in self._on_cancel:
            act()

    def when_cancelled(self, act: Callable[[], None]) -> None:
        """Do this when the job is cancelled, from whatever thread; at once if it was."""
        self._on_cancel.append(act)
        if self._is_cancelled:
            act()

    def check(self) -> None:
        """Raise JobCancelled if somebody has cancelled this job."""
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
        """Tell how far the job is. Call it as often as you like: a few a second are sent, the last always."""
        now = _now()
        before, self._said = self._said, (now, fraction, message, current, total, elapsed_ms)
        if now >= self._next_report:
            self.catch_up()
        elif before is self._sent:  # the first that is held back
            self._catch_up_later()

    def catch_up(self) -> None:
        """Send what was said last, if it was held back."""
        with self._sending:
            said = self._said
            if said is None or said is self._sent:
                return
            self._next_report = _now() + _INTERVAL
            self._sent = said
            self._sink(self._document(*said))
            if self._said is not said:  # said meanwhile, by who took this one for still held back
                self._catch_up_later()

    def _catch_up_later(self) -> None:
        if self._later is not None:
            self._later(max(0.0, self._next_report - _now()), self.catch_up)

    def last_words(self) -> dict[str, Any] | None:
        """The last progress, if it was held back."""
        with self._sending:
            said, before, self._sent = self._said, self._sent, self._said
        return None if said is None or said is before else self._document(*said)

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
        progress, done = self.progress, 0  # a hot loop
        for item in items:
            if self._is_cancelled:
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
