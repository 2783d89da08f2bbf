"""The server's log as JSON."""

from __future__ import annotations

import os
from pathlib import Path

import httpx
import orjson
import pytest

from workroom.testing.fixtures import StartServer
from workroom.testing.processes import eventually


def test_each_line_of_a_json_log_is_an_object_with_time_and_level(
    start_server: StartServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "packs" / "broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[workroom.packs]\nbroken = no_such_module\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(info.parent), os.environ["PYTHONPATH"]]))
    server = start_server(log_format="json", packs="broken")

    httpx.get(f"{server.url}/socket.io/?EIO=4&transport=polling")
    eventually(lambda: "Invalid transport" in server.log, what="the request in the log")

    pack, request = (orjson.loads(line) for line in server.log.splitlines())
    assert (pack["level"], pack["logger"]) == ("error", "workroom")
    assert "the pack 'broken' is left out" in pack["event"]
    assert (request["level"], request["logger"]) == ("error", "engineio.server")
    assert all(line["timestamp"].endswith("Z") for line in (pack, request))
