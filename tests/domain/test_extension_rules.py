"""Names of extensions, hashes of schemas, and the refusal of a name that is taken."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.domain.extension import (
    Extension,
    ExtensionKey,
    RunnerKind,
    Scope,
    canonical,
    check_names,
    schema_hash,
)
from workroom.domain.rules.refusals import other_schema
from workroom.errors import InvalidName
from workroom.testing.conformance import extension

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize("category", ["analysis", "a", "0", "my-tools_2", "a" * 64])
@pytest.mark.parametrize("name", ["Smooth", "smooth", "_Smooth", "S", "Smooth-2_b", "S" * 64])
def test_slugs_and_identifiers_are_names(category: str, name: str) -> None:
    check_names(ExtensionKey("lab", category, name))


@pytest.mark.parametrize(
    "category",
    ["", "Analysis", "-a", "_a", "a b", "a/b", "a.b", "ä", "a\n", "..", "ａ", "a" * 65],  # noqa: RUF001
)
def test_a_category_is_a_slug(category: str) -> None:
    with pytest.raises(InvalidName, match="is not a category"):
        check_names(ExtensionKey(None, category, "Smooth"))


@pytest.mark.parametrize(
    "name",
    ["", "2Smooth", "-Smooth", "a b", "a/b", "a.b", "Ä", "Smooth\n", "..", "Ｓ", "S" * 65],  # noqa: RUF001
)
def test_an_extension_name_starts_like_an_identifier(name: str) -> None:
    with pytest.raises(InvalidName, match="is not an extension name"):
        check_names(ExtensionKey(None, "analysis", name))


def test_an_extension_without_a_room_is_public() -> None:
    assert ExtensionKey(None, "analysis", "Smooth").scope is Scope.PUBLIC
    assert ExtensionKey("lab", "analysis", "Smooth").scope is Scope.ROOM


def test_settings_are_known_by_their_category() -> None:
    assert Extension(1, extension("Theme", category="settings")).is_settings
    assert not Extension(1, extension("settings")).is_settings


def test_only_remote_extensions_are_not_the_server_s() -> None:
    assert {kind for kind in RunnerKind if kind.is_server_side} == {RunnerKind.LOCAL, RunnerKind.CELERY}


def test_a_schema_has_one_encoding() -> None:
    assert (
        canonical({"b": [1, {"d": 1, "c": "ä"}], "a": None}) == '{"a":null,"b":[1,{"c":"ä","d":1}]}'.encode()
    )


@pytest.mark.parametrize(
    ("floats", "integers"),
    [
        ({"minimum": 1.0}, {"minimum": 1}),
        ({"minimum": -0.0}, {"minimum": 0}),
        ({"maximum": 1e21}, {"maximum": 10**21}),
        (
            {"properties": {"window": {"enum": [[1.0], 2.5]}}},
            {"properties": {"window": {"enum": [[1], 2.5]}}},
        ),
    ],
)
def test_a_whole_number_is_encoded_the_same_with_and_without_a_point(
    floats: dict[str, Any], integers: dict[str, Any]
) -> None:
    assert canonical(floats) == canonical(integers)
    assert schema_hash(floats) == schema_hash(integers)


@pytest.mark.parametrize("other", [1.5, True, "1", "1.0", None])
def test_only_numbers_are_encoded_as_numbers(other: Any) -> None:
    assert schema_hash({"const": other}) != schema_hash({"const": 1})


def test_the_hash_of_a_schema_is_the_sha_256_of_its_encoding() -> None:
    assert schema_hash({"type": "object"}) == hashlib.sha256(b'{"type":"object"}').hexdigest()


def test_the_order_of_a_list_matters() -> None:
    assert schema_hash({"enum": [1, 2]}) != schema_hash({"enum": [2, 1]})


@settings(deadline=None)
@given(st.dictionaries(st.text(), JSON))
def test_the_order_of_keys_does_not_matter(schema: dict[str, Any]) -> None:
    assert schema_hash(_reversed(schema)) == schema_hash(schema)


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(value)}
    return [_reversed(each) for each in value] if isinstance(value, list) else value


def test_a_conflict_names_what_is_registered_and_what_was_offered() -> None:
    standing, offered = extension("Smooth", room=None), extension("Smooth", field="width")
    refusal = other_schema(standing.key, standing.schema_hash, offered.schema_hash)

    assert refusal.fields == {
        "extension": "analysis/Smooth",
        "scope": "public",
        "registered_hash": standing.schema_hash,
        "offered_hash": offered.schema_hash,
    }
