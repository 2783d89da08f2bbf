"""Settings are shown to administrators without what must stay in the server."""

from __future__ import annotations

import orjson
import pytest

from workroom.services.admin.settings_view import MASK, settings_in_force
from workroom.settings import Settings

SECRETS = {
    "admin_password": ("open sesame", MASK),
    "signing_key": ("a key that nobody else has", MASK),
    "broker": ("redis://user:pa55word@host:1/1", f"redis://user:{MASK}@host:1/1"),
    "store": ("redis://:pa55word@host/0", f"redis://:{MASK}@host/0"),
    "storage": ("s3://bucket/files?key=abc123", f"s3://bucket/files?{MASK}"),
    "archive": ("sqlite:///archive.db", "sqlite:///archive.db"),
}


@pytest.mark.parametrize("name", SECRETS)
def test_passwords_and_keys_are_masked_also_within_urls(name: str) -> None:
    given, shown = SECRETS[name]
    found = {each.name: each for each in settings_in_force(Settings.model_validate({name: given}))}

    assert (found[name].value, found[name].is_default) == (shown, False)


def test_every_setting_can_be_sent_as_json_and_shows_no_secret() -> None:
    settings = Settings.model_validate({name: given for name, (given, _) in SECRETS.items()})
    text = orjson.dumps([(each.name, each.value) for each in settings_in_force(settings)]).decode()

    assert set(Settings.model_fields) == {name for name, _ in orjson.loads(text)}
    for secret in ("open sesame", "a key that", "pa55word", "abc123"):
        assert secret not in text
