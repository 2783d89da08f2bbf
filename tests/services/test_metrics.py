"""The number of labels is bounded, and what was counted never sinks."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.extension import ExtensionKey
from workroom.domain.queries import Queue
from workroom.services.metrics.extension_labels import OTHER, ExtensionLabels, Label
from workroom.services.metrics.store_figures import EndCounts, by_label


def queue(number: int, name: str | None = None, room: str | None = "lab", **counts: int) -> Queue:
    key = ExtensionKey(room, "analysis", name or f"E{number}")
    return Queue(number, key, is_paused=False, is_broken=False, **counts)


def test_beyond_the_most_extensions_have_one_label_together() -> None:
    labels = ExtensionLabels(most=3)
    queues = [queue(number, ready=1) for number in range(1000)]
    labels.assign(queues)
    figures = by_label(queues, labels)

    assert len(figures) == 4
    assert figures[OTHER].waiting["ready"] == 997


def test_public_extensions_have_labels_before_those_of_rooms() -> None:
    labels = ExtensionLabels(most=1)
    labels.assign([queue(1), queue(2, room=None)])

    assert labels.get(1) == OTHER
    assert labels.get(2) == Label("public", "analysis/E2")


def test_a_label_stays_with_its_extension_until_that_has_left() -> None:
    labels = ExtensionLabels(most=1)
    labels.assign([queue(1)])
    labels.assign([queue(1), queue(2, room=None)])
    assert labels.get(1) != OTHER

    labels.assign([queue(2, room=None)])
    assert labels.get(2) != OTHER
    assert labels.get(1) == OTHER


def test_one_name_in_several_rooms_is_one_label() -> None:
    labels = ExtensionLabels()
    queues = [queue(number, "Smooth", room=f"room-{number}", ready=2) for number in range(5)]
    labels.assign(queues)

    assert {label: each.waiting["ready"] for label, each in by_label(queues, labels).items()} == {
        Label("room", "analysis/Smooth"): 10
    }


def test_ends_are_counted_from_the_first_look_and_never_sink() -> None:
    labels, ends = ExtensionLabels(), EndCounts()
    first = queue(1, completed=5)
    labels.assign([first, queue(2)])
    label = labels.get(1)

    ends.count([first], labels)
    assert ends.totals[label, "completed"] == 0
    ends.count([replace(first, completed=8)], labels)
    assert ends.totals[label, "completed"] == 3
    ends.count([replace(first, completed=1)], labels)  # the store has forgotten old jobs
    assert ends.totals[label, "completed"] == 3
    ends.count([replace(first, completed=2), queue(2, failed=4)], labels)
    assert ends.totals[label, "completed"] == 4
    assert ends.totals[labels.get(2), "failed"] == 4
