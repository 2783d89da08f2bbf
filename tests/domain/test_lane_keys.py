"""The key that a template makes of a job's values."""

from __future__ import annotations

from typing import Any

import pytest

from workroom.domain.extension import Concurrency
from workroom.domain.rules.queue.limits import limit_of
from workroom.domain.schema.concurrency_keys import MAX_KEY, check_key_template, lane_key, template_fields
from workroom.errors import InvalidRequest


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

    assert (limit_of(concurrency, "leonardo"), limit_of(concurrency, "other")) == (5, 2)
    assert limit_of(Concurrency("{provider}"), "any") == 1


MODEL = {
    "type": "object",
    "properties": {
        "provider": {"type": "string"},
        "tags": {"type": "array"},
        "model": {"$ref": "#/$defs/Model"},
        "extra": {"type": "object", "additionalProperties": True},
    },
    "$defs": {"Model": {"type": "object", "properties": {"name": {"type": "string"}}}},
}


@pytest.mark.parametrize(
    ("template", "schema"),
    [
        ("{provider}", MODEL),
        ("{provider}-{model.name}", MODEL),
        ("everything", MODEL),
        ("{extra.whatever}", {**MODEL, "properties": {"extra": {"type": "object"}}}),
        ("{anything}", {"type": "object"}),
        ("{anything}", {**MODEL, "additionalProperties": True}),
        ("{anything}", {**MODEL, "anyOf": [{"properties": {"anything": {}}}]}),
        ("#", MODEL),
    ],
)
def test_a_template_that_the_values_can_fill_in_is_taken(template: str, schema: dict[str, Any]) -> None:
    check_key_template(template, schema)


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("", "empty"),
        ("{provider", "braces"),
        ("provider}", "braces"),
        ("{}", "braces"),
        ("{{provider}}", "braces"),
        ("{provider!r}", "braces"),
        ("{a b}", "braces"),
        ("{providr}", "did you mean 'provider'"),
        ("{model.nam}", "did you mean 'name'"),
        ("{nothing}", "no field 'nothing'"),
        ("{tags}", "a list"),
        ("{extra}", "an object"),
    ],
)
def test_a_mistyped_template_is_refused_with_the_reason(template: str, why: str) -> None:
    with pytest.raises(InvalidRequest, match=why):
        check_key_template(template, MODEL)
