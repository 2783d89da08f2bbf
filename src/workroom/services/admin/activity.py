"""What happened in the last day, minute by minute, in bounded memory. It begins when the server starts."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import ceil
from operator import add

from workroom.domain.histogram import Distribution
from workroom.services.metrics.extension_labels import Label
from workroom.services.metrics.metrics import Figures, Metrics

SAMPLE_SECONDS = 60.0
_KEPT = 24 * 60
MOST_POINTS = 72


@dataclass(frozen=True, slots=True)
class Sample:
    """The time between two readings. `ended` counts jobs of all servers by extension and status, `pending`
    the jobs that waited at its end; waits and executions are those of this server.
    """

    at_us: int
    seconds: float
    ended: Counter[tuple[Label, str]]
    pending: int
    waits: Distribution
    executions: Distribution


@dataclass(frozen=True, slots=True)
class Activity:
    """The figures of now, and the samples of some hours, oldest first."""

    figures: Figures
    samples: Sequence[Sample]


class ActivityHistory:
    def __init__(self, metrics: Metrics, sample_seconds: float = SAMPLE_SECONDS) -> None:
        self._metrics = metrics
        self._seconds = sample_seconds
        self._samples: deque[Sample] = deque(maxlen=_KEPT)
        self._last: Figures | None = None

    async def run(self) -> None:
        while True:
            self._sample(await self._metrics.read())
            await asyncio.sleep(self._seconds)

    async def read(self, hours: float) -> Activity:
        """The last sample is what happened since the one before."""
        now = await self._metrics.read()
        wanted = list(self._samples)[-max(1, round(hours * 3600 / self._seconds)) :]
        if self._last is not None and (latest := _between(self._last, now)) is not None:
            wanted.append(latest)
        return Activity(now, join_samples(wanted))

    def _sample(self, now: Figures) -> None:
        """While the store does not respond, the sample becomes longer."""
        if self._last is None or self._last.store is None:
            self._last = now
        elif (sample := _between(self._last, now)) is not None:
            self._samples.append(sample)
            self._last = now


def _between(before: Figures, now: Figures) -> Sample | None:
    if before.store is None or now.store is None or now.now_us <= before.now_us:
        return None
    ended = Counter(
        {
            key: count - before.store.ended.get(key, 0)
            for key, count in now.store.ended.items()
            if count != before.store.ended.get(key, 0)
        }
    )
    pending = sum(each.waiting.total() for each in now.store.extensions.values())
    seconds = (now.now_us - before.now_us) / 1_000_000
    waits, executions = now.waits - before.waits, now.executions - before.executions
    return Sample(now.now_us, seconds, ended, pending, waits, executions)


def join_samples(samples: Sequence[Sample]) -> list[Sample]:
    """At most `MOST_POINTS`, each of the same number of samples but the newest."""
    size = max(1, ceil(len(samples) / MOST_POINTS))
    first = len(samples) % size
    chunks = [samples[:first]] if first else []
    chunks += [samples[at : at + size] for at in range(first, len(samples), size)]
    return [_join(chunk) for chunk in chunks]


def _join(chunk: Sequence[Sample]) -> Sample:
    last = chunk[-1]
    return Sample(
        last.at_us,
        sum(each.seconds for each in chunk),
        sum((each.ended for each in chunk), Counter()),
        last.pending,
        _sum(each.waits for each in chunk),
        _sum(each.executions for each in chunk),
    )


def _sum(distributions: Iterable[Distribution]) -> Distribution:
    return reduce(add, distributions)
