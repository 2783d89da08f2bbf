"""Which rates and rate keys a policy may have."""

from __future__ import annotations

from typing import Any

import pytest

from workroom import Concurrency, Extension
from workroom.domain.extension import Policy
from workroom.domain.rules.queue.rates import is_rate
from workroom.domain.schema.concurrency_keys import check_keys
from workroom.errors import InvalidRequest

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"provider": {"type": "string"}, "model": {"type": "string"}},
    "additionalProperties": False,
}


@pytest.mark.parametrize("rate", ["1/s", "100/min", "20/h", "100000/s"])
def test_a_number_and_a_time_are_a_rate(rate: str) -> None:
    assert is_rate(rate)


@pytest.mark.parametrize(
    "rate",
    ["", "100", "/min", "0/s", "100/m", "100/day", "1.5/s", "-1/s", "100001/s", "1/s\n", "٣/s"],
)
def test_anything_else_is_refused_with_an_example(rate: str) -> None:
    with pytest.raises(InvalidRequest, match=r"is not a rate: write a number .* like 100/min"):
        check_keys(Policy(rate=rate), SCHEMA)


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (Policy(rate_key="{provider}"), "has no rate"),
        (Policy(rate="1/s", rates={"a": "2/s"}), "need a rate key"),
        (Policy(rate_key="{provider}", rates={"a": "often"}), "'often' is not a rate"),
        (Policy(rate="1/s", rate_key="{providr}"), "the rate key '{providr}'.* did you mean 'provider'"),
        (Policy(rate="1/s", rate_key=""), "the rate key '' cannot be used: it is empty"),
        (
            Policy(rate="1/s", rate_key="{model}", concurrency=Concurrency("{provider}")),
            "the concurrency key is another one",
        ),
    ],
)
def test_a_key_that_cannot_be_used_is_refused_with_the_reason(policy: Policy, why: str) -> None:
    with pytest.raises(InvalidRequest, match=why):
        check_keys(policy, SCHEMA)


@pytest.mark.parametrize(
    "policy",
    [
        Policy(rate="1/s"),
        Policy(rate="1/s", rate_key="{provider}-{model}"),
        Policy(rate="1/s", concurrency=Concurrency("{provider}")),
        Policy(rate="1/s", rate_key="{provider}", concurrency=Concurrency("{provider}")),
    ],
)
def test_a_rate_counts_by_the_concurrency_key_or_all_jobs(policy: Policy) -> None:
    check_keys(policy, SCHEMA)


def test_a_class_with_a_mistyped_rate_cannot_be_defined() -> None:
    with pytest.raises(InvalidRequest, match="'100/minute' is not a rate"):

        class Draw(Extension, rate="100/minute"):
            pass
