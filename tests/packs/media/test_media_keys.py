"""The keys of providers are secret, whatever a provider does with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.fake_service import Answer, Call, fake_service
from workroom import Room
from workroom.testing.processes import ServerProcess, eventually

KEY = "s3cret-key-of-the-account"


def repeat_the_key(call: Call) -> Answer:
    return Answer({"error": f"{call.headers.get('Authorization')} may not do that"}, 403)


def test_a_key_is_in_no_log_no_record_and_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_service(repeat_the_key) as service:
        monkeypatch.setenv("WORKROOM_PACK_MEDIA_LEONARDO_KEY", KEY)
        monkeypatch.setenv("WORKROOM_PACK_MEDIA_LEONARDO_URL", service.url)
        options = {"packs": "media", "workers": 1, "rooms": "lab", "log_level": "debug"}
        with (
            ServerProcess(tmp_path / "data", **options) as server,
            Room("lab", server.url, user="ada") as room,
        ):
            job = room.submit_named(
                "media", "Generate", {"provider": "leonardo", "params": {"prompt": "a fox"}}
            )
            eventually(lambda: job.status == "failed", 60, "the refusal")
            seen = [json.dumps(job.document), *map(json.dumps, room.records("media-generations").find())]
        sent = [call.headers["Authorization"] for call in service.calls]

    assert sent
    assert set(sent) == {f"Bearer {KEY}"}
    assert "may not do that" in seen[0]
    logs = [each.read_bytes().decode(errors="replace") for each in tmp_path.rglob("*") if each.is_file()]
    assert not any(KEY in text for text in (*seen, *logs))
