"""Figures about all jobs in the store, read when a scrape needs them."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from workroom.domain.queries import Queue
from workroom.services.metrics.extension_labels import ExtensionLabels, Label

_MAX_REMEMBERED = 10_000
_ENDS = ("completed", "failed", "cancelled")


@dataclass(slots=True)
class ExtensionFigures:
    """The sum over the extensions of one label. `waiting` counts pending jobs by what keeps them back."""

    waiting: Counter[str] = field(default_factory=Counter)
    on_record: Counter[str] = field(default_factory=Counter)
    oldest_us: int | None = None
    paused: int = 0
    broken: int = 0

    def add(self, queue: Queue) -> None:
        self.waiting.update(ready=queue.ready, concurrency=queue.limited, rate=queue.paced, later=queue.later)
        self.on_record.update(completed=queue.completed, failed=queue.failed, cancelled=queue.cancelled)
        self.paused += queue.is_paused
        self.broken += queue.is_broken
        if queue.oldest_us is not None:
            self.oldest_us = min(queue.oldest_us, self.oldest_us or queue.oldest_us)


@dataclass(frozen=True, slots=True)
class StoreFigures:
    """`unfinished` counts jobs, `files` and `bytes` what is in the blob store."""

    extensions: dict[Label, ExtensionFigures]
    ended: dict[tuple[Label, str], int]
    unfinished: int
    files: int
    bytes: int
    read_at_us: int


class EndCounts:
    """How many jobs of all servers ended since this one was started.

    The store forgets jobs after the retention time, and its numbers sink then; these never do.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[int, tuple[int, ...]] | None = None
        self.totals: Counter[tuple[Label, str]] = Counter()

    def count(self, queues: Sequence[Queue], labels: ExtensionLabels) -> None:
        """The first queues are only remembered."""
        known = self._known
        remembered = known if known is not None else OrderedDict()
        for queue in queues:
            ends = (queue.completed, queue.failed, queue.cancelled)
            before = remembered.pop(queue.extension_id, ends if known is None else (0, 0, 0))
            remembered[queue.extension_id] = ends
            for kind, now, then in zip(_ENDS, ends, before, strict=True):
                self.totals[labels.get(queue.extension_id), kind] += max(0, now - then)
        while len(remembered) > _MAX_REMEMBERED:
            remembered.popitem(last=False)
        self._known = remembered


def by_label(queues: Sequence[Queue], labels: ExtensionLabels) -> dict[Label, ExtensionFigures]:
    found: dict[Label, ExtensionFigures] = {}
    for queue in queues:
        found.setdefault(labels.get(queue.extension_id), ExtensionFigures()).add(queue)
    return found
