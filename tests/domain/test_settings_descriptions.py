"""The reference of settings is made from their descriptions."""

from __future__ import annotations

from workroom.settings import Settings


def test_every_setting_has_a_description() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
