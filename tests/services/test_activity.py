"""What happened in the last day is kept in bounded memory, and is the same however it is summed up."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from workroom.domain.histogram import SECONDS, Histogram
from workroom.services.admin.activity import MOST_POINTS, Sample, join_samples
from workroom.services.metrics.extension_labels import Label

SMOOTH = Label("room", "analysis/Smooth")


def sample(minute: int) -> Sample:
    waits = Histogram(SECONDS)
    waits.observe(minute / 100)
    found = waits.read()
    return Sample(minute * 60_000_000, 60, Counter({(SMOOTH, "failed"): minute}), minute, found, found)


@pytest.mark.parametrize("count", [1, 71, 72, 73, 1440])
def test_a_chart_has_few_points_that_add_up_to_all(count: int) -> None:
    samples = [sample(minute) for minute in range(1, count + 1)]
    points = join_samples(samples)

    assert len(points) <= MOST_POINTS
    assert points[-1].at_us == samples[-1].at_us
    assert points[-1].pending == count
    assert sum(each.ended[SMOOTH, "failed"] for each in points) == sum(range(count + 1))
    assert sum(each.seconds for each in points) == 60 * count
    assert sum(each.waits.count for each in points) == count
    assert len({round(each.seconds) for each in points[1:]}) <= 1
    assert all(one.at_us < two.at_us for one, two in pairwise(points))


def test_a_quantile_is_between_the_bounds_of_its_bucket() -> None:
    histogram = Histogram((1, 2, 4))
    before = histogram.read()
    assert before.quantile(0.5) is None
    for value in (0.5, 1.5, 1.5, 3, 3, 3, 3, 100):
        histogram.observe(value)
    found = histogram.read()

    assert 0 < (found.quantile(0.1) or 0) <= 1
    assert 1 < (found.quantile(0.3) or 0) <= 2
    assert 2 < (found.quantile(0.8) or 0) <= 4
    assert found.quantile(1) == 4  # above the last bound
    assert (found - before) == found
    assert (found - found).quantile(0.5) is None
    assert (found + found).quantile(0.3) == found.quantile(0.3)
