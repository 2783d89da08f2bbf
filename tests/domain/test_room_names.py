"""What a room may be called."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.domain.room import RESERVED, room_name
from workroom.errors import InvalidName


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("demo", "demo"),
        ("Demo", "demo"),
        ("DEMO-2_b", "demo-2_b"),
        ("0", "0"),
        ("ｄｅｍｏ", "demo"),  # noqa: RUF001 - full width, folded by NFKC
        ("ﬁle", "file"),
        ("①", "1"),
        ("Straße", "strasse"),
        ("\u212aelvin", "kelvin"),
        ("publicity", "publicity"),
        ("a" * 64, "a" * 64),
    ],
)
def test_a_room_is_stored_under_one_form_of_its_name(typed: str, kept: str) -> None:
    assert room_name(typed) == kept


@pytest.mark.parametrize(
    "typed",
    ["public", "Public", "PUBLIC", "ｐｕｂｌｉｃ", "ＰＵＢＬＩＣ", "global", "Global", "ｇlobal"],  # noqa: RUF001
)
def test_a_reserved_name_is_refused_however_it_is_typed(typed: str) -> None:
    with pytest.raises(InvalidName, match="a room cannot be called"):
        room_name(typed)


@pytest.mark.parametrize(
    "typed",
    [
        *[
            "",
            ".",
            "..",
            "\uff0e\uff0e",
            "…",
            "a.b",
            "../etc",
            "a/b",
            "a\\b",
            "a b",
            " a",
            "a ",
            "a\n",
            "a\x00",
        ],
        *["-a", "_a", "ä", "名前", "a:b", "a%2f", "a" * 65, "\u200ba", "a\u0301"],
    ],
)
def test_a_name_with_anything_else_in_it_is_refused(typed: str) -> None:
    with pytest.raises(InvalidName):
        room_name(typed)


@settings(deadline=None)
@given(st.text(max_size=80))
def test_an_accepted_name_is_already_normalized(typed: str) -> None:
    try:
        kept = room_name(typed)
    except InvalidName:
        return
    assert room_name(kept) == kept
    assert kept not in RESERVED
    assert kept.isascii()
