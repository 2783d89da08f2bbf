"""Secrets are masked wherever they occur, and found wherever a schema has them."""

from __future__ import annotations

import pytest

from workroom.domain.schema.masking import MASK, BlankMasker, Masker, carries_secrets, marked
from workroom.domain.schema.secret_fields import (
    SecretFields,
    TooManyPlaces,
    put_back,
    take_out,
    without_masks,
)

PASSWORD = {"type": "string", "format": "password", "writeOnly": True}


def test_the_longest_secret_is_masked_first() -> None:
    assert Masker(["abcd", "abcdef"]).text("xabcdefx abcd") == f"x{MASK}x {MASK}"


def test_what_is_too_short_is_not_masked() -> None:
    assert Masker(["abc"]).text("abc") == "abc"
    assert Masker(["abcd"]).text("abcd") == MASK


def test_numbers_and_what_is_inside_of_secrets_are_masked() -> None:
    masker = Masker([{"pin": 123456, "names": ["first", "second"]}, None, True])

    assert masker.value([123456, 1234567, "my second", True, None]) == [
        MASK,
        1234567,
        f"my {MASK}",
        True,
        None,
    ]


def test_what_cannot_be_known_is_blank() -> None:
    assert BlankMasker().value({"a": ["text", ""]}) == {MASK: [MASK, ""]}


def test_a_token_states_whether_its_job_has_secrets() -> None:
    assert carries_secrets(marked("f00"))
    assert not carries_secrets("f00")


def test_most_schemas_have_no_secrets() -> None:
    harmless = {"properties": {"format": {"type": "string"}, "password": {"type": "string"}}}
    assert not SecretFields(harmless)
    assert SecretFields({"properties": {"key": PASSWORD}})


def test_a_schema_that_refers_to_itself_is_walked_once_for_each_value() -> None:
    fields = SecretFields(
        {"properties": {"key": PASSWORD, "next": {"$ref": "#"}, "also": {"anyOf": [{"$ref": "#"}]}}}
    )
    values = {"key": "a", "next": {"key": "b", "also": {"key": "c"}}, "other": {"key": "d"}}

    assert sorted(fields.find(values)) == [("key",), ("next", "also", "key"), ("next", "key")]


def test_secrets_that_are_taken_out_can_be_put_back() -> None:
    fields = SecretFields({"properties": {"keys": {"items": PASSWORD}, "n": {"type": "integer"}}})
    values = {"keys": ["a", None, "b"], "n": 1}
    taken = take_out(values, fields.find(values))

    assert values == {"keys": [MASK, None, MASK], "n": 1}
    assert without_masks(values) == {"keys": [None], "n": 1}
    assert put_back(values, taken) == {"keys": ["a", None, "b"], "n": 1}


def test_references_with_escapes_are_followed() -> None:
    fields = SecretFields({"properties": {"a": {"$ref": "#/$defs/x~1y%20z"}}, "$defs": {"x/y z": PASSWORD}})
    assert fields.find({"a": "secret"}) == [("a",)]


def test_too_many_places_are_not_looked_at() -> None:
    fields = SecretFields({"properties": {"a": {"items": PASSWORD}}})
    assert len(fields.find({"a": ["s"] * 4_998})) == 4_998  # and the two that lead there
    with pytest.raises(TooManyPlaces):
        fields.find({"a": ["s"] * 4_999})


def test_a_name_leads_to_secrets_from_above_and_from_within() -> None:
    account = {"properties": {"user": {"type": "string"}, "key": PASSWORD}}
    fields = SecretFields({"properties": {"account": account, "vault": {**account, "writeOnly": True}}})

    assert fields.lead_to(["account"])
    assert fields.lead_to(["account", "key"])
    assert fields.lead_to(["vault", "user"])
    assert not fields.lead_to(["account", "user"])
    assert not fields.lead_to(["other"])
