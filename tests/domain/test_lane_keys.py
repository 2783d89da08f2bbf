"""The key that a template makes of a job's values."""

from __future__ import annotations

from typing import Any

import pytest

from workroom.domain.extension import Concurrency
from workroom.domain.lanes import MAX_KEY, lane_key, template_fields


@pytest.mark.parametrize(
    ("template", "data", "key"),
    [
        ("{provider}", {"provider": "leonardo"}, "leonardo"),
        ("{provider}-{size}", {"provider": "leonardo", "size": 3}, "leonardo-3"),
        ("{model.name}", {"model": {"name": "xl"}}, "xl"),
        ("{model.name}", {"model": "xl"}, ""),
        ("{missing}", {}, ""),
        ("{nothing}", {"nothing": None}, ""),
        ("everything", {"provider": "leonardo"}, "everything"),
        ("{a}", {"a": "{b}", "b": "no"}, "{b}"),
    ],
)
def test_fields_are_filled_in(template: str, data: dict[str, Any], key: str) -> None:
    assert lane_key(Concurrency(template), data, {}) == key


def test_what_was_not_given_counts_with_its_default() -> None:
    concurrency = Concurrency("{provider}")

    assert lane_key(concurrency, {}, {"provider": "leonardo"}) == "leonardo"
    assert lane_key(concurrency, {"provider": "mine"}, {"provider": "leonardo"}) == "mine"


def test_a_key_has_an_end() -> None:
    assert lane_key(Concurrency("{text}"), {"text": "x" * 10_000}, {}) == "x" * MAX_KEY


def test_a_template_names_its_fields() -> None:
    assert template_fields("{provider}/{model.name} fixed") == ["provider", "model.name"]


def test_a_limit_is_per_key_with_one_for_all_others() -> None:
    concurrency = Concurrency("{provider}", {"leonardo": 5}, default=2)

    assert (concurrency.limit("leonardo"), concurrency.limit("other")) == (5, 2)
    assert Concurrency("{provider}").limit("any") == 1
