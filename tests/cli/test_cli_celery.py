"""`workroom celery`, and a server for it, say what is missing."""

from __future__ import annotations

from pathlib import Path

from support.command_line import workroom


def test_a_fleet_needs_a_token_and_a_broker(tmp_path: Path) -> None:
    assert "WORKROOM_TOKEN is not set" in workroom("celery", cwd=tmp_path).complaint
    assert "needs a broker" in workroom("celery", cwd=tmp_path, WORKROOM_TOKEN="some").complaint


def test_a_server_for_a_fleet_needs_a_broker_and_a_runner_that_is_its_own(tmp_path: Path) -> None:
    assert "needs a broker" in workroom("serve", "--runner", "celery", cwd=tmp_path).complaint
    assert "use local or celery" in workroom("serve", "--runner", "remote", cwd=tmp_path).complaint
