"""Measures how long jobs run, by the server's own clock.

Time counts while a worker has started jobs, for as many slots as those can occupy: from the first start to
the last end, without the gaps in which nothing was started, and without the shortest round trip to the
worker. Times that workers report can only raise it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workroom.domain.rules.estimates import (
    EVIDENCE_ENDS,
    LONG_MS,
    Sample,
    expected_ms,
    fastest_ms,
    next_evidence_ms,
    read_ahead,
    without_trips,
)

MAX_EXTENSIONS = 10_000
_RECENT_ENDS = 32  # that the mean covers
_REPORTS = 8  # that the reported time covers
_SAMPLES = 8  # at least, in a window that raises the evidence
_STRIKES = 3  # against the evidence, within one window


@dataclass(slots=True)
class BusySlots:
    """The started jobs of one extension at a worker, and how long they kept slots busy."""

    running: int = 0
    since: float = 0.0
    busy_ms: float = 0.0  # since the last sample
    began: int = 0  # slots that began to be busy since then: each waited for a round trip

    def start(self, jobs: int, slots: int, now: float) -> None:
        self._count(slots, now)
        self.began += max(0, min(jobs, slots - self.running))
        self.running += jobs

    def stop(self, jobs: int, slots: int, now: float) -> None:
        self._count(slots, now)
        self.running -= jobs

    def sample(self, ends: int, trip_ms: float) -> Sample:
        """The milliseconds since the last sample, with round trips and without them, for so many ends."""
        busy_ms, trips_ms = self.busy_ms, self.began * trip_ms
        self.busy_ms, self.began = 0.0, 0
        return Sample(busy_ms, without_trips(busy_ms, trips_ms), ends)

    def _count(self, slots: int, now: float) -> None:
        self.busy_ms += min(slots, self.running) * (now - self.since) * 1000
        self.since = now


@dataclass(slots=True)
class _Measured:
    """The measurements of one extension, in milliseconds. A window has the samples since the last one."""

    recent_ms: float = 0.0
    recent_ends: float = 0.0
    reported_ms: float = 0.0
    evidence_ms: float | None = None
    window: list[Sample] = field(default_factory=list)
    window_ends: int = 0
    strikes: int = 0

    def add(self, sample: Sample, longest_ms: float) -> None:
        self._add_recent(sample)
        self.window.append(sample)
        self.window_ends += sample.ends
        self.strikes += longest_ms > LONG_MS
        if self.strikes == _STRIKES:
            self._begin_window(None)
        elif self.window_ends >= EVIDENCE_ENDS:
            self._weigh(fastest_ms(self.window))

    def _weigh(self, window_ms: float) -> None:
        """A shorter time counts at once. A longer one may be a busy machine, and needs more samples."""
        is_shorter = self.evidence_ms is not None and window_ms < self.evidence_ms
        if is_shorter or len(self.window) >= _SAMPLES:
            self._begin_window(next_evidence_ms(self.evidence_ms, window_ms))

    def _add_recent(self, sample: Sample) -> None:
        self.recent_ms += sample.busy_ms
        self.recent_ends += sample.ends
        if self.recent_ends > 2 * _RECENT_ENDS:
            self.recent_ms *= _RECENT_ENDS / self.recent_ends
            self.recent_ends = _RECENT_ENDS

    def _begin_window(self, evidence_ms: float | None) -> None:
        self.evidence_ms, self.window_ends, self.strikes = evidence_ms, 0, 0
        self.window.clear()

    def report(self, run_ms: Sequence[float]) -> None:
        mean_ms = sum(run_ms) / len(run_ms)
        self.reported_ms += (mean_ms - self.reported_ms) * min(1.0, len(run_ms) / _REPORTS)


@dataclass(slots=True)
class Ends:
    """Ends of one worker's jobs of one extension, in one message."""

    count: int = 0
    longest_ms: float = 0.0
    reported: list[float] = field(default_factory=list)


class RunTimes:
    """Of so many extensions: beyond that, the one that was measured first is forgotten."""

    def __init__(self) -> None:
        self._measured: dict[int, _Measured] = {}

    def mean_ms(self, extension: int) -> float | None:
        """How long recent jobs took."""
        found = self._measured.get(extension)
        return None if found is None else max(found.recent_ms / found.recent_ends, found.reported_ms)

    def evidence_ms(self, extension: int) -> float | None:
        """How long jobs take, if enough of them were measured."""
        found = self._measured.get(extension)
        if found is None or found.evidence_ms is None:
            return None
        return max(found.evidence_ms, found.reported_ms)

    def expected_ms(self, extension: int) -> float | None:
        """What to predict of a job that may be started together with others."""
        found = self._measured.get(extension)
        return None if found is None else expected_ms(found.evidence_ms, found.reported_ms)

    def fast(self, extensions: frozenset[int]) -> dict[int, float]:
        """The extensions whose jobs are short enough to be handed out ahead, with their durations."""
        found = ((each, self.evidence_ms(each)) for each in extensions)
        return {each: mean_ms for each, mean_ms in found if mean_ms is not None and read_ahead(mean_ms)}

    def learn(self, extension: int, ends: Ends, sample: Sample) -> None:
        measured = self._measured.get(extension)
        if measured is None:
            if len(self._measured) >= MAX_EXTENSIONS:
                del self._measured[next(iter(self._measured))]
            measured = self._measured[extension] = _Measured()
        measured.add(sample, ends.longest_ms)
        if ends.reported:
            measured.report(ends.reported)
