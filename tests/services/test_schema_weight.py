"""Whatever is called quick is quick: the bound on the work of a schema holds for any value."""

from __future__ import annotations

import time
from decimal import Decimal
from enum import StrEnum
from math import inf
from typing import Annotated, Any, Literal

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from workroom.domain.schema.weight import Weight, weigh
from workroom.errors import InvalidSchema
from workroom.services.validation.schemas import compile_schema, faults_of, quick_check, work_of
from workroom.services.validation.validation import AT_ONCE, FAULTS_AT_ONCE

QUICK = 0.25  # seconds of CPU time

NAMES = st.sampled_from("abcdefgh")
PATTERNS = [
    "^a+$",
    "[ab]*a[ab]{900}c",
    r"\w*a\w{300}c",
    "(a|b|ab)*c",
    "((a*)*)*b",
    ".*.*.*.*x",
    r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$",
    "(?=a+b)a",
]
SMALL: list[Any] = [True, False, {}, {"type": "integer"}, {"type": "string"}, {"minimum": 0.5}]
LEAVES = st.sampled_from(
    [
        *SMALL,
        {"type": "string", "minLength": 1, "maxLength": 10},
        {"type": ["object", "array"]},
        {"enum": [f"x{number}" for number in range(500)]},
        {"enum": [number + 0.5 for number in range(300)]},
        {"enum": [{"a": number} for number in range(300)]},
        {"const": {"a": [1] * 50}},
        {"uniqueItems": True},
        {"multipleOf": 3},
        {"multipleOf": 0.01},
        {"multipleOf": 5e-324},
        {"minimum": -1e300, "exclusiveMaximum": 1e301},
        {"required": [f"r{number}" for number in range(200)]},
        {"$ref": "#/$defs/first"},
        {"$ref": "#/$defs/second"},
        *({"pattern": pattern} for pattern in PATTERNS),
    ]
)


def _wider(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=6)
    named = st.dictionaries(NAMES, inner, min_size=1, max_size=5)
    words = {
        **dict.fromkeys(("additionalProperties", "items", "not", "propertyNames"), inner),
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), several),
        **dict.fromkeys(("contains", "unevaluatedItems", "unevaluatedProperties", "if", "then"), inner),
        "properties": named,
        "patternProperties": st.dictionaries(st.sampled_from(PATTERNS), inner, min_size=1, max_size=3),
    }
    pairs = [st.tuples(st.just(word), values) for word, values in words.items()]
    return st.lists(st.one_of(pairs), min_size=1, max_size=3).map(dict)


SCHEMAS = st.recursive(LEAVES, _wider, max_leaves=12)
ATOMS: st.SearchStrategy[Any] = st.sampled_from(
    [1, 3, 0.03, 1e300, 2**64 - 1, "a", "x499", "ab" * 30, True, None, [], {}, {"a": 299}]
)


def _larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    many = st.sampled_from([2, 30, 1000, 30_000])
    return st.one_of(
        st.builds(lambda item, times: [item] * times, inner, many),
        st.lists(inner, max_size=5),
        st.dictionaries(NAMES, inner, max_size=5),
        st.builds(lambda item, times: {f"a{n}": item for n in range(times)}, inner, many),
        st.builds(lambda times: [2**64 - 1 - n for n in range(times)], many),
        st.builds(lambda times: "ab" * times, many),
    )


VALUES = st.recursive(ATOMS, _larger, max_leaves=4)


@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(a=SCHEMAS, first=SCHEMAS, second=SCHEMAS, value=VALUES)
def test_whatever_is_called_quick_is_quick(a: Any, first: Any, second: Any, value: Any) -> None:
    schema = orjson.dumps(
        {"type": "object", "properties": {"a": a}, "$defs": {"first": first, "second": second}}
    )
    data = {"a": value}
    size = len(orjson.dumps(data))
    if size > 1_000_000 or work_of(schema, size) > AT_ONCE:
        return
    assert seconds_to(lambda: _compiled(schema)) < QUICK
    assert seconds_to(lambda: compile_schema(schema).is_valid(data)) < QUICK
    if work_of(schema, size) <= FAULTS_AT_ONCE:
        assert seconds_to(lambda: faults_of(schema, data)) < QUICK


def _compiled(schema: bytes) -> None:
    try:
        compile_schema(schema)
    except InvalidSchema:
        raise AssertionError(f"not a schema: {schema!r}") from None


def seconds_to(act: Any) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


def just_quick(item: Any, value: Any) -> tuple[bytes, Any]:
    """As many values as are still called quick."""
    schema = orjson.dumps({"type": "object", "properties": {"a": {"items": item}}})
    low, high = 1, 1_000_000 // len(orjson.dumps([value]))
    while low < high:
        middle = (low + high + 1) // 2
        fits = work_of(schema, len(orjson.dumps({"a": [value] * middle}))) <= AT_ONCE
        low, high = (middle, high) if fits else (low, middle - 1)
    return schema, {"a": [value] * low}


@pytest.mark.parametrize(
    ("item", "value"),
    [
        ({"allOf": [{"minimum": n + 0.5} for n in range(100)]}, 1e300),
        ({"enum": [n + 0.5 for n in range(100)]}, 99.5),
        ({"enum": [{"a": n} for n in range(100)]}, {"a": 99}),
        ({"anyOf": [*[{"type": "string"}] * 100, {"type": "integer"}]}, 1),
        ({"oneOf": [*[{"required": ["a"]}] * 100, {"type": "object"}]}, {}),
        ({"allOf": [{"properties": {"x": {"type": "integer"}}}] * 100}, {"x": 1}),
        ({"multipleOf": 0.01}, 1e300),
        ({"multipleOf": 2**53}, 2.0**1000),
        ({"uniqueItems": True}, [2**64 - 1 - n for n in range(200)]),
        ({"pattern": "[ab]*a[ab]{900}c"}, "ab" * 500),
        ({"pattern": r"\w*a\w{900}c"}, "ab" * 500),
        ({"type": "string"}, 1),
    ],
)
def test_the_most_that_is_called_quick_is_quick(item: Any, value: Any) -> None:
    schema, data = just_quick(item, value)

    assert work_of(schema, len(orjson.dumps(data))) <= AT_ONCE
    assert seconds_to(lambda: compile_schema(schema).is_valid(data)) < QUICK


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = Field(9, ge=0, le=9)


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str = Field("Rex", pattern=r"^[A-Z][a-z]+$", max_length=30)


class Ordinary(BaseModel):
    """Of everything that forms are made of."""

    window: int = Field(5, ge=1, le=100, multiple_of=5)
    ratio: float = Field(0.5, gt=0, lt=1, multiple_of=0.01, json_schema_extra={"unit": "nm"})
    price: Decimal = Decimal(1)
    colour: Colour = Colour.RED
    colours: set[Colour] = set()
    counts: dict[Colour, int] = {}
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] = Cat(kind="cat")
    pets: list[Cat | Dog | None] = []
    point: tuple[float, float] = (0, 0)
    note: str | None = None
    words: dict[Annotated[str, Field(pattern="^w")], list[str]] = {}


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_ordinary_schemas_are_proven_to_be_quick(mode: Literal["validation", "serialization"]) -> None:
    schema = orjson.dumps(Ordinary.model_json_schema(mode=mode))

    assert work_of(schema, 1000) <= AT_ONCE


@pytest.mark.parametrize(
    "schema",
    [
        {"unevaluatedProperties": False},
        {"unevaluatedItems": False},
        {"properties": {"a": {"if": {}, "then": {}}}},
        {"items": {"contains": {}}},
        {"dependentSchemas": {"a": {}}},
        {"multipleOf": 3e-300},
        {"multipleOf": 1e300},
        {"pattern": "(?=a)b"},
        {"pattern": r"(a)\1"},
        {"pattern": "a++"},
        {"pattern": "x" * 1001},
        {"$ref": "#"},
        {"$ref": "#/$defs/missing"},
        {"$ref": "#/allOf/0", "allOf": [{}]},
        {"$ref": "#/$defs/a%20b", "$defs": {"a b": {}, "a%20b": {}}},
        {"$ref": "#named"},
        {"$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"},
    ],
)
def test_what_is_not_proven_weighs_infinitely_much(schema: dict[str, Any]) -> None:
    assert not weigh(schema).is_proven


def test_words_that_no_dialect_knows_weigh_nothing() -> None:
    assert weigh({"type": "string", "unit": "nm", "x": {"unevaluatedItems": False}}) == weigh(
        {"type": "string"}
    )


@pytest.mark.parametrize("weight", [Weight(), Weight(3.0), Weight(3.0, 0.5), Weight(0.0, 2.0)])
def test_the_largest_size_is_where_the_work_reaches_its_limit(weight: Weight) -> None:
    size = weight.largest_size(10_000)

    assert size == inf or weight.work(int(size)) <= 10_000 < weight.work(int(size) + 2)


def test_a_schema_without_a_bound_has_no_quick_check() -> None:
    schema = orjson.dumps({"type": "object", "unevaluatedProperties": False, "$ref": "#"})

    assert quick_check(schema, AT_ONCE) is None
