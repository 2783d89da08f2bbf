"""How values are counted by their size."""

from __future__ import annotations

from workroom.domain.histogram import Distribution, Histogram


def test_each_bucket_counts_what_is_not_above_its_bound() -> None:
    histogram = Histogram((1, 2, 4))
    for value in (0.5, 1, 1.5, 4, 9):
        histogram.observe(value)

    assert histogram.read() == Distribution(((1, 2), (2, 3), (4, 4)), count=5, total=16)


def test_a_histogram_begins_empty() -> None:
    assert Histogram((1,)).read() == Distribution(((1, 0),), count=0, total=0)
